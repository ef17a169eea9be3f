import type { Tx } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Minor } from '../lib/money.ts'
import { DEADLINE_MS_MAX } from '../providers/connector/http-connector.ts'
import { recordReferenceOf, sentReferenceOf } from '../providers/connector/references.ts'
import type { ClaimedOrder, OrderKindName } from './queries.ts'

/**
 * How long the process that claims an order has to send it. The order's only call must have ended
 * by then, because another process may look the order up, and later send it again.
 */
export const LEASE_MS = DEADLINE_MS_MAX + 15_000

/** The time between sending an order and its first lookup. Requests have as long to send theirs. */
export const FIRST_LOOKUP_MS = Math.max(60_000, LEASE_MS)

export interface NewOrder {
  connectionId: number
  amount_minor: Minor
  currency: string
  /** When the payer can no longer pay; absent for orders without a payer. */
  expiresAt?: Date
  /** How often it is looked up: see `nextLookup` in queries.ts. Default: `payout`. */
  plan?: 'payer' | 'account' | 'payout'
  /**
   * The time of sending, if the request that writes the order sends it after the commit; null if a
   * job sends it.
   */
  sentAt: Date | null
  /** When the job sends the order or first looks it up; null if the order waits for a person. */
  nextAt: Date | null
}

/**
 * Writes an order for each row in `records`, in the same statement that writes the records.
 * `records` has `business_id, live, id, reference, created_at`. The provider knows the order by a
 * form of `generated`, which is the record's reference unless a caller can choose that.
 */
export function newOrders(
  kind: OrderKindName,
  records: Sql,
  generated: string,
  order: NewOrder,
): Sql {
  const values = orderValues(generated, order)
  return newOrdersOf(
    kind,
    sql`(select r.business_id, r.live, r.id, r.reference, r.created_at,
      ${values.connection_id}::bigint as connection_id,
      ${values.sent_reference}::text as sent_reference,
      ${values.order_minor}::bigint as order_minor,
      ${values.order_currency}::text as order_currency,
      ${values.order_expires_at}::timestamptz as order_expires_at,
      ${values.lookup_plan}::text as lookup_plan, ${values.sent_at}::timestamptz as sent_at,
      ${values.next_at}::timestamptz as next_at from ${records} r) o`,
  )
}

/**
 * Like `newOrders`, but `records` also has ORDER_COLUMNS, which are null for a record without an
 * order.
 */
export const newOrdersOf = (kind: OrderKindName, records: Sql): Sql => sql`
  insert into provider_orders
    (business_id, live, kind, subject_id, reference, connection_id, sent_reference,
     reference_format, amount_minor, currency, expires_at, lookup_plan, sent_at, next_at,
     created_at)
  select business_id, live, ${new Sql([`'${kind}'`], [])}, id, reference, connection_id,
    sent_reference, 2, order_minor, order_currency, order_expires_at, lookup_plan, sent_at, next_at,
    created_at
  from ${records} where connection_id is not null`

/** An order's columns in a JSON record, which has other columns for the record itself. */
export const ORDER_COLUMNS = `connection_id bigint, sent_reference text, order_minor bigint,
  order_currency text, order_expires_at timestamptz, lookup_plan text, sent_at timestamptz,
  next_at timestamptz`

export const orderValues = (generated: string, order: NewOrder) => ({
  connection_id: order.connectionId,
  sent_reference: sentReferenceOf(generated, 1),
  order_minor: `${order.amount_minor}`,
  order_currency: order.currency,
  order_expires_at: order.expiresAt ?? null,
  lookup_plan: order.plan ?? 'payout',
  sent_at: order.sentAt,
  next_at: order.nextAt,
})

/** Returns the first order of a record, as it was written together with it. */
export const firstOrder = (
  kind: OrderKindName,
  { businessId: business_id, live }: Tenant,
  { id: subject_id, reference, created_at }: { id: number; reference: string; created_at: Date },
  { connectionId: connection_id, sentAt: sent_at, amount_minor, currency }: NewOrder,
): ClaimedOrder => ({
  business_id,
  live,
  kind,
  subject_id,
  attempt: 1,
  reference,
  connection_id,
  sent_reference: sentReferenceOf(reference, 1),
  provider_id: null,
  provider_session: null,
  amount_minor,
  currency,
  state: null,
  tries: 0,
  sent_at,
  last_sent_at: sent_at,
  absent_since: null,
  is_refused: false,
  not_now_count: 0,
  not_now_since: null,
  attention: null,
  created_at,
  ended_at: null,
  may_be_sent: false,
})

/**
 * Returns the reference of a later attempt at an order, given an earlier one. Orders from before
 * references could be decoded were sent under the record's own.
 */
export function laterReference(sent: string, attempt: number): string {
  const generated = recordReferenceOf(sent)?.reference ?? sent.replace(/-\d+$/, '')
  return sentReferenceOf(generated, attempt)
}

/** What a person still has to look at after an order has ended. */
const AT_END = sql`case when attention = 'contradiction' then attention end`

/**
 * Ends the orders for each row in `records`, in the same statement that ends the records, or only
 * those that have not been sent. `records` has `business_id, live, id, updated_at`.
 */
export const endedOrders = (
  kind: OrderKindName,
  records: Sql,
  which: 'all' | 'unsent' = 'all',
): Sql => sql`
  update provider_orders o
  set next_at = null, ended_at = coalesce(ended_at, r.updated_at),
    attention = ${AT_END}
  from ${records} r
  where (o.business_id, o.live, o.kind, o.subject_id) = (r.business_id, r.live, ${kind}, r.id)
    ${which === 'unsent' ? sql`and o.sent_at is null` : sql``}`

/**
 * Like `endedOrders`, for records that were paid. `records` also has `paid_attempt`: even if the
 * record has several orders, only that one was paid.
 */
export const paidOrders = (kind: OrderKindName, records: Sql): Sql => sql`
  update provider_orders o
  set next_at = null, ended_at = coalesce(ended_at, r.updated_at),
    state = case when attempt = paid_attempt then 'Successful' else state end,
    attention = ${AT_END}
  from ${records} r
  where (o.business_id, o.live, o.kind, o.subject_id) = (r.business_id, r.live, ${kind}, r.id)`

interface Subject {
  kind: OrderKindName
  id: number
  now: Date
}

/**
 * Lets the job act on an order that has been waiting for a person: send it, or first look it up if
 * it may have been sent after a backup that was restored.
 */
export async function releaseOrder(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
): Promise<void> {
  await tx.one`
    update provider_orders set next_at = ${now}
    where business_id = ${businessId} and live = ${live} and kind = ${kind} and subject_id = ${id}
      and ended_at is null
    returning subject_id`
}

/**
 * Orders a record again, with a new reference. Uses the same connection: only that provider can
 * withdraw a blocked payout, and only that provider has a payment to send back.
 */
export async function reorder(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
  { attempt, reference }: { attempt: number; reference: string },
): Promise<void> {
  await tx.one`
    with former as (
      update provider_orders set next_at = null, ended_at = ${now}
      where business_id = ${businessId} and live = ${live} and kind = ${kind}
        and subject_id = ${id} and attempt = ${attempt - 1}
      returning *
    )
    insert into provider_orders
      (business_id, live, kind, subject_id, attempt, reference, connection_id, sent_reference,
       reference_format, amount_minor, currency, lookup_plan, next_at, created_at)
    select business_id, live, kind, subject_id, ${attempt}, reference, connection_id,
      ${sentReferenceOf(reference, attempt)}, 2, amount_minor, currency, lookup_plan, ${now}, ${now}
    from former
    returning subject_id`
}

/**
 * Looks up an order again soon, because a person changes something about it at the provider. Throws
 * if the provider does not have it.
 */
export async function resumeOrder(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
): Promise<void> {
  await tx.one`
    update provider_orders set state = 'Pending', next_at = ${addMs(now, FIRST_LOOKUP_MS)}
    where business_id = ${businessId} and live = ${live} and kind = ${kind} and subject_id = ${id}
      and sent_at is not null and ended_at is null
    returning subject_id`
}

/**
 * Ends the orders of a record, because they will not be sent or because the record has ended
 * without the provider.
 */
export function endOrders(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
): Promise<number> {
  return tx.run`
    update provider_orders
    set next_at = null, ended_at = ${now},
      attention = ${AT_END}
    where business_id = ${businessId} and live = ${live} and kind = ${kind} and subject_id = ${id}
      and ended_at is null`
}

/**
 * Whether a record's order waits to be sent, and no provider can have an earlier one. `id` is the
 * record's.
 */
export const isUnsent = (kind: OrderKindName, { businessId, live }: Tenant, id: Sql): Sql => sql`(
  exists (
    select from provider_orders o
    where o.business_id = ${businessId} and o.live = ${live} and o.kind = ${kind}
      and o.subject_id = ${id} and o.sent_at is null and o.ended_at is null)
  and not ${mayBeThere(kind, { businessId, live }, id)})`

const mayBeThere = (kind: OrderKindName, { businessId, live }: Tenant, id: Sql): Sql => sql`exists (
  select from provider_orders f
  where f.business_id = ${businessId} and f.live = ${live} and f.kind = ${kind}
    and f.subject_id = ${id} and f.sent_at is not null
    and (f.state is null or f.state not in ('Failed', 'Rejected')))`

/**
 * Ends the order of a record that a person cancels, so that nobody sends it. Returns false, and
 * changes nothing, if a provider may have it or an earlier one: a process that is about to send the
 * order has recorded that before.
 */
export async function cancelUnsent(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
): Promise<boolean> {
  const ended = await tx.run`
    update provider_orders o set next_at = null, ended_at = ${now}, attention = null,
      attention_at = null
    where business_id = ${businessId} and live = ${live} and kind = ${kind} and subject_id = ${id}
      and sent_at is null and ended_at is null
      and not ${mayBeThere(kind, { businessId, live }, sql`o.subject_id`)}`
  return ended === 1
}
