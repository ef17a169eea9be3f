import type { Database, Tx } from '../db/database.ts'
import { type EncryptedColumn, valuesIn } from './columns.ts'
import { type Keyring, newKey, unwrap, wrap } from './keyring.ts'
import {
  deleteKey,
  insertKey,
  lockKeys,
  lockRekey,
  lockUnused,
  selectKeys,
  unlockRekey,
  updateRetired,
  updateWrapped,
  type WrappedKey,
} from './queries.ts'
import { KeyError, type ServerKey, type ServerKeys } from './server-keys.ts'

export interface Rekeyed {
  /** Whether an earlier, interrupted run was continued. */
  isContinued: boolean
  /** The fingerprint of the server's key before and now. They differ if it was replaced. */
  before: string
  now: string
  /** How many values of each column were encrypted again. */
  values: Record<string, number>
}

/**
 * Encrypts the keys in the database with the server's first key, and all values with a new key.
 * Servers can keep running. Interrupted at any point, the next call continues. Throws a KeyError.
 */
export function rekey(
  db: Database,
  keyring: Keyring,
  serverKeys: ServerKeys,
  columns: readonly EncryptedColumn[],
): Promise<Rekeyed> {
  return db.withClient(async (client) => {
    // Two runs that add a key to the file at once could overwrite the key that one of them uses.
    if (!(await lockRekey(client))) throw new KeyError('tradepost rekey is already running')
    try {
      return await rekeyAlone(db, keyring, serverKeys, columns)
    } finally {
      await unlockRekey(client)
    }
  })
}

async function rekeyAlone(
  db: Database,
  keyring: Keyring,
  serverKeys: ServerKeys,
  columns: readonly EncryptedColumn[],
): Promise<Rekeyed> {
  await keyring.load(db)
  await addServerKey(db, serverKeys)
  const begun = await begin(db, serverKeys)
  const values: Record<string, number> = {}
  for (const old of begun.retired) {
    for (let isDeleted = false; !isDeleted; ) {
      for (const column of columns) {
        values[column.name] = (values[column.name] ?? 0) + (await rewrite(db, keyring, column, old))
      }
      isDeleted = await remove(db, columns, old)
    }
  }
  const { isContinued, before, now } = begun
  return { isContinued, before, now, values }
}

/**
 * Adds a key to the server's file, unless the operator or an interrupted run has already put a key
 * there that the database does not use yet. Servers read the file again when they meet its key.
 */
async function addServerKey(db: Database, serverKeys: ServerKeys): Promise<void> {
  const [first] = await serverKeys.read()
  const keys = await selectKeys(db)
  const isUnfinished = keys.some(({ retired_at }) => retired_at !== null)
  const isUsed = keys.some(({ wrapped_by }) => first?.fingerprint.equals(wrapped_by))
  if (isUsed && !isUnfinished) await serverKeys.add?.()
}

interface Begun extends Pick<Rekeyed, 'isContinued' | 'before' | 'now'> {
  retired: number[]
}

/** Makes a new key current. From then on, nothing is written with the old one. */
async function begin(db: Database, serverKeys: ServerKeys): Promise<Begun> {
  const available = await serverKeys.read()
  const [first] = available
  if (!first) throw new KeyError(`${serverKeys.source} contains no key`)
  return db.transaction(async (tx) => {
    const keys = await lockKeys(tx)
    const isContinued = keys.some(({ retired_at }) => retired_at !== null)
    const before = keys[0]!.wrapped_by.toString('hex')
    for (const row of keys) {
      if (row.wrapped_by.equals(first.fingerprint)) continue
      await updateWrapped(tx, wrap(row, unwrap(row, available, serverKeys.source), first))
    }
    if (!isContinued) await replaceData(tx, keys, first)
    const all = await selectKeys(tx)
    const retired = all.filter(({ retired_at }) => retired_at !== null).map(({ id }) => id)
    return { isContinued, before, now: first.fingerprint.toString('hex'), retired }
  })
}

async function replaceData(
  tx: Tx,
  keys: readonly WrappedKey[],
  serverKey: ServerKey,
): Promise<void> {
  const now = new Date()
  const current = keys.find(({ purpose }) => purpose === 'data')!
  await updateRetired(tx, current.id, now)
  await insertKey(tx, newKey(keys.at(-1)!.id + 1, 'data', serverKey), now)
}

/** Encrypts a column's values under one key with the current key. Returns how many there were. */
async function rewrite(
  db: Database,
  keyring: Keyring,
  column: EncryptedColumn,
  keyId: number,
): Promise<number> {
  let count = 0
  for await (const rows of valuesIn(db, column, keyId)) {
    count += await db.transaction(async (tx) => {
      let replaced = 0
      for (const row of rows) {
        const text = await keyring.decrypt(tx, row.about, row.value)
        const value = await keyring.encrypt(tx, row.about, text)
        // A value that changed meanwhile is already encrypted with a newer key.
        replaced += await column.update(tx, row, value)
      }
      return replaced
    })
  }
  return count
}

/** No index finds the values of a key in the small tables. */
const SCAN_MS = 120_000

/**
 * Deletes a retired key unless a value still needs it. The lock waits for transactions that took
 * the key before it was retired, so that their values are seen.
 */
async function remove(
  db: Database,
  columns: readonly EncryptedColumn[],
  keyId: number,
): Promise<boolean> {
  // On Citus, the lock would stop all who encrypt. Once it was free, nobody uses the key any more.
  if (db.isDivided) await db.transaction((tx) => lockUnused(tx, keyId))
  return db.transaction(
    async (tx) => {
      if (!db.isDivided) await lockUnused(tx, keyId)
      for (const column of columns) {
        for await (const _rows of valuesIn(tx, column, keyId)) return false
      }
      await deleteKey(tx, keyId)
      return true
    },
    { statementMs: SCAN_MS },
  )
}
