import type { Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { CONNECTION, type ConnectionRow } from './queries.ts'
import type { RouteRow, RouteRule } from './routing.ts'

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

export interface PayoutsStopRow {
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

export interface NewStop {
  by: string
  byOperator: boolean
  /** Whether it replaces a stop by someone in the business. */
  takesOver?: boolean
  reason: string
  now: Date
}

/** Returns nothing if payouts are stopped already, unless it takes over. */
export function insertStop(
  tx: Tx,
  { businessId, live }: Tenant,
  { by, byOperator, takesOver = false, reason, now }: NewStop,
) {
  return tx.maybe`
    insert into provider_settings as s (business_id, live, payouts_stopped_at, payouts_stopped_by,
      payouts_stop_reason, stopped_by_operator, updated_at)
    values (${businessId}, ${live}, ${now}, ${by}, ${reason}, ${byOperator}, ${now})
    on conflict (business_id, live) do update set
      payouts_stopped_at = excluded.payouts_stopped_at,
      payouts_stopped_by = excluded.payouts_stopped_by,
      payouts_stop_reason = excluded.payouts_stop_reason,
      stopped_by_operator = excluded.stopped_by_operator, updated_at = excluded.updated_at
    where s.payouts_stopped_at is null or ${takesOver}::boolean and not s.stopped_by_operator
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
export type Stops = 'all' | 'of the operator' | 'of the business'

/** What the operator has stopped, and what waits after a restore, is not the business's to end. */
const STOPS: Record<Stops, Sql> = {
  all: sql`true`,
  'of the operator': sql`stopped_by_operator`,
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
