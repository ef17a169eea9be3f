import { Type } from 'typebox'
import { type EventKind, kindsOf } from '../../events/kind.ts'
import type { WebhookRow } from './queries.ts'
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
