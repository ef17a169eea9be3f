import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { EventRow } from '../events/service.ts'

/** What the event of a sample is about, so that nothing is told of an object that it did not. */
export type SampleKind = 'simulated_event' | 'webhook_test'

export function insertSample(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, kind, now }: { id: number; kind: SampleKind; now: Date },
) {
  return tx.run`
    insert into simulated_events (business_id, live, id, kind, created_at)
    values (${businessId}, ${live}, ${id}, ${kind}, ${now})`
}

/** The one event of a sample. */
export function selectSampleEvent(tx: Tx, { businessId, live }: Tenant, objectId: number) {
  return tx.one<EventRow>`
    select id, reference, type, object_type, object_id, sequence, data, created_at from events
    where business_id = ${businessId} and live = ${live} and object_id = ${objectId}
      and sequence = 1`
}

/** Queues the test of an endpoint, for that one alone. */
export function insertTestDelivery(
  tx: Tx,
  { businessId, live }: Tenant,
  webhookId: number,
  event: EventRow,
) {
  const { id, type, object_id, created_at } = event
  return tx.run`
    insert into webhook_deliveries
      (business_id, live, webhook_id, event_id, event_at, event_type, object_id, due_at,
       created_at)
    values
      (${businessId}, ${live}, ${webhookId}, ${id}, ${created_at}, ${type}, ${object_id},
       ${created_at}, ${created_at})`
}

/** A test that was tried and is still pending is not tried again; one that nobody tries is gone. */
export async function endTest(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  eventId: number,
  now: Date,
): Promise<void> {
  const isOpen = sql`business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
    and event_id = ${eventId} and status = 'Pending' and lease_until is null`
  await db.run`
    update webhook_deliveries set status = 'Failed', finished_at = ${now}
    where ${isOpen} and attempt_count > 0`
  await db.run`delete from webhook_deliveries where ${isOpen} and attempt_count = 0`
}
