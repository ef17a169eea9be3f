import type { Tenant } from '../lib/caller.ts'
import type { Db, Tx } from './database.ts'
import { type Sql, sql } from './sql.ts'

/** Whose personal data is erased. */
export interface Customer extends Tenant {
  /** In lower case. */
  email: string
}

/** The ids of the customer's records that were found so far, by the name of their kind. */
export type FoundRecords = ReadonlyMap<string, readonly number[]>

/** Where one kind of record contains personal data of customers, and how to erase it. */
export interface PersonalData {
  /** The kind of record, as in the result of the command. */
  name: string
  /** Finds the records that contain the customer's data. */
  find(db: Db, customer: Customer, found: FoundRecords): Promise<number[]>
  /**
   * Returns the ids of those of these records that have the customer's email address now, and locks
   * them in a transaction; for kinds of records whose address can be changed.
   */
  lock?(db: Db, customer: Customer, ids: readonly number[]): Promise<number[]>
  /** A condition on records that are not finished, and whose data is still needed. */
  open?: { table: Sql; condition: Sql; words: string }
  /**
   * Replaces the email address of the customer with the pseudonym and removes all other personal
   * data from these records. Returns how many records it changed.
   */
  erase(
    tx: Tx,
    customer: Customer,
    ids: readonly number[],
    pseudonym: string,
    found: FoundRecords,
  ): Promise<number>
}

/** Reading a page takes some 20 ms. */
const PAGE = 20_000

/**
 * Returns the ids of a tenant's rows that match a condition, in pages, so that no statement is long
 * and no index is needed. `key` is the column that comes after the tenant in the primary key.
 */
export async function idsWhere(
  db: Db,
  { businessId, live }: Tenant,
  { table, match, key = sql`id` }: { table: Sql; match: Sql; key?: Sql },
): Promise<number[]> {
  const ids: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page: { last: number | null; hits: number[] | null } = await db.one`
      select max(id) as last, json_agg(id) filter (where is_hit) as hits from (
        select ${key} as id, ${match} as is_hit from ${table}
        where business_id = ${businessId} and live = ${live} and ${key} > ${after}::bigint
        order by ${key} limit ${PAGE}
      ) as page`
    ids.push(...(page.hits ?? []))
    after = page.last
  }
  return ids
}

/** A condition on the column `customer_email`. */
export const isOfCustomer = ({ email }: Customer): Sql => sql`lower(customer_email) = ${email}`

/** The ids of all records of these kinds. */
export const idsOf = (found: FoundRecords, ...kinds: string[]): number[] =>
  (kinds.length > 0 ? kinds : [...found.keys()]).flatMap((kind) => found.get(kind) ?? [])

/** Replaces text that has to be there. */
export const ERASED = 'Erased'
