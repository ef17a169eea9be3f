import { Type } from 'typebox'
import { idsOf, type PersonalData } from '../../db/personal-data.ts'
import { type EventKind, kindsOf } from '../../events/catalogue.ts'
import type { DeliveryRow, WebhookRow } from './queries.ts'
import type { AttemptRow } from './queries-deliver.ts'
import { WebhookRecord as WebhookData } from './schemas.ts'

/** Follows CONTRACT.md, section 17. Never includes the secrets. */
export const webhookRecord = (row: WebhookRow) => ({
  id: row.id,
  reference: row.reference,
  url: row.url,
  events: row.events ?? ['*'],
  description: row.description,
  status: row.status,
  failingSince: row.failing_since,
  lastSuccessAt: row.last_success_at,
  createdAt: row.created_at,
})

export type WebhookRecord = ReturnType<typeof webhookRecord>

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

const ofEndpoints = kindsOf(
  {
    object: 'webhook',
    schema: WebhookData,
    example: {
      id: 41400,
      reference: 'WHK_3nH6aP9dKi4vY8oJf1Be',
      url: 'https://shop.example.com/tradepost',
      events: ['invoice.paid', 'order.paid'],
      description: 'Shop',
      status: 'Disabled',
      failingSince: '2026-11-01T07:00:00.000Z',
      lastSuccessAt: '2026-11-01T06:58:12.700Z',
      createdAt: '2026-10-01T12:00:00.000Z',
    },
  },
  {
    'webhook.disabled': [
      'An endpoint was disabled, either manually or because it returned 410 or failed for five days.',
    ],
  },
)

const ofTests = kindsOf(
  {
    object: 'webhook_test',
    schema: Type.Object({}, { additionalProperties: true }),
    example: { message: 'This event only tests your endpoint.' },
  },
  { 'webhook.test': ['Someone sent a test event to an endpoint. Only that endpoint receives it.'] },
)

export const webhookEvents: EventKind[] = [...ofEndpoints, ...ofTests]

/** The deliveries of the customer's events. Those that are still waiting are never sent. */
export const deliveryPersonalData: PersonalData = {
  name: 'webhookDeliveries',
  find: async () => [],
  erase(tx, { businessId, live }, _ids, _pseudonym, found) {
    const eventIds = idsOf(found, 'events')
    return tx.run`
      with attempts as (
        delete from webhook_attempts a using webhooks w
        where w.business_id = ${businessId} and w.live = ${live}
          and a.business_id = w.business_id and a.live = w.live and a.webhook_id = w.id
          and a.event_id = any(${eventIds}::bigint[])
      )
      delete from webhook_deliveries d using webhooks w
      where w.business_id = ${businessId} and w.live = ${live}
        and d.business_id = w.business_id and d.live = w.live and d.webhook_id = w.id
        and d.event_id = any(${eventIds}::bigint[])`
  },
}
