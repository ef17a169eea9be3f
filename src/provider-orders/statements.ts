import type { Tx } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { OrderKindName, OrderRow } from './queries.ts'

/** The time between sending an order and its first lookup. */
export const FIRST_LOOKUP_MS = 60_000

export interface NewOrder {
  connectionId: number
  /** The reference used with the provider. Default: the record's reference. */
  sentReference?: string
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
 * `records` has `business_id, live, id, reference, created_at`.
 */
export const newOrders = (
  kind: OrderKindName,
  records: Sql,
  { connectionId, sentReference, sentAt, nextAt }: NewOrder,
): Sql =>
  newOrdersOf(
    kind,
    sql`(select r.business_id, r.live, r.id, r.reference, r.created_at,
      ${connectionId}::bigint as connection_id, ${sentReference ?? null}::text as sent_reference,
      ${sentAt}::timestamptz as sent_at, ${nextAt}::timestamptz as next_at from ${records} r) o`,
  )

/**
 * Like `newOrders`, but `records` also has ORDER_COLUMNS, which are null for a record without an
 * order.
 */
export const newOrdersOf = (kind: OrderKindName, records: Sql): Sql => sql`
  insert into provider_orders
    (business_id, live, kind, subject_id, reference, connection_id, sent_reference, sent_at,
     next_at, created_at)
  select business_id, live, ${new Sql([`'${kind}'`], [])}, id, reference, connection_id,
    coalesce(sent_reference, reference), sent_at, next_at, created_at
  from ${records} where connection_id is not null`

/** An order's columns in a JSON record. */
export const ORDER_COLUMNS =
  'connection_id bigint, sent_reference text, sent_at timestamptz, next_at timestamptz'

export const orderValues = (order: NewOrder | undefined) => ({
  connection_id: order?.connectionId,
  sent_reference: order?.sentReference,
  sent_at: order?.sentAt,
  next_at: order?.nextAt,
})

/** Returns the first order of a record, to be written together with it. */
export const firstOrder = (
  kind: OrderKindName,
  { businessId: business_id, live }: Tenant,
  { id: subject_id, reference }: { id: number; reference: string },
  { connectionId: connection_id, sentReference = reference, sentAt: sent_at }: NewOrder,
): OrderRow => ({
  business_id,
  live,
  kind,
  subject_id,
  attempt: 1,
  reference,
  connection_id,
  sent_reference: sentReference,
  sent_at,
})

/**
 * Ends the order for each row in `records`, in the same statement that ends the records. `records`
 * has `business_id, live, id, updated_at`. `state` is the order's state, if the provider reported
 * one.
 */
export const endedOrders = (kind: OrderKindName, records: Sql, state: string | null): Sql => sql`
  update provider_orders o
  set next_at = null, ended_at = coalesce(ended_at, r.updated_at),
    state = coalesce(${state}::text, state)
  from ${records} r
  where (o.business_id, o.live, o.kind, o.subject_id) = (r.business_id, r.live, ${kind}, r.id)`

interface Subject {
  kind: OrderKindName
  id: number
  now: Date
}

/** Lets the job send an order that has been waiting for a person. */
export async function releaseOrder(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
): Promise<void> {
  await tx.one`
    update provider_orders set next_at = ${now}
    where business_id = ${businessId} and live = ${live} and kind = ${kind} and subject_id = ${id}
      and sent_at is null and ended_at is null
    returning subject_id`
}

/**
 * Requests a blocked payout again, with a new reference. Uses the same connection, because the same
 * provider must first withdraw the previous order.
 */
export async function reorderPayout(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, id, now }: Subject,
  { attempt, sentReference }: { attempt: number; sentReference: string },
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
       next_at, created_at)
    select business_id, live, kind, subject_id, ${attempt}, reference, connection_id,
      ${sentReference}, ${now}, ${now}
    from former
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
    update provider_orders set next_at = null, ended_at = ${now}
    where business_id = ${businessId} and live = ${live} and kind = ${kind} and subject_id = ${id}
      and ended_at is null`
}
