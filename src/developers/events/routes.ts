import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { allOrPage } from '../../lib/paging.ts'
import {
  EventList,
  EventNamed,
  EventQuery,
  EventTypeList,
  EventTypeQuery,
  OneEvent,
} from './schemas.ts'
import { getEvent, listEvents, requireReadable } from './service.ts'

const slice = {
  service: 'user-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'events:read',
} as const

export const eventRoutes = ({ db, events }: Pick<Deps, 'db' | 'events'>): Route[] => [
  route({
    ...slice,
    operation: 'list_events',
    summary: 'List events',
    path: '/events',
    query: EventQuery,
    response: EventList,
    handle: async ({ caller, query }) => {
      if (query.type !== undefined) requireReadable(caller, events, [query.type])
      const { records, meta } = await listEvents({ db, events }, caller, query)
      return success('Events retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_event',
    summary: 'Get an event',
    path: '/events/:id',
    params: EventNamed,
    response: OneEvent,
    handle: async ({ caller, params }) => {
      const event = await getEvent(db, caller, params.id)
      requireReadable(caller, events, [event.type])
      return success('Event retrieved.', event)
    },
  }),
  route({
    ...slice,
    operation: 'list_event_types',
    summary: 'List event types',
    path: '/event-types',
    query: EventTypeQuery,
    response: EventTypeList,
    async handle({ query }) {
      const kinds = events.kinds.map(({ summary: description, ...kind }) => ({
        ...kind,
        description,
      }))
      const { rows, meta } = allOrPage(kinds, query)
      return success('Event types retrieved.', rows, meta)
    },
  }),
]
