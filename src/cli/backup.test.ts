import { copyFile, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startS3 } from '../../test/s3-server.ts'
import { expectRefused, openHome } from './cli.fixture.ts'

/* The embedded database. test/restore.test.ts has a PostgreSQL server. */

const { scratch, tradepost, json, start } = await openHome()
const API = '/api/payment-service/external/v1'
const s3 = await startS3({ listable: true })

const home = (name: string) => ({ DATA_DIR: join(scratch, name) })
const backups = join(scratch, 'backups')
const keyFile = join(scratch, 'passphrase')
await writeFile(keyFile, 'correct horse battery staple\n')
const first = home('first')

/** Changes one byte. */
async function damage(path: string, at: number): Promise<void> {
  const content = await readFile(path)
  content[at < 0 ? content.length + at : at]! ^= 1
  await writeFile(path, content)
}

async function keyOf({ DATA_DIR }: { DATA_DIR: string }): Promise<string> {
  return (await readFile(join(DATA_DIR, 'test-key'), 'utf8')).trim()
}

/** A new data directory that has only the encryption key, as an operator makes it. */
async function freshHome(name: string) {
  const made = home(name)
  await mkdir(made.DATA_DIR)
  await copyFile(join(first.DATA_DIR, 'encryption.key'), join(made.DATA_DIR, 'encryption.key'))
  return made
}

const sourceOf = (name: string) => join(backups, `${name}.json`)

/** Made while the server runs and has a file. */
const server = await start(first)
const key = await keyOf(first)
const ask = async (url: string, path: string, body?: object) => {
  const response = await fetch(url + API + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'the-same',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.text()
}
const invoice = { customerEmail: 'ada@example.com', amount: 100 }
const created = await ask(server.url, '/invoices', invoice)
expect(JSON.parse(created)).toMatchObject({ data: { amount: 100 } })
const made = await json(['backup', backups], first)
const sealed = await json(['backup', backups, '--key-file', keyFile], first)
await server.stop()

test('0 restores into an empty directory, and the same request has the same response', async () => {
  expect(made).toMatchObject({ target: backups, files: { faults: [] }, removed: [] })
  expect(made.rows).toBeGreaterThan(10)
  const second = await freshHome('second')
  const { status, stdout, stderr } = await tradepost(['restore', sourceOf(made.name)], second)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('Payouts and refunds wait.')
  expect(stdout).toMatch(/tradepost reconcile --day \d{4}-\d\d-\d\d/)
  const restored = await start(second)
  expect(await ask(restored.url, '/invoices', invoice)).toBe(created)
  // What the operator stops after the restore stays stopped, too.
  const stopLive = ['payouts', 'stop', '--mode', 'live', '--reason', 'Fraud']
  const live = [expect.objectContaining({ mode: 'live' })]
  expect(await json(stopLive, second)).toEqual(live)
  expect(await json(stopLive, second)).toEqual([])
  const test = [expect.objectContaining({ mode: 'test' })]
  expect(await json(['payouts', 'resume', '--restored'], second)).toEqual(test)
  expect(await json(['payouts', 'resume', '--all'], second)).toEqual(live)
  expect(await json(['audit'], second)).toMatchObject({ findings: [] })
  await restored.stop()
  const again = await tradepost(['restore', sourceOf(made.name)], second)
  expectRefused(again, 2, 'is not empty: move it away first')
}, 120_000)

test('0 verifies an encrypted backup in a temporary database, with the audit', async () => {
  const args = ['restore', sourceOf(sealed.name), '--verify']
  const verified = await json([...args, '--key-file', keyFile], first)
  expect(verified).toMatchObject({ name: sealed.name, findings: [], faults: [] })
  expectRefused(await tradepost(args, first), 1, 'name the file of its passphrase')
  const other = join(scratch, 'other')
  await writeFile(other, 'incorrect horse battery staple')
  const wrong = await tradepost([...args, '--key-file', other], first)
  expectRefused(wrong, 1, 'cannot be decrypted')
  await writeFile(other, 'short')
  expectRefused(await tradepost([...args, '--key-file', other], first), 1, 'at least 16 characters')
}, 120_000)

test.each([
  ['changed', async (path: string) => damage(path, 1_000)],
  ['cut off', async (path: string) => truncate(path, 5_000)],
  ['ended early', async (path: string) => damage(path, -1)],
  ['removed', async (path: string) => rm(path)],
])(
  '1 for a backup of which a part was %s, and leaves nothing',
  async (says, harm) => {
    for (const { name } of [made, sealed]) {
      const copy = join(scratch, `copy-${says}`, name)
      await mkdir(copy, { recursive: true })
      for (const file of [`${name}.json`, `${name}.00001`]) {
        await copyFile(join(backups, file), join(copy, file))
      }
      await harm(join(copy, `${name}.00001`))
      const target = await freshHome(`${says}-${name}`)
      const { status, stdout, stderr } = await tradepost(
        ['restore', copy, '--key-file', keyFile],
        target,
      )
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^error: /)
      expect(await readdir(target.DATA_DIR)).not.toContain('postgres')
    }
  },
  120_000,
)

test('1 without the encryption key', async () => {
  const none = home('none')
  const { status, stderr } = await tradepost(['restore', sourceOf(made.name)], none)
  expect(status).toBe(1)
  expect(stderr).toContain('contains no key: restore that key from your copy first')
})

test('0 keeps the newest backups in the bucket, and restores the newest', async () => {
  const env = { ...first, STORAGE_URL: s3.url }
  await json(['backup', 'bucket'], env)
  const second = await json(['backup', 'bucket'], env)
  const third = await json(['backup', 'bucket', '--keep', '2'], env)
  expect(third.removed).toHaveLength(1)
  expect(await s3.count()).toBe(4)
  const named = await json(['restore', `bucket:${second.name}`, '--verify'], env)
  expect(named.name).toBe(second.name)
  const newest = await json(['restore', 'bucket', '--verify'], env)
  expect(newest.name).toBe(third.name)
}, 120_000)

test('1 for a source or a target that is not there', async () => {
  expectRefused(await tradepost(['restore', join(scratch, 'nowhere')], first), 1, 'no backup in')
  const named = join(backups, 'tradepost-20200101T000000000Z.json')
  expectRefused(await tradepost(['restore', named], first), 1, 'there is no backup tradepost-2020')
  expectRefused(await tradepost(['backup', 'bucket'], first), 1, 'there is no bucket')
  expectRefused(await tradepost(['backup'], home('typo')), 3, 'there is no database')
  expectRefused(await tradepost(['backup', '--keep', '0'], first), 2, 'It must be at least 1')
})
