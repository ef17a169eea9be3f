import type { Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { OrderKindName } from './queries.ts'

/* Statements that create and change orders in the same transactions as their records. */

/** How long to wait after sending an order before looking it up for the first time. */
export const FIRST_LOOKUP_MS = 60_000

export interface NewOrder {
  connectionId: number
  /** The reference used with the provider. Default: the record's reference. */
  sentReference?: string
  /** The time of sending if the same request sends it after the commit; null if a job sends it. */
  sentAt: Date | null
  /** When the job sends it or first looks it up; null if it is waiting for a person. */
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
): Sql => sql`
  insert into provider_orders
    (business_id, live, kind, subject_id, reference, connection_id, sent_reference, sent_at,
     next_at, created_at)
  select business_id, live, ${kind}, id, reference, ${connectionId}::bigint,
    coalesce(${sentReference ?? null}::text, reference), ${sentAt}::timestamptz,
    ${nextAt}::timestamptz, created_at
  from ${records}`

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

/** A record's order. */
interface Subject {
  kind: OrderKindName
  id: number
  now: Date
}

/** Lets the job send an order that was waiting for a person. */
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
 * Requests a blocked payout again, with a new reference but through the same connection, because
 * the same provider must withdraw the previous order first.
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
 * Ends a record's orders: either they will not be sent, or the record has ended without the
 * provider.
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
