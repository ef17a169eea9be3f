import type { Database, Db } from '../db/database.ts'
import { keyCondition } from '../db/leases.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { Balance } from './connector/types.ts'

export function insertBalances(
  db: Database,
  { businessId, live }: Tenant,
  connectionId: number,
  balances: readonly Balance[],
  now: Date,
) {
  return db.run`
    insert into provider_balances
      (business_id, live, connection_id, currency, at, available_minor, pending_minor)
    select ${businessId}::bigint, ${live}::boolean, ${connectionId}::bigint, currency,
      ${now}::timestamptz, available_minor, pending_minor
    from unnest(
      ${balances.map(({ currency }) => currency)}::text[],
      ${balances.map(({ available_minor }) => available_minor)}::bigint[],
      ${balances.map(({ pending_minor }) => pending_minor)}::bigint[]
    ) as b (currency, available_minor, pending_minor)
    on conflict do nothing`
}

export interface RecordedBalance {
  connection_id: number
  currency: string
  at: Date
  available_minor: Minor
  pending_minor: Minor | null
}

/** Selects what each of a business's connections held when it was last asked. */
export const selectLatestBalances = (db: Db, { businessId, live }: Tenant) =>
  db.many<RecordedBalance>`
    select b.* from provider_connections c
    cross join lateral (
      select distinct on (currency) connection_id, currency, at, available_minor, pending_minor
      from provider_balances
      where business_id = ${businessId} and live = ${live} and connection_id = c.id
      order by currency, at desc
    ) b
    where c.business_id = ${businessId} and c.live = ${live}`

interface UnreadRow {
  id: number
  business_id: number
  live: boolean
}

/** Selects accounts with real providers whose balance has not been recorded since a time. */
export const selectUnread = (db: Db, since: Date, limit: number) => {
  // On several machines, a subquery cannot refer to the connection. It then reads the whole table.
  const isRead = db.isDivided
    ? sql`(c.business_id, c.live, c.id) in (
        select b.business_id, b.live, b.connection_id from provider_balances b
        where b.at > ${since})`
    : sql`exists (
        select from provider_balances b
        where b.business_id = c.business_id and b.live = c.live and b.connection_id = c.id
          and b.at > ${since})`
  return db.many<UnreadRow>`
    select c.id, c.business_id, c.live from provider_connections c
    where c.business_id is not null and c.status in ('Active', 'Paused') and not ${isRead}
    order by c.id limit ${limit}`
}

export interface BalanceKey {
  business_id: number
  live: boolean
  connection_id: number
  currency: string
  at: Date
}

/** Selects balances that were recorded before a time, and that are not the last of their day. */
export const selectOldBalances = (db: Db, before: Date, limit: number) =>
  db.many<BalanceKey>`
    select b.business_id, b.live, b.connection_id, b.currency, b.at
    from provider_connections c
    join provider_balances b
      on b.business_id = c.business_id and b.live = c.live and b.connection_id = c.id
    where b.at < ${before} and exists (
      select from provider_balances later
      where later.business_id = b.business_id and later.live = b.live
        and later.connection_id = b.connection_id and later.currency = b.currency
        and later.at > b.at and later.at < date_trunc('day', b.at, 'UTC') + interval '1 day')
    limit ${limit}`

const isBalance = keyCondition<BalanceKey>({
  connection_id: 'bigint',
  currency: 'char(3)',
  at: 'timestamptz',
})

export const deleteBalances = (db: Database, keys: readonly BalanceKey[]) =>
  db.run`delete from provider_balances where ${isBalance(keys)}`
