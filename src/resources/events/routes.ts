import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import { isDescending, pageOf, rangeOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { countEvents, type EventRow, selectEvents } from './queries.ts'
import { EventList, EventQuery } from './schemas.ts'

export const eventRoutes = ({ db }: Pick<Deps, 'db'>): Route[] => [
  route({
    service: 'user-service',
    family: 'both',
    errors: 'fields',
    operation: 'list_events',
    summary: 'List events',
    method: 'GET',
    path: '/events',
    scope: 'events:read',
    query: EventQuery,
    answer: EventList,
    handle: async ({ caller, query }) => {
      const filter = {
        type: query.type,
        range: rangeOf(query, caller.timeZone),
        descending: isDescending(query.sort),
        page: query,
      }
      const [found, counted] = await Promise.all([
        selectEvents(db, caller, filter),
        countEvents(db, caller, filter),
      ])
      const { rows, meta } = pageOf(found, query, counted)
      return success(
        'Events.',
        rows.map((row) => eventRecord(row, caller)),
        meta,
      )
    },
  }),
]

const eventRecord = (row: EventRow, { businessId, live }: Tenant) => ({
  id: row.reference,
  reference: row.reference,
  type: row.type,
  timestamp: row.created_at,
  mode: live ? 'live' : 'test',
  businessId,
  object: row.object_type,
  objectId: row.object_id,
  sequence: row.sequence,
  data: JSON.parse(row.data),
})
