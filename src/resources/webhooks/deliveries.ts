import type { Db } from '../../db/database.ts'
import { serverSecret } from '../../db/secrets.ts'
import { cursorPage, type ListKey, parseCursor } from '../../lib/cursor.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { findEvent } from '../events/service.ts'
import type { AttemptRow } from './deliver.ts'
import { bodyOf } from './envelope.ts'
import { findWebhook } from './list.ts'
import {
  type DeliveryRow,
  selectAttempts,
  selectDeliveries,
  selectDelivery,
} from './queries-deliveries.ts'
import type { DeliveryQuery } from './schemas.ts'

/** One page of what is queued, was delivered and failed, newest event first. Throws 404 and 400. */
export async function listDeliveries(
  db: Db,
  tenant: Tenant,
  reference: string,
  { status, type, limit, ...query }: DeliveryQuery,
) {
  const { id } = await findWebhook(db, tenant, reference)
  const key: ListKey = {
    secret: await serverSecret(db, 'cursor'),
    tenant,
    list: JSON.stringify(['webhooks/deliveries', id, status, type]),
  }
  const cursor = query.cursor === undefined ? undefined : parseCursor(key, query.cursor)
  const read = await selectDeliveries(db, tenant, id, { status, type }, cursor, limit + 1)
  const places = read.map((row) => ({ row, id: row.event_id, created_at: row.event_at }))
  const { rows, meta } = cursorPage(key, places, limit, cursor)
  return { records: rows.map(({ row }) => deliveryRecord(row)), meta }
}

/** One delivery with each attempt and the body that is sent. Throws 404. */
export async function getDelivery(db: Db, tenant: Tenant, reference: string, id: string) {
  const webhook = await findWebhook(db, tenant, reference)
  const { event, row } = await findDelivery(db, tenant, webhook.id, id)
  const attempts = await selectAttempts(db, tenant, webhook.id, event.id)
  const { businessId: business_id, live } = tenant
  return {
    ...deliveryRecord(row),
    attemptLog: attempts.map(attemptRecord),
    body: JSON.parse(bodyOf({ ...event, business_id, live })),
  }
}

/** An event that its reference names, and what became of it at an endpoint; throws 404. */
export async function findDelivery(db: Db, tenant: Tenant, webhookId: number, reference: string) {
  const event = await findEvent(db, tenant, reference)
  const row = event && (await selectDelivery(db, tenant, webhookId, event))
  if (!row) throw notFound('webhook_delivery')
  return { event, row }
}

export const deliveryRecord = (row: DeliveryRow) => ({
  id: row.event_reference,
  reference: row.event_reference,
  eventId: row.event_reference,
  type: row.event_type,
  status: row.status,
  attempts: row.attempt_count,
  nextAttemptAt: row.status === 'Pending' ? row.due_at : null,
  lastStatus: row.last_status,
  lastError: row.last_error,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
})

export const attemptRecord = (row: AttemptRow) => ({
  number: row.number,
  at: row.at,
  url: row.url,
  headers: JSON.parse(row.headers),
  status: row.status,
  error: row.error,
  response: row.response,
  durationMs: row.duration_ms,
})
