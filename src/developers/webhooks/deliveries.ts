import type { Db, Tx } from '../../db/database.ts'
import { cursorOf } from '../../db/paginate.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { parseTimestamp } from '../../lib/dates.ts'
import { cursorPage } from '../../lib/paging.ts'
import { conflict, invalid, notFound, Problem } from '../../lib/problem.ts'
import { lockReplays } from '../events/retention.ts'
import { findEvent, readableTypes, requireReadable } from '../events/service.ts'
import { findWebhook } from './endpoints.ts'
import { WEBHOOK_JOB } from './jobs.ts'
import {
  endTest,
  insertSample,
  insertTestDelivery,
  queueFailedAgain,
  queueRangeAgain,
  type SampleKind,
  selectAttempts,
  selectDeliveries,
  selectDelivery,
  selectSampleEvent,
  updateQueuedAgain,
  type WebhookRow,
} from './queries.ts'
import type { AttemptRow } from './queries-deliver.ts'
import { attemptRecord, deliveryRecord } from './record.ts'
import type { WebhookDeps } from './routes.ts'
import type { DeliveryQuery, Replay } from './schemas.ts'
import { bodyOf } from './send.ts'

/**
 * Lists one page of pending, delivered and failed deliveries, newest event first. Throws 404 and
 * 400.
 */
export async function listDeliveries(
  { db, events }: Pick<Deps, 'db' | 'events'>,
  tenant: Tenant,
  reference: string,
  { status, type, limit, ...query }: DeliveryQuery,
) {
  if (type !== undefined) events.requireType(type)
  const { id } = await findWebhook(db, tenant, reference)
  const name = JSON.stringify(['webhooks/deliveries', id, status, type])
  const { key, cursor } = await cursorOf(db, tenant, name, query.cursor)
  const read = await selectDeliveries(db, tenant, id, { status, type }, cursor, limit + 1)
  const places = read.map((row) => ({ row, id: row.event_id, created_at: row.event_at }))
  const { rows, meta } = cursorPage(key, places, limit, cursor)
  return { records: rows.map(({ row }) => deliveryRecord(row)), meta }
}

/** Returns one delivery with each attempt and its body. Throws 404. */
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

/** Finds an event by its reference, and its delivery to an endpoint; throws 404. */
async function findDelivery(db: Db, tenant: Tenant, webhookId: number, reference: string) {
  const event = await findEvent(db, tenant, reference)
  const row = event && (await selectDelivery(db, tenant, webhookId, event))
  if (!row) throw notFound('webhook_delivery')
  return { event, row }
}

/**
 * Sends an event again immediately, whatever the state of its delivery. If that fails, the retry
 * schedule starts again. Returns the delivery after the attempt. Throws 404, 403 for an event that
 * the caller cannot read, and `webhook_state` (409) if the endpoint is disabled.
 */
export async function redeliver(
  { db, deliverer, events }: Pick<WebhookDeps, 'db' | 'deliverer' | 'events'>,
  caller: Caller,
  reference: string,
  id: string,
) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const webhook = await findWebhook(db, tenant, reference)
  const { event } = await findDelivery(db, tenant, webhook.id, id)
  requireReadable(caller, events, [event.type])
  requireActive(webhook)
  await db.transaction((tx) => updateQueuedAgain(tx, tenant, webhook.id, event.id, now))
  await deliverer.deliverNow(tenant, webhook.id, event.id).catch(leftToTheJob)
  const { row } = await findDelivery(db, tenant, webhook.id, id)
  return deliveryRecord(row)
}

/**
 * If no caller can wait for the attempt, the delivery stays queued and the job makes the attempt.
 */
function leftToTheJob(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}

/** Throws 409 for a disabled endpoint, which receives nothing. */
function requireActive({ status }: WebhookRow): void {
  if (status === 'Active') return
  throw conflict('webhook_state', `The endpoint is ${status}. Set its status to Active first.`, {
    status: [`is ${status}`],
  })
}

/**
 * Queues the subscribed events from a given period again, oldest first: all of them, even those
 * never queued, or only those that failed for good. Leaves out events that the caller cannot read.
 * Queues at most 10,000 at once; if there are more, `continueFrom` is the `from` value for the next
 * request. Throws 404, 400 naming `from` or `to`, and `webhook_state` (409).
 */
export async function replay(
  tx: Tx,
  { nudge, events }: Pick<WebhookDeps, 'nudge' | 'events'>,
  caller: Caller,
  reference: string,
  request: Replay,
) {
  const { businessId, live, now, timeZone } = caller
  const tenant = { businessId, live }
  const range = rangeOf(request, timeZone, now)
  // The endpoint is not locked, because a lock would delay the end of every attempt by up to a
  // second. Deliveries that are queued while the endpoint is being deleted are never sent.
  // Deliveries that are queued while it is being disabled wait until it is enabled again.
  const webhook = await findWebhook(tx, tenant, reference)
  requireActive(webhook)
  const queue = request.failedOnly ? queueFailedAgain : queueRangeAgain
  const types = readableTypes(caller, events.types)
  await lockReplays(tx, tenant, 'replay')
  const { queued, continue_from } = await queue(tx, tenant, webhook, { ...range, types, now })
  if (queued > 0) tx.after(() => nudge(WEBHOOK_JOB))
  return { reference, status: webhook.status, queued, continueFrom: continue_from }
}

function rangeOf(request: Replay, timeZone: string, now: Date) {
  const from = parseTimestamp(request.from, timeZone, 'from')
  const until = request.to === undefined ? now : parseTimestamp(request.to, timeZone, 'to', true)
  if (from >= until) {
    throw invalid({
      from: [request.to === undefined ? 'must be in the past' : 'must not be after to'],
    })
  }
  return { from, until }
}

/**
 * Sends a sample event to this endpoint only, even if it is disabled, and returns the result. A
 * failure at the endpoint is a result, not an error, and is not retried. Throws 404, 400 naming
 * `type`, 403 for a type that the caller cannot read, because the caller chooses the data that the
 * endpoint's secret signs, and 429 if too many tests run at once.
 */
export async function testWebhook(
  { db, ids, events, deliverer }: WebhookDeps,
  caller: Caller,
  reference: string,
  request: SampleRequest,
) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const webhook = await findWebhook(db, tenant, reference)
  // First, because an unknown type is not one that the caller lacks a scope for.
  events.requireType(request.type)
  requireReadable(caller, events, [request.type])
  const event = await db.transaction(async (tx) => {
    const sample = await appendSampleEvent(tx, { ids, events }, caller, 'webhook_test', request)
    await insertTestDelivery(tx, tenant, webhook.id, sample)
    return sample
  })
  const attempt = await attemptOnce()
  const { row } = await findDelivery(db, tenant, webhook.id, event.reference)
  return {
    reference,
    status: webhook.status,
    delivery: deliveryRecord(row),
    attempt: attemptRecord(attempt),
  }

  /** Waits for this one attempt. No further attempts are scheduled. */
  async function attemptOnce(): Promise<AttemptRow> {
    try {
      return await deliverer.deliverNow(tenant, webhook.id, event.id)
    } finally {
      await endTest(db, tenant, webhook.id, event.id, now)
    }
  }
}

type Fields = Record<string, unknown>

export interface SampleRequest {
  type: string
  /** Merged field by field into the example for the type. */
  data?: Fields | undefined
}

/**
 * Writes a sample event. Its object is the event itself, so that the sample doesn't report anything
 * about a real object. Returns the event; throws 400 naming `type`.
 */
export async function appendSampleEvent(
  tx: Tx,
  { ids, events }: Pick<Deps, 'ids' | 'events'>,
  { businessId, live, now }: Tenant & { now: Date },
  kind: SampleKind,
  { type, data = {} }: SampleRequest,
) {
  events.requireType(type)
  const tenant = { businessId, live }
  const id = await ids.next(tx)
  const merged = mergeFields(events.exampleOf(type) as Fields, data)
  await insertSample(tx, tenant, { id, kind, now })
  await appendEvents(tx, ids, [
    { ...tenant, type, objectType: kind, objectId: id, sequence: 1, data: merged, at: now },
  ])
  return selectSampleEvent(tx, tenant, id)
}

/** Merges objects field by field. Replaces everything else, including lists. */
function mergeFields(below: Fields, above: Fields): Fields {
  const all = new Map(Object.entries(below))
  for (const [name, value] of Object.entries(above)) {
    const under = all.get(name)
    all.set(name, isObject(under) && isObject(value) ? mergeFields(under, value) : value)
  }
  return Object.fromEntries(all)
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
