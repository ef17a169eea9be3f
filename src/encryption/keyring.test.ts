import {
  chmod,
  chown,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { ENCRYPTION_KEY } from '../../test/keyring.ts'
import { openKeyring } from './keyring.ts'
import { keyFileOf, keysInFile, keysInText, parseServerKeys } from './server-keys.ts'

const { db, keyring } = await testDatabase()
const folder = await mkdtemp(join(inject('fastestFolder'), 'tradepost-keys-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const encrypt = (about: string, text: string, ring = keyring) =>
  db.transaction((tx) => ring.encrypt(tx, about, text))
const fingerprintOf = (key: string) => parseServerKeys(key)[0]!.fingerprint.toString('hex')
const OTHER = Buffer.alloc(32, 'other').toString('base64')

describe('a value', () => {
  test('is decrypted by every process, and only for its own row', async () => {
    const value = await encrypt('webhooks.secret 1', 'whsec_₦')
    expect(value.toString('latin1')).not.toContain('whsec')
    const other = openKeyring(keysInText('KEYS', `${OTHER},${ENCRYPTION_KEY}`))
    expect(await other.decrypt(db, 'webhooks.secret 1', value)).toBe('whsec_₦')
    await expect(keyring.decrypt(db, 'webhooks.secret 2', value)).rejects.toThrow('another row')
    expect(await encrypt('webhooks.secret 1', 'whsec_₦')).not.toEqual(value)
  })

  test('is refused if a single byte has changed', async () => {
    const value = await encrypt('x', 'secret')
    for (const at of value.keys()) {
      const changed = Buffer.from(value)
      changed[at]! ^= 1
      await expect(keyring.decrypt(db, 'x', changed), `byte ${at}`).rejects.toThrow()
    }
    await expect(keyring.decrypt(db, 'x', Buffer.alloc(0))).rejects.toThrow('known form')
  })

  test('of an email does not put the address into the log', async () => {
    const value = await encrypt('mails.link ada@example.com', 'secret')
    const refused = keyring.decrypt(db, 'mails.link bola@example.com', value)
    await expect(refused).rejects.toThrow(/^a value of mails\.link was changed, or belongs to/)
  })

  test('has the same hash in every process, and another one for another column', async () => {
    const hash = await keyring.hashOf(db, 'transfers.account', '0123456789')
    const other = openKeyring(keysInText('KEYS', ENCRYPTION_KEY))
    expect(await other.hashOf(db, 'transfers.account', '0123456789')).toEqual(hash)
    expect(await keyring.hashOf(db, 'subaccounts.account', '0123456789')).not.toEqual(hash)
  })
})

test('the database contains no key that works without the server’s', async () => {
  const rows = await db.many<{ wrapped: Buffer; wrapped_by: Buffer }>`
    select wrapped, wrapped_by from encryption_keys`
  expect(rows).toHaveLength(2)
  for (const { wrapped_by } of rows) {
    expect(wrapped_by.toString('hex')).toBe(fingerprintOf(ENCRYPTION_KEY))
  }
  const other = openKeyring(keysInText('KEYS', OTHER))
  await expect(other.load(db)).rejects.toThrow(
    `the key whose fingerprint is ${fingerprintOf(ENCRYPTION_KEY)}, but KEYS contains ` +
      `${fingerprintOf(OTHER)}: restore that key`,
  )
})

test('a key that was moved to another purpose is refused', async () => {
  const { name: moved, db: there } = await testDatabase()
  await asOwner(moved, (client) =>
    client.query(`update encryption_keys set wrapped =
      (select wrapped from encryption_keys where id = 2) where id = 1`),
  )
  const fresh = openKeyring(keysInText('KEYS', ENCRYPTION_KEY))
  await expect(fresh.load(there)).rejects.toThrow('was changed')
})

describe('the file of the embedded database', () => {
  const path = join(folder, 'data', 'encryption.key')

  test('is created once, even by several servers, and is readable only by its owner', async () => {
    const { db: fresh, name: at } = await testDatabase()
    await asOwner(at, (client) => client.query('delete from encryption_keys'))
    const rings = Array.from({ length: 5 }, () => openKeyring(keysInFile(path, true)))
    await Promise.all(rings.map((ring) => ring.load(fresh)))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const text = await readFile(path, 'utf8')
    expect(text).toMatch(/^[\w+/]{43}=\n$/)
    const value = await fresh.transaction((tx) => rings[0]!.encrypt(tx, 'x', 'secret'))
    for (const ring of rings) expect(await ring.decrypt(fresh, 'x', value)).toBe('secret')

    await rm(path)
    const late = openKeyring(keysInFile(path, true))
    await expect(late.load(fresh)).rejects.toThrow(`${path} contains no key: restore`)
    await expect(stat(path)).rejects.toThrow()
  })

  test('stays as it is if another server has created it in the meantime', async () => {
    const file = join(folder, 'first', 'encryption.key')
    await keysInFile(file, true).create!()
    const text = await readFile(file, 'utf8')
    await keysInFile(file, true).create!()
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await readdir(join(folder, 'first'))).toEqual(['encryption.key'])
  })

  test('is refused if a line is not a key', async () => {
    const odd = join(folder, 'odd')
    await writeFile(odd, `${ENCRYPTION_KEY}\nhunter2\n`)
    await expect(keysInFile(odd, false).read()).rejects.toThrow(
      `each line of ${odd} must be 32 random bytes in base 64`,
    )
    await expect(keysInFile(join(folder, 'none'), false).read()).rejects.toThrow('cannot be read')
  })

  test('gets a new first line, and keeps the others', async () => {
    const file = join(folder, 'keys')
    await writeFile(file, `${ENCRYPTION_KEY}\n`)
    const keys = keysInFile(file, false)
    await keys.add!()
    const [first, second, ...others] = (await readFile(file, 'utf8')).trim().split('\n')
    expect([second, others]).toEqual([ENCRYPTION_KEY, []])
    expect(first).not.toBe(second)
    expect(keyFileOf('/data')).toBe('/data/encryption.key')
  })

  test('keeps its owner, its permissions and a link to it', async () => {
    const real = join(folder, 'mounted')
    const file = join(folder, 'linked')
    await writeFile(real, `${ENCRYPTION_KEY}\n`)
    await chmod(real, 0o640)
    // Only root can run the command for a server that runs as another user.
    const isRoot = process.getuid?.() === 0
    if (isRoot) await chown(real, 4711, 4712)
    await symlink(real, file)
    await keysInFile(file, false).add!()
    const { mode, uid, gid } = await stat(real)
    expect(mode & 0o777).toBe(0o640)
    if (isRoot) expect([uid, gid]).toEqual([4711, 4712])
    expect((await lstat(file)).isSymbolicLink()).toBe(true)
    expect(await keysInFile(file, false).read()).toHaveLength(2)
  })

  test('says what to do if it cannot be changed, and leaves nothing behind', async () => {
    // There is no room for a longer name beside it.
    const file = join(folder, 'k'.repeat(250))
    await writeFile(file, `${ENCRYPTION_KEY}\n`)
    await expect(keysInFile(file, false).add!()).rejects.toThrow(
      `cannot be added to ${file} (ENAMETOOLONG): run this as the user who owns the file, or add`,
    )
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(await readFile(file, 'utf8')).toBe(`${ENCRYPTION_KEY}\n`)
  })
})
