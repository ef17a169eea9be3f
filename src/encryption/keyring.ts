import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { Database, Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import {
  insertKey,
  lockCurrent,
  type Purpose,
  selectCurrent,
  selectKey,
  selectKeys,
  type WrappedKey,
} from './queries.ts'
import {
  HOW_TO_MAKE_A_KEY,
  KeyError,
  MissingKeyError,
  type ServerKey,
  type ServerKeys,
} from './server-keys.ts'

/**
 * Encrypts secrets that the server has to read again, so that a copy of the database reveals none
 * of them (docs/design/encryption.md). `about` names the column and the row, and a value can only
 * be decrypted with the same `about`.
 */
export interface Keyring {
  /**
   * Creates the keys of a new database, and checks that all keys can be read. Throws a KeyError
   * that says what to do.
   */
  load(db: Database): Promise<void>
  /** `tx` must also write the value: until it ends, the key cannot be deleted. */
  encrypt(tx: Tx, about: string, text: string): Promise<Buffer>
  /** Like `encrypt`, for several values. */
  encryptAll(tx: Tx, values: readonly { about: string; text: string }[]): Promise<Buffer[]>
  /** Throws if the value was changed, or belongs to another row. */
  decrypt(db: Db, about: string, value: Buffer): Promise<string>
  /** Returns a keyed hash of a text, to find it without decrypting. */
  hashOf(db: Db, about: string, text: string): Promise<Buffer>
}

/** The first byte of every value. Values of another form will have another one. */
const VERSION = 2
const HEAD_BYTES = 5

/** Returns the first bytes of every value that is encrypted with this key. */
function headOf(keyId: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(VERSION)
  head.writeInt32BE(keyId, 1)
  return head
}

/** Returns the condition that a column has a value that is encrypted with this key, or with any. */
export const isEncryptedWith = (column: Sql, keyId: number | undefined): Sql =>
  keyId === undefined
    ? sql`${column} is not null`
    : sql`substring(${column} from 1 for ${HEAD_BYTES}::int) = ${headOf(keyId)}::bytea`

/** Opens the keys of one database. */
export function openKeyring(serverKeys: ServerKeys): Keyring {
  /** Numbers are never used again, and encrypting a key with another one does not change it. */
  const byId = new Map<number, KeyObject>()

  /** Reads the server's keys again if they do not include the one that is needed. */
  async function keyOf(row: WrappedKey): Promise<KeyObject> {
    const known = byId.get(row.id)
    if (known) return known
    const key = createSecretKey(unwrap(row, await serverKeys.read(), serverKeys.source))
    byId.set(row.id, key)
    return key
  }

  async function load(db: Database): Promise<void> {
    const before = await selectKeys(db)
    if (before.length === 0) await createKeys(db, serverKeys)
    for (const row of before.length > 0 ? before : await selectKeys(db)) await keyOf(row)
  }

  async function encrypt(tx: Tx, about: string, text: string): Promise<Buffer> {
    return (await encryptAll(tx, [{ about, text }]))[0]!
  }

  async function encryptAll(tx: Tx, values: readonly { about: string; text: string }[]) {
    // The first statement finds nothing if the key it has found is retired before it is locked.
    const row = (await lockCurrent(tx, 'data')) ?? (await lockCurrent(tx, 'data'))
    if (!row) throw noKeys()
    const key = await keyOf(row)
    return values.map(({ about, text }) =>
      Buffer.concat([headOf(row.id), encryptWith(key, about, Buffer.from(text))]),
    )
  }

  async function dataKey(db: Db, id: number): Promise<KeyObject> {
    const known = byId.get(id)
    if (known) return known
    const row = await selectKey(db, id)
    if (!row) throw new KeyError(`a value is encrypted with key ${id}, which does not exist`)
    return keyOf(row)
  }

  async function decrypt(db: Db, about: string, value: Buffer): Promise<string> {
    // The rest of `about` can be an email address, and the message is logged.
    const [column] = about.split(' ', 1)
    if (value.length < HEAD_BYTES || value[0] !== VERSION) {
      throw new KeyError(`a value of ${column} is not encrypted in a known form`)
    }
    const key = await dataKey(db, value.readInt32BE(1))
    try {
      return decryptWith(key, about, value.subarray(HEAD_BYTES)).toString('utf8')
    } catch (cause) {
      throw new KeyError(`a value of ${column} was changed, or belongs to another row`, { cause })
    }
  }

  /** It is never replaced, because all hashes would change. */
  let searchKey: KeyObject | undefined

  async function hashOf(db: Db, about: string, text: string): Promise<Buffer> {
    if (!searchKey) {
      const row = await selectCurrent(db, 'search')
      if (!row) throw noKeys()
      searchKey = await keyOf(row)
    }
    return createHmac('sha256', searchKey).update(`${about}\n${text}`).digest()
  }

  return { load, encrypt, encryptAll, decrypt, hashOf }
}

const noKeys = () => new KeyError('the database has no encryption keys: start the server first')

/**
 * Writes the first keys. If two servers start on a new database at the same time, both use the keys
 * that were stored first.
 */
async function createKeys(db: Database, serverKeys: ServerKeys): Promise<void> {
  let [first] = await serverKeys.read()
  if (!first && serverKeys.create) {
    await serverKeys.create()
    first = (await serverKeys.read())[0]
  }
  if (!first) throw new KeyError(`${serverKeys.source} is not set: ${HOW_TO_MAKE_A_KEY}`)
  const serverKey = first
  await db.transaction(async (tx) => {
    const now = new Date()
    await insertKey(tx, newKey(1, 'data', serverKey), now)
    await insertKey(tx, newKey(2, 'search', serverKey), now)
  })
}

export const newKey = (id: number, purpose: Purpose, serverKey: ServerKey) =>
  wrap({ id, purpose }, randomBytes(32), serverKey)

/** Returns what is wrong with the keys in the database that the server's keys cannot decrypt. */
export async function unreadableKeys(
  db: Db,
  serverKeys: ServerKeys,
): Promise<{ id: number; problem: string }[]> {
  const available = await serverKeys.read()
  const found: { id: number; problem: string }[] = []
  for (const row of await selectKeys(db)) {
    try {
      unwrap(row, available, serverKeys.source)
    } catch (error) {
      found.push({ id: row.id, problem: (error as Error).message })
    }
  }
  return found
}

/** Encrypts a key with the server's key. */
export const wrap = (
  { id, purpose }: Pick<WrappedKey, 'id' | 'purpose'>,
  key: Buffer,
  { bytes, fingerprint }: ServerKey,
) => ({
  id,
  purpose,
  wrapped_by: fingerprint,
  wrapped: encryptWith(bytes, aboutKey({ id, purpose }), key),
})

const aboutKey = ({ id, purpose }: Pick<WrappedKey, 'id' | 'purpose'>) =>
  `encryption_keys ${id} ${purpose}`

/**
 * Throws a MissingKeyError that names the server's key that is missing and those that there are.
 * Throws a KeyError if the row was changed.
 */
export function unwrap(row: WrappedKey, serverKeys: readonly ServerKey[], source: string): Buffer {
  const found = serverKeys.find(({ fingerprint }) => fingerprint.equals(row.wrapped_by))
  if (!found) {
    const wanted = row.wrapped_by.toString('hex')
    const present = serverKeys.map(({ fingerprint }) => fingerprint.toString('hex')).join(' and ')
    throw new MissingKeyError(
      `the database is encrypted with the key whose fingerprint is ${wanted}, but ${source} ` +
        `contains ${present || 'no key'}: restore that key from your copy`,
    )
  }
  try {
    return decryptWith(found.bytes, aboutKey(row), row.wrapped)
  } catch (cause) {
    throw new KeyError(`the key ${row.id} in encryption_keys was changed`, { cause })
  }
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Returns nonce, tag and ciphertext. `decryptWith` requires the same `about`. */
export function encryptWith(key: Buffer | KeyObject, about: string, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(Buffer.from(about))
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Throws unless `encrypted` is what `encryptWith` returned for this key and `about`. */
export function decryptWith(key: Buffer | KeyObject, about: string, encrypted: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(about))
  decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const plain = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([plain, decipher.final()])
}
