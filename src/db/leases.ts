import { addMs } from '../lib/clock.ts'
import type { Db } from './database.ts'
import { groupsFor } from './distributed/rewrite.ts'
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
 * that still meet the condition, and skips those that another process has locked. If the tables are
 * divided among machines, it is called once for each business.
 */
export async function takeDue<Key extends { business_id: number }, Row>(
  db: Pick<Db, 'isDivided'>,
  find: () => Promise<Key[]>,
  take: (keys: Key[]) => Promise<Row[]>,
): Promise<Row[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const keys = await find()
    if (keys.length === 0) break
    const rows: Row[] = []
    for (const group of groupsFor(db, keys, (key) => key.business_id)) {
      for (const row of await take(group)) rows.push(row)
    }
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

/** How many times to look for rows of other businesses. */
const LOOKS_MAX = 4
/** Looking for others takes at most about a tenth of the time, however many rows are due. */
const REST_FACTOR = 10
const LOOK_MS = 5

/** When to look for rows of other businesses again, by the database and the kind of row. */
const looks = new WeakMap<object, Map<string, number>>()

/**
 * Finds due rows such that a business with thousands of them delays those of the others by one
 * batch. `find` selects up to `limit` rows in the order in which they became due. If there are
 * more, the rows of other businesses are also looked for, and the businesses take turns, those with
 * the fewest rows first. If nobody has many rows, this is one statement.
 */
export async function findFairly<Row extends { business_id: number }>(
  db: object,
  kind: string,
  limit: number,
  find: (isOther: Sql) => Promise<Row[]>,
): Promise<Row[]> {
  const rows = await find(sql`true`)
  const times = looks.get(db) ?? new Map<string, number>()
  looks.set(db, times)
  const began = performance.now()
  if (rows.length < limit || began < (times.get(kind) ?? 0)) return rows
  let found = rows
  for (let i = 1; i < LOOKS_MAX && found.length >= limit; i++) {
    const seen = [...new Set(rows.map(({ business_id }) => business_id))]
    found = await find(sql`business_id <> all(${seen}::bigint[])`)
    rows.push(...found)
  }
  const tookMs = performance.now() - began
  times.set(kind, tookMs > LOOK_MS ? began + REST_FACTOR * tookMs : 0)
  return inTurns(rows, limit)
}

/** Takes a row of each business in turn, until there are enough. */
function inTurns<Row extends { business_id: number }>(rows: readonly Row[], limit: number): Row[] {
  const owners = [...Map.groupBy(rows, ({ business_id }) => business_id).values()]
  owners.sort((left, right) => left.length - right.length)
  const turns = owners.flatMap((own) => own.map((row, turn) => ({ row, turn })))
  turns.sort((left, right) => left.turn - right.turn)
  return turns.slice(0, limit).map(({ row }) => row)
}
