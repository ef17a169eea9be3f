import { readInBatches } from '../db/batch.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { keyCondition } from '../db/leases.ts'
import { plainArray } from '../db/pg-arrays.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { Balance, Connection, ConnectionSettings, ProviderName } from './connector/types.ts'
import type { Paused, PauseKey } from './pauses.ts'
import type { RouteRow, RouteRule } from './routing.ts'

export interface ConnectionRow {
  connection_id: number
  provider: ProviderName
  business_id: number | null
  live: boolean
  environment: Connection['environment']
  status: Connection['status']
  name: string
  base_url: string
  settings: Partial<ConnectionSettings>
  /** Only of a connection that is read alone. */
  credentials_since?: Date | null
}

const CONNECTION = sql`c.id as connection_id, c.provider, c.business_id, c.live,
  c.environment, c.status, c.name, c.base_url, c.settings`

/** Selects a connection, whatever its status: it is still asked about the orders that it has. */
export function selectConnection(db: Db, id: number) {
  return db.maybe<ConnectionRow>`
    select ${CONNECTION}, (
        select max(k.created_at) from provider_credentials k
        where k.connection_id = c.id and k.version > 1
      ) as credentials_since
    from provider_connections c where c.id = ${id}`
}

/** Selects the routes of some businesses, including those to connections that are paused. */
export function selectRoutes(db: Db, tenants: readonly Tenant[]) {
  return db.many<RouteRow & { n: number }>`
    select n, r.service, r.currency, r.priority, r.weight, r.least_minor, r.most_minor, r.banks,
      r.is_active, ${CONNECTION}
    from unnest(
      ${plainArray(tenants.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(tenants.map(({ live }) => live))}::boolean[]
    ) with ordinality as i (business_id, live, n)
    join provider_routes r using (business_id, live)
    join provider_connections c on c.id = r.connection_id
    where r.is_active and c.live = r.live
      and (c.business_id = r.business_id or c.business_id is null)`
}

export const routesInBatch = readInBatches<Tenant, RouteRow>(
  ({ businessId }) => businessId,
  selectRoutes,
)

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

export interface PauseRow {
  id: number
  business_id: number | null
  live: boolean | null
  what: Paused
  reason: string
  paused_by: string
  paused_at: Date
}

export const selectPauses = (db: Db) =>
  db.many<PauseRow>`
    select id, business_id, live, what, reason, paused_by, paused_at from pauses
    order by paused_at, id`

interface NewPause extends PauseKey {
  id: number
  by: string
  reason: string
  now: Date
}

/** Returns nothing if the same is paused already. */
export const insertPause = (tx: Tx, { id, businessId, live, what, by, reason, now }: NewPause) =>
  tx.maybe`
    insert into pauses (id, business_id, live, what, reason, paused_by, paused_at)
    values (${id}, ${businessId}, ${live}, ${what}, ${reason}, ${by}, ${now})
    on conflict do nothing returning id`

export const deletePause = (tx: Tx, { businessId, live, what }: PauseKey) =>
  tx.maybe`
    delete from pauses
    where what = ${what} and business_id is not distinct from ${businessId}
      and live is not distinct from ${live}
    returning id`

/** A stop of payouts, or a connection to a provider that is paused. */
interface StopRow {
  what: 'payouts' | 'connection'
  business_id: number
  live: boolean
  /** Of a connection. */
  connection_id: number | null
  name: string | null
  reason: string | null
  /** Who stopped payouts. */
  stopped_by: string | null
  is_operators: boolean
  at: Date
}

const PAYOUTS = sql`
  select 'payouts' as what, business_id, live, null::bigint as connection_id, null as name,
    payouts_stop_reason as reason, payouts_stopped_by as stopped_by,
    stopped_by_operator or refunds_stopped as is_operators, payouts_stopped_at as at
  from provider_settings where payouts_stopped_at is not null`

const CONNECTIONS = sql`
  select 'connection' as what, business_id, live, id, name, status_reason, null, false,
    coalesce(status_at, updated_at) as at
  from provider_connections where status = 'Paused'`

/** Selects the stops of all businesses, the latest first. */
export const selectStops = (db: Db, limit: number) =>
  db.many<StopRow>`
    ${PAYOUTS} union all ${CONNECTIONS} order by at desc, business_id, live limit ${limit}`

/** Selects the stops of one business, the latest first. */
export const selectStopsOf = (db: Db, { businessId, live }: Tenant) =>
  db.many<StopRow>`
    ${PAYOUTS} and business_id = ${businessId} and live = ${live}
    union all ${CONNECTIONS} and business_id = ${businessId} and live = ${live}
    order by at desc, connection_id`

const ROUTE = sql`r.service, r.currency, r.priority, r.weight, r.least_minor, r.most_minor, r.banks,
  r.is_active`

/** Selects all routes of a business, also those that are off or lead to a removed connection. */
export function selectAllRoutes(db: Db, { businessId, live }: Tenant) {
  return db.many<RouteRow>`
    select ${ROUTE}, ${CONNECTION}
    from provider_routes r join provider_connections c on c.id = r.connection_id
    where r.business_id = ${businessId} and r.live = ${live}
    order by r.service, r.currency, r.priority, r.id`
}

/** Selects the connections that a business can route to. */
export function selectConnectionsOf(db: Db, { businessId, live }: Tenant) {
  return db.many<ConnectionRow>`
    select ${CONNECTION} from provider_connections c
    where (c.business_id = ${businessId} or c.business_id is null) and c.live = ${live}
      and c.status <> 'Removed'`
}

/** Makes sure that a business has a row of settings, and locks it. */
export function lockSettings(tx: Tx, { businessId, live }: Tenant, now: Date) {
  return tx.run`
    insert into provider_settings (business_id, live, updated_at)
    values (${businessId}, ${live}, ${now})
    on conflict (business_id, live) do update set updated_at = excluded.updated_at`
}

export function deleteRoutes(tx: Tx, { businessId, live }: Tenant) {
  return tx.run`
    delete from provider_routes where business_id = ${businessId} and live = ${live}`
}

export function insertRoutes(
  tx: Tx,
  { businessId, live }: Tenant,
  routes: readonly (RouteRule & { id: number })[],
  now: Date,
) {
  const rows = routes.map(({ least_minor, most_minor, ...route }) => ({
    ...route,
    least_minor: `${least_minor}`,
    most_minor: most_minor === null ? null : `${most_minor}`,
  }))
  return tx.run`
    insert into provider_routes (business_id, live, id, service, currency, connection_id, priority,
      weight, least_minor, most_minor, banks, is_active, created_at, updated_at)
    select ${businessId}, ${live}, id, service, currency, "connectionId", priority, weight,
      least_minor, most_minor, banks, "isActive", ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id bigint, service text,
      currency text, "connectionId" bigint, priority integer, weight integer, least_minor bigint,
      most_minor bigint, banks text[], "isActive" boolean)`
}

interface PayoutsStopRow {
  payouts_stopped_at: Date
  payouts_stopped_by: string
  payouts_stop_reason: string
  is_operators: boolean
}

export function selectStop(db: Db, { businessId, live }: Tenant) {
  return db.maybe<PayoutsStopRow>`
    select payouts_stopped_at, payouts_stopped_by, payouts_stop_reason,
      stopped_by_operator or refunds_stopped as is_operators
    from provider_settings
    where business_id = ${businessId} and live = ${live} and payouts_stopped_at is not null`
}

/** A restore stops payouts at the time that it notes. */
const isOfRestore = (stoppedAt: Sql) => sql`${stoppedAt} in (select restored_at from restores)`

export interface NewStop {
  by: string
  byOperator: boolean
  /** Whether it replaces a stop by someone in the business, or by a restore. */
  takesOver?: boolean
  reason: string
  now: Date
}

/** Returns nothing if payouts are stopped already, unless it takes over. */
export async function insertStop(
  tx: Tx,
  { businessId, live }: Tenant,
  { by, byOperator, takesOver = false, reason, now }: NewStop,
) {
  const written = await tx.maybe`
    insert into provider_settings as s (business_id, live, payouts_stopped_at, payouts_stopped_by,
      payouts_stop_reason, stopped_by_operator, updated_at)
    values (${businessId}, ${live}, ${now}, ${by}, ${reason}, ${byOperator}, ${now})
    on conflict (business_id, live) do update set
      payouts_stopped_at = excluded.payouts_stopped_at,
      payouts_stopped_by = excluded.payouts_stopped_by,
      payouts_stop_reason = excluded.payouts_stop_reason,
      stopped_by_operator = excluded.stopped_by_operator, updated_at = excluded.updated_at
    where s.payouts_stopped_at is null
    returning business_id`
  if (written || !takesOver) return written
  // Citus refuses the subquery in the statement above.
  return tx.maybe`
    update provider_settings
    set payouts_stopped_at = ${now}, payouts_stopped_by = ${by}, payouts_stop_reason = ${reason},
      stopped_by_operator = ${byOperator}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live}
      and (not stopped_by_operator or ${isOfRestore(sql`payouts_stopped_at`)})
    returning business_id`
}

/** Lets refunds wait as long as payouts are stopped. */
export function updateRefundsStopped(tx: Tx, { businessId, live }: Tenant, now: Date) {
  return tx.run`
    update provider_settings set refunds_stopped = true, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and payouts_stopped_at is not null`
}

/** Lets refunds go out again, even if someone in the business has stopped payouts. */
export function deleteRefundsStop(tx: Tx, { businessId, live }: Tenant, now: Date) {
  return tx.run`
    update provider_settings set refunds_stopped = false, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and refunds_stopped`
}

/** Whose stops are ended. */
export type Stops = 'all' | 'of the operator' | 'of a restore' | 'of the business'

/** What the operator has stopped, and what waits after a restore, is not the business's to end. */
const STOPS: Record<Stops, Sql> = {
  all: sql`true`,
  'of the operator': sql`stopped_by_operator`,
  'of a restore': isOfRestore(sql`payouts_stopped_at`),
  'of the business': sql`not stopped_by_operator and not refunds_stopped`,
}

export function deleteStop(tx: Tx, { businessId, live }: Tenant, stops: Stops, now: Date) {
  return tx.maybe`
    update provider_settings
    set payouts_stopped_at = null, payouts_stopped_by = null, payouts_stop_reason = null,
      stopped_by_operator = false, refunds_stopped = false, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and payouts_stopped_at is not null
      and ${STOPS[stops]}
    returning business_id`
}
