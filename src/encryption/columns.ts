import type { Database, Db, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Keyring } from './keyring.ts'
import { KeyError } from './server-keys.ts'

/** The key of a row. A table without tenants uses one and the same tenant for all its rows. */
export interface EncryptedRow extends Tenant {
  id: number
}

/**
 * A column with encrypted values. Its own folder reads and writes it; the list of them all lets a
 * job and `tradepost rekey` rewrite the values. If a statement copies a value to another column, as
 * it is, that column comes later in the list: otherwise, a value that moves while rekey looks for
 * the last ones could be overlooked, and its key would be deleted.
 */
export interface EncryptedColumn {
  /** `table.column` */
  name: string
  /**
   * Selects values with any key, or with only one, in the order of their rows and from after one
   * row. `about` is what the value was encrypted about.
   */
  select(db: Db, query: ValuesQuery): Promise<EncryptedValue[]>
  /** Replaces a value unless it has changed meanwhile. Returns the number of replaced values. */
  update(tx: Tx, row: EncryptedValue, value: Buffer): Promise<number>
  /** Values that an earlier version stored, which a job replaces. */
  old?: OldValues
}

export interface ValuesQuery {
  keyId: number | undefined
  after: EncryptedRow
  limit: number
}

export interface EncryptedValue extends EncryptedRow {
  about: string
  value: Buffer
}

interface OldValues {
  select(db: Db, limit: number): Promise<OldValue[]>
  /** Does nothing if the old value is no longer there. */
  update(tx: Tx, row: ReadableValue, value: Buffer, keyring: Keyring): Promise<number>
}

interface OldValue extends EncryptedRow {
  about: string
  /** Undefined if it cannot be read. */
  text: string | undefined
  /** What the column contains, if that is not the text itself. */
  value?: Buffer
}

type ReadableValue = OldValue & { text: string }

const ROWS_MAX = 200

/**
 * Encrypts values that an earlier version stored. Returns how many it found. Throws a KeyError if
 * it found only values that cannot be read.
 */
export async function encryptOld(
  db: Database,
  keyring: Keyring,
  { name, old }: EncryptedColumn,
): Promise<number> {
  const rows = old ? await old.select(db, ROWS_MAX) : []
  if (!old || rows.length === 0) return 0
  const readable = rows.filter((row): row is ReadableValue => row.text !== undefined)
  if (readable.length === 0) {
    throw new KeyError(`values in ${name} that an earlier version encrypted cannot be read`)
  }
  await db.transaction(async (tx) => {
    for (const row of readable) {
      await old.update(tx, row, await keyring.encrypt(tx, row.about, row.text), keyring)
    }
  })
  return readable.length
}

/** Before the first row. */
const FIRST: EncryptedRow = { businessId: 0, live: false, id: 0 }

/** Yields all values of a column, a limited number at a time. */
export async function* valuesIn(
  db: Db,
  column: EncryptedColumn,
  keyId?: number,
): AsyncGenerator<EncryptedValue[]> {
  for (let after = FIRST; ; ) {
    const rows = await column.select(db, { keyId, after, limit: ROWS_MAX })
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_MAX) return
    after = rows.at(-1)!
  }
}

interface Unreadable extends EncryptedRow {
  column: string
  problem: string
}

/** Decrypts every value. Returns their number, and those that were changed or copied. */
export async function readAll(db: Db, keyring: Keyring, columns: readonly EncryptedColumn[]) {
  let count = 0
  const unreadable: Unreadable[] = []
  for (const column of columns) {
    for await (const rows of valuesIn(db, column)) {
      count += rows.length
      for (const { businessId, live, id, about, value } of rows) {
        await keyring.decrypt(db, about, value).catch((error: unknown) => {
          if (!(error instanceof KeyError)) throw error
          const problem = error.message
          unreadable.push({ column: column.name, businessId, live, id, problem })
        })
      }
    }
  }
  return { count, unreadable }
}
