import { type TSchema, Type } from 'typebox'
import type { EventKind } from '../../events/catalogue.ts'
import { Timestamp } from '../../lib/schemas.ts'

/** Returns the schema for the body of a delivery of this type of event. */
const envelopeOf = ({ type, schema }: Pick<EventKind, 'type' | 'schema'>): TSchema =>
  Type.Object({
    id: Type.String({ description: 'evt_…, the same for every attempt: process each event once.' }),
    type: Type.Literal(type),
    timestamp: Timestamp,
    mode: Type.Enum(['test', 'live']),
    businessId: Type.Integer(),
    sequence: Type.Integer({
      description: 'The event’s position among its object’s events, numbered consecutively from 1.',
    }),
    data: schema,
  })

export const envelopeExample = ({ type, example }: Pick<EventKind, 'type' | 'example'>) => ({
  id: 'evt_0VaJ0hMi7xW2pLc9RtVb3nYd',
  type,
  timestamp: '2026-11-07T16:30:02.140Z',
  mode: 'test',
  businessId: 1025,
  sequence: 1,
  data: example,
})

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const HEADERS = [
  header('webhook-id', 'The id of the event.'),
  header(
    'webhook-timestamp',
    'When the request was sent, in seconds since 1970; reject old requests.',
  ),
  header(
    'webhook-signature',
    'As in Standard Webhooks: `v1,` followed by the base64 HMAC-SHA256 of the id, timestamp and ' +
      'body, joined by dots. While a secret is being rotated, there are two signatures, separated by a space.',
  ),
]

const RESPONSES = {
  '2XX': { description: 'The endpoint accepted the event within 15 s.' },
  '410': { description: 'The endpoint is gone, so the server disables it.' },
  default: { description: 'The server tries again later: ten times over three days.' },
}

/** Returns the deliveries to endpoints, as the `webhooks` section of the OpenAPI document. */
export const eventWebhooks = (kinds: readonly EventKind[]): Record<string, object> =>
  Object.fromEntries(kinds.map((kind) => [kind.type, { post: operationOf(kind) }]))

const operationOf = (kind: EventKind) => ({
  operationId: `on_${kind.type.replaceAll('.', '_')}`,
  summary: kind.type,
  description: kind.summary,
  tags: ['Events'],
  security: [],
  parameters: HEADERS,
  requestBody: {
    required: true,
    content: { 'application/json': { schema: envelopeOf(kind), example: envelopeExample(kind) } },
  },
  responses: RESPONSES,
})
