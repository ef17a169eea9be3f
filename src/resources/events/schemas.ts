import { type Static, Type } from 'typebox'
import { dateRange, paging, sorting } from '../../lib/paging.ts'
import { Moment, PageOf } from '../../lib/schemas.ts'

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
})
export type EventQuery = Static<typeof EventQuery>

/** An event as it is delivered, too (decisions.md, section 10). */
export const EventRecord = Type.Object({
  id: Type.String(),
  reference: Type.String({ description: 'The same as id.' }),
  type: Type.String(),
  timestamp: Moment,
  mode: Type.String({ description: 'test or live' }),
  businessId: Type.Integer(),
  object: Type.String({ description: 'What it happened to.' }),
  objectId: Type.Integer(),
  sequence: Type.Integer({ description: 'Counts the events of that object, without gaps.' }),
  data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
})

export const EventList = PageOf(EventRecord)
