import type { Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { OrderKindName } from './queries.ts'

/* What slices put into their statements and transactions: an order begins with its record. */

interface NewOrder {
  connectionId: number
  /** What the provider is to know it by; the reference of the record unless given. */
  sentReference?: string
  /** For one that the same request sends, after it has committed; null for one that a job sends. */
  sentAt: Date | null
  /** When the job sends it, or first looks it up; null if it has to wait for somebody. */
  nextAt: Date | null
}

/**
 * Writes the order of each row of `records`, within the statement that writes them. `records` has
 * `business_id, live, id, reference, created_at`.
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

/** The order of a record. */
interface Subject {
  kind: OrderKindName
  id: number
  now: Date
}

/** Lets the job send an order that waited for somebody. */
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
 * Orders again what the provider holds up: under another reference, and by the same connection,
 * which has to withdraw the order before.
 */
export async function orderAgain(
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

/** Ends the orders of a record that is not to be sent, or that ended without the provider. */
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
