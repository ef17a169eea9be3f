import type { Db, Tx } from '../../db/database.ts'
import { all, sql } from '../../db/sql.ts'
import type { Cursor } from '../../lib/cursor.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { AttemptRow } from './deliver.ts'

/** One event for one endpoint, with what is told of the event. */
export interface DeliveryRow {
  event_id: number
  event_at: Date
  event_type: string
  /** `evt_…` */
  event_reference: string
  status: 'Pending' | 'Delivered' | 'Failed'
  attempt_count: number
  due_at: Date
  last_status: number | null
  last_error: string | null
  finished_at: Date | null
  created_at: Date
}

export interface DeliveryFilter {
  status: DeliveryRow['status'] | undefined
  type: string | undefined
}

const COLUMNS = sql`d.event_id, d.event_at, d.event_type, e.reference as event_reference, d.status,
  d.attempt_count, d.due_at, d.last_status, d.last_error, d.finished_at, d.created_at`

/** Of each delivery its event, by the event's key. */
const EVENT = sql`
  cross join lateral (
    select reference from events
    where business_id = d.business_id and live = d.live
      and created_at = d.event_at and id = d.event_id
    offset 0
  ) e`

/** Newest event first, or from a cursor back to what is newer; ids follow the order of events. */
export function selectDeliveries(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  { status, type }: DeliveryFilter,
  cursor: Cursor | undefined,
  limit: number,
) {
  const order = cursor?.back ? sql`event_id` : sql`event_id desc`
  const wanted = all([
    sql`business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}`,
    status && sql`status = ${status}`,
    type === undefined ? undefined : sql`event_type = ${type}`,
    cursor && (cursor.back ? sql`event_id > ${cursor.id}` : sql`event_id < ${cursor.id}`),
  ])
  return db.many<DeliveryRow>`
    select ${COLUMNS} from (
      select * from webhook_deliveries where ${wanted} order by ${order} limit ${limit}
    ) d ${EVENT}
    order by ${cursor?.back ? sql`d.event_id` : sql`d.event_id desc`}`
}

/** The delivery of an event, whose reference is known. */
export function selectDelivery(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  event: { id: number; reference: string },
) {
  return db.maybe<DeliveryRow>`
    select ${COLUMNS} from webhook_deliveries d, (select ${event.reference}::text as reference) e
    where d.business_id = ${businessId} and d.live = ${live} and d.webhook_id = ${webhookId}
      and d.event_id = ${event.id}`
}

/** All attempts at a delivery, in their order. */
export function selectAttempts(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  eventId: number,
) {
  return db.many<AttemptRow>`
    select number, url, headers, status, error, response, duration_ms, at from webhook_attempts
    where business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
      and event_id = ${eventId}
    order by number`
}

/** Whatever became of it, it is to be sent again, with the schedule from its beginning. */
export function updateQueuedAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  webhookId: number,
  eventId: number,
  due_at: Date,
) {
  return tx.run`
    update webhook_deliveries
    set status = 'Pending', round_count = 0, due_at = ${due_at}, finished_at = null
    where business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
      and event_id = ${eventId}`
}
