import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { ENCRYPTION_KEY } from '../../test/keyring.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { openKeyring } from '../encryption/keyring.ts'
import { keysInText } from '../encryption/server-keys.ts'
import { aboutLink } from '../mail/email.ts'
import { type NewMail, queueMails } from '../mail/queue.ts'
import { databaseSettings, expectRefused, openHome } from './cli.fixture.ts'

const { scratch, begin, tradepost, tradepostApart, json, start } = await openHome()
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
        check: 'encrypted-secrets',
        table: 'business_settings',
        live,
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

  test('1 from the audit for a key in the database that was changed', async () => {
    const { name } = await testDatabase()
    const settings = databaseSettings(name)
    const heads = ['--heads', join(scratch, 'heads-keys.jsonl')]
    for (const change of [
      'wrapped = set_byte(wrapped, 40, get_byte(wrapped, 40) # 1)',
      "wrapped_by = '\\x0102030405060708'",
    ]) {
      await asOwner(name, (client) => client.query(`update encryption_keys set ${change}`))
      const found = await tradepost(['audit', ...heads], settings)
      expect(found.status).toBe(1)
      expect(found.stdout).toMatch(/^ {2}encryption_keys 1: .*\[encryption-keys\]$/m)
    }
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

  test('0 after it was killed again and again, with nothing lost', async () => {
    const { name, db, ids, keyring, clock } = await testDatabase()
    const people = Array.from({ length: 1_000 }, (_, i) => `person-${i}@people.example`)
    await db.transaction(async (tx) => {
      const now = clock.now()
      const { businessId } = await createBusiness(tx, { ids, keyring }, { name: 'Ada', now })
      const about = {
        businessId,
        live: true,
        kind: 'person_notice',
        subjectType: 'person',
      } as const
      const mails: NewMail[] = []
      for (const to of people) {
        const link = await keyring.encrypt(tx, aboutLink(to), `token of ${to}`)
        mails.push({ ...about, subjectId: 1, to, link, at: now })
      }
      await queueMails(tx, ids, mails)
    })
    const { DATABASE_URL } = databaseSettings(name)
    const both = { DATABASE_URL, TRADEPOST_ENCRYPTION_KEY: `${NEW},${ENCRYPTION_KEY}` }
    const counted = async (): Promise<number> => {
      const { count } = await db.one<{ count: number }>`
        select count(*) as count from mails where get_byte(link_encrypted, 4) <> 1`
      return count
    }
    for (let round = 0; round < 3 && (await counted()) < people.length; round++) {
      const before = await counted()
      const child = begin(['rekey'], both)
      const ended = new Promise((resolve) => child.once('close', resolve))
      await expect.poll(counted, { interval: 5 }).toBeGreaterThan(before)
      child.kill('SIGKILL')
      await ended
      // The database notices a moment later that the command has gone.
      await expect.poll(() => db.many`select from pg_locks where objid = 7305441`).toEqual([])
    }
    await json(['rekey'], both)
    const alone = openKeyring(keysInText('KEYS', NEW))
    await alone.load(db)
    const rows = await db.many<{ to_address: string; link_encrypted: Buffer }>`
      select to_address, link_encrypted from mails order by id`
    const read = rows.map(({ to_address: to, link_encrypted: value }) =>
      alone.decrypt(db, aboutLink(to), value),
    )
    expect(await Promise.all(read)).toEqual(people.map((to) => `token of ${to}`))
    expect(await db.many`select purpose from encryption_keys order by purpose`).toEqual([
      { purpose: 'data' },
      { purpose: 'search' },
    ])
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
