import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { ENCRYPTION_KEY } from '../../test/keyring.ts'
import { databaseSettings, expectRefused, openHome } from './cli.fixture.ts'

const { scratch, tradepost, tradepostApart, json, start } = await openHome()
const NEW = Buffer.alloc(32, 'new').toString('base64')
const checksOf = (stdout: string, name: string) =>
  JSON.parse(stdout).checks.filter((check: { name: string }) => check.name === name)

describe('with DATABASE_URL', async () => {
  const { name } = await testDatabase()
  const { DATABASE_URL } = databaseSettings(name)

  test('1 for a start without a key, with one line that says how to make one', async () => {
    const refused = await tradepostApart(['start'], { DATABASE_URL })
    expectRefused(refused, 1, 'make a key with "openssl rand -base64 32"')
    const wrong = await tradepostApart(['start'], { DATABASE_URL, TRADEPOST_ENCRYPTION_KEY: NEW })
    expect(wrong.status).toBe(1)
    expect(wrong.stderr).toContain('restore that key from your copy')
  })

  test('1 for commands that need the key; the others work without it', async () => {
    const create = await tradepost(['business', 'create', 'Ada'], { DATABASE_URL })
    expectRefused(create, 1, 'TRADEPOST_ENCRYPTION_KEY')
    expect(await json(['business', 'list'], { DATABASE_URL })).toEqual([])
    expect(await json(['business', 'create', 'Ada'], databaseSettings(name))).toBeDefined()
  })

  test('1 from the audit for a secret that was copied to another row', async () => {
    const flip = () =>
      asOwner(name, (client) =>
        client.query(`update business_settings s set redirect_secret_encrypted = (
          select o.redirect_secret_encrypted from business_settings o
          where o.business_id = s.business_id and o.live <> s.live)`),
      )
    await flip()
    const heads = ['--heads', join(scratch, 'heads.jsonl')]
    const found = await tradepost(['audit', ...heads, '--json'], databaseSettings(name))
    expect(found.status).toBe(1)
    expect(JSON.parse(found.stdout).findings).toMatchObject(
      [false, true].map((live) => ({
        ...{ check: 'encrypted-secrets', table: 'business_settings', live },
        problem: expect.stringContaining('was changed, or belongs to another row'),
      })),
    )
    await flip()
    const fine = await tradepost(['audit', ...heads], databaseSettings(name))
    expect([fine.status, fine.stdout]).toEqual([0, expect.stringContaining('Decrypted 2 secrets.')])
    const outside = await tradepost(['audit', ...heads], { DATABASE_URL })
    expect(outside.status).toBe(0)
    expect(outside.stdout).toContain('The encrypted secrets were not checked')
  })

  test('0 replaces the key in front of which a new one was put', async () => {
    const settings = databaseSettings((await testDatabase()).name)
    const { DATABASE_URL } = settings
    const both = { DATABASE_URL, TRADEPOST_ENCRYPTION_KEY: `${NEW},${ENCRYPTION_KEY}` }
    const { stdout, status } = await tradepost(['rekey'], both)
    expect(status).toBe(0)
    expect(stdout).toContain('remove it from TRADEPOST_ENCRYPTION_KEY, where it comes second')
    const alone = { DATABASE_URL, TRADEPOST_ENCRYPTION_KEY: NEW }
    const done = await json(['rekey'], alone)
    expect(done).toMatchObject({ isContinued: false, before: done.now })
    expectRefused(await tradepost(['rekey'], settings), 1, 'restore that key')
  })

  test('1 from doctor without a key, and with another one', async () => {
    const none = await tradepost(['doctor', '--json'], { DATABASE_URL })
    expect(checksOf(none.stdout, 'keys')[0]).toMatchObject({ level: 'bad' })
    const other = { DATABASE_URL, TRADEPOST_ENCRYPTION_KEY: NEW }
    const old = await tradepost(['doctor', '--json'], other)
    const [here, there] = checksOf(old.stdout, 'keys')
    expect([here.level, there.level, there.fix]).toEqual([
      'ok',
      'bad',
      'restore that key from your copy',
    ])
  })
})

test('2 for a key of another length, which is not printed', async () => {
  const wrong = await tradepost(['business', 'list'], { TRADEPOST_ENCRYPTION_KEY: 'hunter2' })
  expect(wrong.stderr).toContain('TRADEPOST_ENCRYPTION_KEY must be 32 random bytes in base 64')
  expect(wrong.stderr).not.toContain('hunter2')
})

test('0 keeps the embedded database’s key in a file, and adds a line to it', async () => {
  await json(['business', 'create', 'Ada'])
  const path = join(scratch, 'data', 'encryption.key')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const first = await readFile(path, 'utf8')
  const done = await json(['rekey'])
  expect(done.before).not.toBe(done.now)
  const [added, ...others] = (await readFile(path, 'utf8')).trim().split('\n')
  expect([`${others}\n`, added!.length]).toEqual([first, 44])
  await json(['business', 'create', 'Bola'])

  await chmod(path, 0o644)
  const open = await tradepost(['doctor', '--json'])
  expect(checksOf(open.stdout, 'keys')).toMatchObject([{ level: 'warn', fix: `chmod 600 ${path}` }])
  const text = await readFile(path, 'utf8')
  await rm(path)
  const lost = await tradepost(['business', 'create', 'Chidi'])
  expectRefused(lost, 1, `${path} contains no key: restore that key from your copy`)
  await writeFile(path, text, { mode: 0o600 })
  await json(['business', 'create', 'Chidi'])
}, 60_000)

test('no file of the embedded database contains a secret', async () => {
  const DATA_DIR = join(scratch, 'fresh')
  const server = await start({ DATA_DIR })
  const key = (await readFile(join(DATA_DIR, 'test-key'), 'utf8')).trim()
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/api/user-service/external/v1${path}`, {
      ...init,
      headers,
    })
    return ((await response.json()) as { data: Record<string, string> }).data
  }
  const body = JSON.stringify({ url: 'http://127.0.0.1:9/hook' })
  const { reference, secret } = await ask('/webhooks', { method: 'POST', body })
  const { redirectSecret } = await ask('/profile/settings')
  const secrets = [secret!, redirectSecret!]
  for (const one of secrets) expect(one.length).toBeGreaterThan(40)
  // Writes everything to the files.
  await server.stop()
  const files = await readdir(DATA_DIR, { recursive: true, withFileTypes: true })
  const found: string[] = []
  let hasReference = false
  for (const file of files) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    const text = (await readFile(path)).toString('latin1')
    hasReference ||= text.includes(reference!)
    if (secrets.some((one) => text.includes(one))) found.push(path)
  }
  expect([found, hasReference]).toEqual([[], true])
}, 60_000)
