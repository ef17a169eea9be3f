import { type Static, Type } from 'typebox'
import { dateRange, paging, shortListPaging, sorting } from '../../lib/paging.ts'
import { Envelope, Nullable, PageMeta, PageOf, RecordId, Timestamp } from '../../lib/schemas.ts'

const EventReference = Type.String({ maxLength: 64, examples: ['evt_0VaJ0hMi7xW2pLc9RtVb3nYd'] })

export const EventQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  type: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(?:\\.[a-z_]+)*$',
      maxLength: 60,
      'x-says': 'must be an event type such as invoice.paid',
    }),
  ),
  objectId: Type.Optional(RecordId('The id of the event’s object.')),
  after: Type.Optional({
    ...EventReference,
    description: 'Only events listed after this one; see `resume`.',
  }),
})
export type EventQuery = Static<typeof EventQuery>

export const EventNamed = Type.Object({ id: EventReference })

const Data = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/**
 * An event, as the API shows it and as endpoints receive it (docs/CONTRACT.md, Events and
 * webhooks).
 */
export const EventRecord = Type.Object({
  id: Type.String(),
  reference: Type.String({ description: 'The same as id.' }),
  status: Type.String({ description: 'Always Recorded, because an event never changes.' }),
  type: Type.String(),
  timestamp: Timestamp,
  mode: Type.String({ description: 'test or live' }),
  businessId: Type.Integer(),
  object: Type.String({ description: 'The event’s object.' }),
  objectId: Type.Integer(),
  sequence: Type.Integer({
    description: 'The event’s position among its object’s events, numbered consecutively from 1.',
  }),
  data: Data,
})

export const OneEvent = Envelope(EventRecord)

export const EventList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(EventRecord),
  meta: Type.Object({
    ...PageMeta.properties,
    resume: Nullable(
      Type.String({
        description:
          'With sort=ASC: the `after` to use for the next request when you follow events. Events ' +
          'less than a minute old are listed again, because concurrent events can become visible late.',
      }),
    ),
  }),
})

export const EventTypeQuery = Type.Object(shortListPaging)

export const EventTypeList = PageOf(
  Type.Object({
    type: Type.String(),
    description: Type.String({ description: 'When the event is raised.' }),
    object: Type.String({
      description: 'The event’s object; `business or subaccount` if it can be either.',
    }),
    example: Data,
    schema: Type.Unsafe<object>({ ...Data, description: 'The JSON schema for `data`.' }),
  }),
)
