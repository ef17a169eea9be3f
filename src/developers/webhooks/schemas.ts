import { type Static, type TSchema, Type } from 'typebox'
import { CursorMeta, cursorPaging, paging, sorting } from '../../lib/paging.ts'
import {
  Envelope,
  Nullable,
  NullableTimestamp,
  OneLine,
  PageOf,
  Timestamp,
  TimestampText,
} from '../../lib/schemas.ts'

const text = Type.String()
const count = Type.Integer()

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  // Excludes characters that parsers remove or reinterpret, so that the URL that is called is the
  // one that people read.
  pattern: '^[hH][tT][tT][pP][sS]?://(?!/)[^\\s\\u0000-\\u001f\\u007f-\\u009f\\\\]+$',
  'x-says': 'must be an http or https URL without spaces or backslashes',
  description:
    'A public https:// URL (in test mode also http://), without a user name or password.',
  examples: ['https://example.com/tradepost'],
})
const TYPE_LENGTH_MAX = 60
const Types = Type.Array(Type.String({ minLength: 1, maxLength: TYPE_LENGTH_MAX }), {
  minItems: 1,
  maxItems: 200,
  description: 'Event types, or wildcards such as `invoice.*`; `["*"]` for all types.',
  examples: [['invoice.*', 'wallet.funded']],
})
const Description = OneLine(500)

export const NewWebhook = Type.Object({
  url: Url,
  events: Type.Optional(Types),
  description: Type.Optional(Description),
})
export type NewWebhook = Static<typeof NewWebhook>

/** Changes only the given fields. */
export const UpdateWebhook = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Types),
  description: Type.Optional(Nullable(Description)),
  status: Type.Optional(Type.Enum(['Active', 'Disabled'])),
})
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const RotateSecret = Type.Object({
  graceHours: Type.Integer({
    minimum: 0,
    maximum: 168,
    default: 24,
    description: 'How many hours the previous secret also signs deliveries; 0 ends it immediately.',
  }),
})

const Data = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 100,
  'x-json-bytes-max': 16 * 1024,
  description: 'Merged into the type’s example data; at most 16 KiB as JSON.',
})

export const TestWebhook = Type.Object({
  type: Type.String({ minLength: 1, maxLength: TYPE_LENGTH_MAX, default: 'webhook.test' }),
  data: Type.Optional(Data),
})

/** For the simulator, which sends events to every subscribed endpoint. */
export const SampleEvent = Type.Object({
  type: Type.String({ minLength: 1, maxLength: TYPE_LENGTH_MAX, examples: ['invoice.paid'] }),
  data: Type.Optional(Data),
})

export const Replay = Type.Object({
  from: { ...TimestampText, description: 'A date (from the start of that day) or an instant.' },
  to: Type.Optional({
    ...TimestampText,
    description: 'A date (until the end of that day) or an instant; defaults to now.',
  }),
  failedOnly: Type.Boolean({
    default: false,
    description: 'Only deliveries that failed permanently, instead of all subscribed events.',
  }),
})
export type Replay = Static<typeof Replay>

export const WebhookReference = Type.Object({
  reference: Type.String({ maxLength: 64, description: 'The reference of the endpoint: WHK_…' }),
})

export const DeliveryName = Type.Object({
  ...WebhookReference.properties,
  id: Type.String({ maxLength: 64, description: 'The id of the event: evt_…' }),
})

export const WebhookQuery = Type.Object({ ...paging, ...sorting })
export type WebhookQuery = Static<typeof WebhookQuery>

export const DeliveryQuery = Type.Object({
  ...cursorPaging,
  status: Type.Optional(Type.Enum(['Pending', 'Delivered', 'Failed'])),
  type: Type.Optional(Type.String({ minLength: 1, maxLength: TYPE_LENGTH_MAX })),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

const webhook = {
  id: count,
  reference: text,
  url: text,
  events: Type.Array(text, { description: '["*"] means all types, including future ones.' }),
  description: Nullable(text),
  status: Type.String({
    description: 'Active or Disabled, or Deleted once the endpoint has been deleted.',
  }),
  failingSince: {
    ...NullableTimestamp,
    description: 'When attempts started to fail; null if the last attempt succeeded.',
  },
  lastSuccessAt: NullableTimestamp,
  createdAt: Timestamp,
}
export const WebhookRecord = Type.Object(webhook)

export const OneWebhook = Envelope(WebhookRecord)
export const WebhookList = PageOf(WebhookRecord)
export const WebhookWithSecret = Envelope(
  Type.Object({
    ...webhook,
    secret: Nullable({
      ...Type.String(),
      description:
        'whsec_…, for any Standard Webhooks library. Shown only once: null when the ' +
        'request is repeated with the same Idempotency-Key.',
    }),
  }),
)

const delivery = {
  id: Type.String({ description: 'The id of the event, the same as in the `webhook-id` header.' }),
  reference: Type.String({ description: 'The same as id.' }),
  eventId: Type.String({ description: 'The same as id.' }),
  type: text,
  status: Type.String({ description: 'Pending, Delivered or Failed.' }),
  attempts: count,
  nextAttemptAt: {
    ...NullableTimestamp,
    description: 'When the next attempt is due, for a Pending delivery.',
  },
  lastStatus: Nullable(
    Type.Integer({ description: 'The status of the endpoint’s last response.' }),
  ),
  lastError: Nullable(text),
  createdAt: { ...Timestamp, description: 'When the delivery was first queued.' },
  finishedAt: NullableTimestamp,
}
const DeliveryRecord = Type.Object(delivery)

const Free = <T extends TSchema>(schema: T) => ({ ...schema, additionalProperties: true })

const Attempt = Type.Object({
  number: count,
  at: Timestamp,
  url: text,
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  status: Nullable(count),
  error: Nullable(text),
  response: Nullable(Type.String({ description: 'The start of the response body.' })),
  durationMs: count,
})

export const DeliveryList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(DeliveryRecord),
  meta: CursorMeta,
})
export const OneDelivery = Envelope(DeliveryRecord)
export const DeliveryWithLog = Envelope(
  Type.Object({
    ...delivery,
    attemptLog: Type.Array(Attempt),
    body: Free(Type.Unsafe<object>({ type: 'object', description: 'The body that is sent.' })),
  }),
)

/** The reference and status of the endpoint, which actions return. */
const done = { reference: text, status: text }

export const TestedWebhook = Envelope(
  Type.Object({ ...done, delivery: DeliveryRecord, attempt: Attempt }),
)
export const Replayed = Envelope(
  Type.Object({
    ...done,
    queued: Type.Integer({ description: 'The number of deliveries queued.' }),
    continueFrom: {
      ...NullableTimestamp,
      description: 'The `from` value for replaying the rest; null if nothing remains.',
    },
  }),
)
