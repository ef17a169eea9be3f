import type { Db, Tx } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { EncryptedColumn, EncryptedRow, EncryptedValue, ValuesQuery } from './columns.ts'
import { isEncryptedWith, type Keyring } from './keyring.ts'

/**
 * The numbers of bank accounts that money is paid out to. A row has the encrypted number, a keyed
 * hash of it, by which it is found, and its last four digits, which people recognise.
 */
export interface EncryptedNumber {
  account_encrypted: Buffer
  account_hash: Buffer
  account_last4: string
}

/** What a row has: a job encrypts numbers that an earlier version stored. */
export interface StoredNumber {
  account_encrypted: Buffer | null
  account_hash: Buffer | null
  account_last4: string | null
  account_number_plain: string | null
}

/** The columns of a `StoredNumber`. */
export const NUMBER_COLUMNS = sql`account_encrypted, account_hash, account_last4,
  account_number_plain`

/** The migration after which rows are protected with `NUMBER_CONTENT`. */
export const NUMBERS_SINCE = 71

/** What protects a row's number from being exchanged, in a JSON array. */
export const NUMBER_CONTENT = sql`coalesce(encode(account_hash, 'hex'), account_number_plain)`

const aboutNumber = (table: string, { businessId, live, id }: EncryptedRow) =>
  `${table}.account_number ${businessId} ${live ? 'live' : 'test'} ${id}`

/** `tx` must also write the row: until it ends, the key cannot be deleted. */
export const encryptNumber = async (
  tx: Tx,
  keyring: Keyring,
  table: string,
  row: EncryptedRow,
  number: string,
): Promise<EncryptedNumber> =>
  (await encryptNumbers(tx, keyring, table, [{ ...row, account_number: number }]))[0]!

/** Like `encryptNumber`, for several rows. */
export async function encryptNumbers(
  tx: Tx,
  keyring: Keyring,
  table: string,
  rows: readonly (EncryptedRow & { account_number: string })[],
): Promise<EncryptedNumber[]> {
  const values = rows.map((row) => ({ about: aboutNumber(table, row), text: row.account_number }))
  const encrypted = await keyring.encryptAll(tx, values)
  const numbers: EncryptedNumber[] = []
  for (const [i, row] of rows.entries()) {
    numbers.push({
      account_encrypted: encrypted[i]!,
      account_hash: await hashOfNumber(tx, keyring, row, row.account_number),
      account_last4: lastFour(row.account_number),
    })
  }
  return numbers
}

export const lastFour = (number: string): string => number.slice(-4)

/** How people read an account's number. */
export const shownNumber = (last4: string): string => `•••• ${last4}`

/** Equal for equal numbers of one business and mode, in every table. */
export const hashOfNumber = (
  db: Db,
  keyring: Keyring,
  { businessId, live }: Tenant,
  number: string,
): Promise<Buffer> =>
  keyring.hashOf(db, `account_number ${businessId} ${live ? 'live' : 'test'}`, number)

/** Returns a row's number. Throws if the row has none, or another row's. */
export async function numberIn(
  db: Db,
  keyring: Keyring,
  table: string,
  row: EncryptedRow & StoredNumber,
): Promise<string> {
  const { account_encrypted: value, account_number_plain: plain } = row
  if (value) return keyring.decrypt(db, aboutNumber(table, row), value)
  if (plain === null) throw new Error(`${aboutNumber(table, row)} is missing`)
  return plain
}

interface NumberTable {
  table: string
  /** The column that is the row's id. Default: `id`. */
  idColumn?: string
  /** Updates what depends on the number of a row that the job has encrypted. */
  encrypted(tx: Tx, row: EncryptedRow): Promise<unknown>
}

/** Describes the numbers of a table, whose folder writes them, for the job and `rekey`. */
export function numberColumn({ table, idColumn = 'id', encrypted }: NumberTable): EncryptedColumn {
  const from = new Sql([table], [])
  const id = new Sql([idColumn], [])
  const key = sql`business_id as "businessId", live, ${id} as id`
  const named = <Row extends EncryptedRow>(row: Row) => ({ ...row, about: aboutNumber(table, row) })
  const isRow = ({ businessId, live, id: of }: EncryptedRow): Sql =>
    sql`business_id = ${businessId} and live = ${live} and ${id} = ${of}`
  return {
    name: `${table}.account_encrypted`,
    async select(db, { keyId, after, limit }: ValuesQuery) {
      const rows = await db.many<EncryptedRow & { value: Buffer }>`
        select ${key}, account_encrypted as value from ${from}
        where (business_id, live, ${id}) > (${after.businessId}, ${after.live}, ${after.id})
          and ${isEncryptedWith(sql`account_encrypted`, keyId)}
        order by business_id, live, ${id} limit ${limit}`
      return rows.map(named)
    },
    update: (tx, row: EncryptedValue, value) => tx.run`
      update ${from} set account_encrypted = ${value}
      where ${isRow(row)} and account_encrypted = ${row.value}`,
    old: {
      async select(db, limit) {
        const rows = await db.many<EncryptedRow & { text: string }>`
          select ${key}, account_number_plain as text from ${from}
          where account_number_plain is not null limit ${limit}`
        return rows.map(named)
      },
      async update(tx, row, value, keyring) {
        const hash = await hashOfNumber(tx, keyring, row, row.text)
        const count = await tx.run`
          update ${from}
          set account_encrypted = ${value}, account_hash = ${hash},
            account_last4 = ${lastFour(row.text)}, account_number_plain = null
          where ${isRow(row)} and account_number_plain = ${row.text}`
        if (count > 0) await encrypted(tx, row)
        return count
      },
    },
  }
}
