import { type Static, Type } from 'typebox'
import { dateRange, paging, pagingOfShort, sorting } from '../../lib/paging.ts'
import { Envelope, Moment, Nullable, PageMeta, PageOf, RecordId } from '../../lib/schemas.ts'

const EventReference = Type.String({ maxLength: 64, examples: ['evt_0VaJ0hMi7xW2pLc9RtVb3nYd'] })

export const EventQuery = Type.Object({
  ...paging,
  ...sorting,
  ...dateRange,
  type: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(?:\\.[a-z_]+)*$',
      maxLength: 60,
      'x-says': 'must be a type of event such as invoice.paid',
    }),
  ),
  objectId: Type.Optional(RecordId('The id of what it happened to.')),
  after: Type.Optional({
    ...EventReference,
    description: 'Only what is listed behind this event; see `resume`.',
  }),
})
export type EventQuery = Static<typeof EventQuery>

export const EventNamed = Type.Object({ id: EventReference })

const Data = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** An event as it is delivered, too (docs/CONTRACT.md, Events and webhooks). */
export const EventRecord = Type.Object({
  id: Type.String(),
  reference: Type.String({ description: 'The same as id.' }),
  status: Type.String({ description: 'Recorded: an event never changes.' }),
  type: Type.String(),
  timestamp: Moment,
  mode: Type.String({ description: 'test or live' }),
  businessId: Type.Integer(),
  object: Type.String({ description: 'What it happened to.' }),
  objectId: Type.Integer(),
  sequence: Type.Integer({ description: 'Counts the events of that object, without gaps.' }),
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
          'With sort=ASC: the `after` of whoever follows events. What it lists comes again until ' +
          'it is a minute old, since events at the same time are not seen in their order.',
      }),
    ),
  }),
})

export const EventTypeQuery = Type.Object(pagingOfShort)

export const EventTypeList = PageOf(
  Type.Object({
    type: Type.String(),
    description: Type.String({ description: 'When it is raised.' }),
    object: Type.String({ description: 'What it happens to; `business or subaccount` for one.' }),
    example: Data,
    schema: Type.Unsafe<object>({ ...Data, description: 'A JSON schema of `data`.' }),
  }),
)
