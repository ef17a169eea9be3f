import { Type } from 'typebox'
import { type EventKind, kindsOf } from '../../events/kind.ts'
import { WebhookRecord } from './schemas.ts'

const ofEndpoints = kindsOf(
  {
    object: 'webhook',
    schema: WebhookRecord,
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
      'An endpoint was disabled: by hand, or because it answered 410 or failed for five days.',
    ],
  },
)

const ofTests = kindsOf(
  {
    object: 'webhook_test',
    schema: Type.Object({}, { additionalProperties: true }),
    example: { message: 'This only tries your endpoint out.' },
  },
  { 'webhook.test': ['An endpoint is tried out; sent to that one alone.'] },
)

export const webhookEvents: EventKind[] = [...ofEndpoints, ...ofTests]
