import { addMs } from '../lib/clock.ts'
import { Sql, sql } from './sql.ts'

/** Longer than any lease. */
const LEASE_MAX_MS = 60 * 60_000

/**
 * Returns a condition that is true if a row is free: its lease was never taken, has expired, or
 * ends later than any lease can. The last case occurs if the clock of the process that took the
 * lease was ahead.
 */
export const isLeaseFree = (leaseUntil: Sql, serverNow: Date): Sql =>
  sql`(${leaseUntil} is null or ${leaseUntil} <= ${serverNow}
    or ${leaseUntil} > ${addMs(serverNow, LEASE_MAX_MS)})`

/** How often to look again if other processes took all the rows that were found. */
const TRIES_MAX = 3

/**
 * Finds due rows and takes them in two steps, because a statement that locks or writes has to name
 * its businesses (docs/design/statements.md). `find` only reads. `take` locks or changes the rows
 * that still meet the condition, and skips those that another process has locked.
 */
export async function takeDue<Key, Row>(
  find: () => Promise<Key[]>,
  take: (keys: Key[]) => Promise<Row[]>,
): Promise<Row[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const keys = await find()
    if (keys.length === 0) break
    const rows = await take(keys)
    if (rows.length > 0) return rows
  }
  return []
}

interface TenantKey {
  business_id: number
  live: boolean
}

/** The key of most tables. */
export interface RowKey extends TenantKey {
  id: number
}

/**
 * Returns a condition on rows by their keys, which begin with the business and the mode. `types`
 * are the types of the other columns, in order.
 */
export function keyCondition<Key extends TenantKey>(
  types: Record<Exclude<keyof Key, keyof TenantKey>, string>,
): (keys: readonly Key[]) => Sql {
  const columns = Object.entries<string>({ business_id: 'bigint', live: 'boolean', ...types })
  const names = columns.map(([name]) => name) as (keyof Key)[]
  const ends = columns.map(([, type]) => `::${type}[]`)
  const strings = [
    `(${names.join(', ')}) in (select * from unnest(`,
    ...ends.slice(0, -1).map((end) => `${end}, `),
    `${ends.at(-1)}))`,
  ]
  return (keys) =>
    new Sql(
      strings,
      names.map((name) => keys.map((key) => key[name])),
    )
}

/** Returns the condition for tables with the most common key. */
export const isOneOf = keyCondition<RowKey>({ id: 'bigint' })
