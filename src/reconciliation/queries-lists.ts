import type { Db } from '../db/database.ts'
import { all, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { Cursor } from '../lib/paging.ts'
import { isUnresolvedAt } from '../provider-orders/decisions.ts'
import type { DifferenceRow } from '../provider-orders/differences.ts'
import type { OrderKey, OrderRow } from '../provider-orders/orders.ts'

interface DifferenceFilter {
  status: string | undefined
  class: string | undefined
  kind: string | undefined
  connectionId: number | undefined
  day: string | undefined
}

const NAMED = sql`d.id, d.reference, d.connection_id, d.kind, d.class, d.field, d.source,
  d.provider_id, d.subject_kind, d.subject_id, d.attempt, d.ours_minor, d.theirs_minor, d.currency,
  d.evidence, d.day::text as day, d.status, d.resolution, d.reason, d.closed_by,
  d.closed_with_journal, d.proposed_resolution, d.proposed_reason, d.proposed_by,
  d.proposed_by_id, d.proposed_at, d.first_seen_at, d.last_seen_at, d.closed_at,
  o.reference as order_reference`

const JOIN_ORDER = sql`left join provider_orders o
  on o.business_id = d.business_id and o.live = d.live and o.kind = d.subject_kind
    and o.subject_id = d.subject_id and o.attempt = d.attempt`

/** Selects differences, newest first, with the reference of the record that each is about. */
export function selectDifferences(
  db: Db,
  { businessId, live }: Tenant,
  filter: DifferenceFilter,
  cursor: Cursor | undefined,
  take: number,
) {
  const place = cursor && sql`(${cursor.created_at}::timestamptz, ${cursor.id}::bigint)`
  const wanted = all([
    sql`d.business_id = ${businessId} and d.live = ${live}`,
    filter.status === undefined ? undefined : sql`d.status = ${filter.status}`,
    filter.class === undefined ? undefined : sql`d.class = ${filter.class}`,
    filter.kind === undefined ? undefined : sql`d.kind = ${filter.kind}`,
    filter.connectionId === undefined ? undefined : sql`d.connection_id = ${filter.connectionId}`,
    filter.day === undefined ? undefined : sql`d.day = ${filter.day}`,
    place &&
      (cursor.back
        ? sql`(d.first_seen_at, d.id) > ${place}`
        : sql`(d.first_seen_at, d.id) < ${place}`),
  ])
  const order = cursor?.back ? sql`d.first_seen_at, d.id` : sql`d.first_seen_at desc, d.id desc`
  return db.many<DifferenceRow & Named>`
    select ${NAMED}
    from provider_differences d ${JOIN_ORDER}
    where ${wanted} order by ${order} limit ${take}`
}

export interface Named {
  order_reference: string | null
}

export const selectNamedDifference = (db: Db, { businessId, live }: Tenant, reference: string) =>
  db.maybe<DifferenceRow & Named>`
    select ${NAMED}
    from provider_differences d ${JOIN_ORDER}
    where d.business_id = ${businessId} and d.live = ${live} and d.reference = ${reference}`

// ------------------------------------------------------------------------------- unresolved

export interface UnresolvedRow extends OrderRow {
  attention_at: Date | null
  last_outcome: string | null
  last_code: string | null
  last_message: string | null
  next_at: Date | null
  fee_minor: Minor | null
  total: number
}

const UNRESOLVED = sql`o.business_id, o.live, o.kind, o.subject_id, o.attempt, o.reference,
  o.connection_id, o.sent_reference, o.provider_id, o.provider_session, o.amount_minor, o.currency,
  o.state, o.tries, o.sent_at, coalesce(o.last_sent_at, o.sent_at) as last_sent_at, o.absent_since,
  o.is_refused, o.not_now_count, o.not_now_since, o.attention, o.created_at, o.ended_at,
  o.attention_at, o.last_outcome, o.last_code, o.last_message, o.next_at, o.fee_minor`

interface UnresolvedFilter {
  kind: string | undefined
  connectionId: number | undefined
  now: Date
  offset: number
  take: number
}

/** Selects orders that nobody knows the outcome of, or that need a person, oldest first. */
export function selectUnresolved(
  db: Db,
  { businessId, live }: Tenant,
  { kind, connectionId, now, offset, take }: UnresolvedFilter,
) {
  const wanted = all([
    sql`o.business_id = ${businessId} and o.live = ${live} and ${isUnresolvedAt(now)}`,
    kind === undefined ? undefined : sql`o.kind = ${kind}`,
    connectionId === undefined ? undefined : sql`o.connection_id = ${connectionId}`,
  ])
  return db.many<UnresolvedRow>`
    select ${UNRESOLVED}, count(*) over () as total from provider_orders o where ${wanted}
    order by coalesce(o.last_sent_at, o.sent_at, o.attention_at), o.kind, o.subject_id, o.attempt
    offset ${offset} limit ${take}`
}

export interface CallRow {
  attempt: number
  operation: string
  status: number | null
  outcome: string
  duration_ms: number
  request: string | null
  response: string | null
  at: Date
}

/** Selects the latest exchanges with providers about a record, newest first. */
export const selectCalls = (
  db: Db,
  { businessId, live }: Tenant,
  { kind, subject_id }: Pick<OrderKey, 'kind' | 'subject_id'>,
) =>
  db.many<CallRow>`
    select attempt, operation, status, outcome, duration_ms, request, response, at
    from provider_calls
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and subject_id = ${subject_id}
    order by at desc, id desc limit 100`

/** Selects one order, resolved or not. */
export const selectOne = (
  db: Db,
  { businessId, live }: Tenant,
  { kind, subject_id, attempt }: Omit<OrderKey, 'attempt'> & { attempt: number | undefined },
) =>
  db.maybe<UnresolvedRow>`
    select ${UNRESOLVED}, 1 as total from provider_orders o
    where o.business_id = ${businessId} and o.live = ${live} and o.kind = ${kind}
      and o.subject_id = ${subject_id}
      and (${attempt ?? null}::integer is null and o.state is distinct from 'Moved'
        or o.attempt = ${attempt ?? null})
    order by o.attempt desc limit 1`
