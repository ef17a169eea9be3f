import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { EVENT_KINDS } from './catalogue.ts'
import { EventList, EventNamed, EventQuery, EventTypeList, OneEvent } from './schemas.ts'
import { getEvent, listEvents } from './service.ts'

const slice = {
  service: 'user-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'events:read',
} as const

export const eventRoutes = ({ db }: Pick<Deps, 'db'>): Route[] => [
  route({
    ...slice,
    operation: 'list_events',
    summary: 'List events',
    path: '/events',
    query: EventQuery,
    answer: EventList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listEvents(db, caller, query)
      return success('Events.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_event',
    summary: 'Get an event',
    path: '/events/:id',
    params: EventNamed,
    answer: OneEvent,
    handle: async ({ caller, params }) => success('Event.', await getEvent(db, caller, params.id)),
  }),
  route({
    ...slice,
    operation: 'list_event_types',
    summary: 'List the types of events',
    path: '/event-types',
    answer: EventTypeList,
    handle: async () =>
      success(
        'Types of events.',
        EVENT_KINDS.map(({ summary: description, ...kind }) => ({ ...kind, description })),
      ),
  }),
]
