import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { getRequest, listRequests } from './list.ts'
import type { RequestLog } from './log.ts'
import { OneRequest, RequestId, RequestList, RequestQuery } from './schemas.ts'

const slice = {
  service: 'user-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'requests:read',
  // Reads of the log are not logged: a list that grew with every read could never be read to its
  // end.
  unlogged: true,
} as const

export const requestRoutes = ({ db }: Pick<Deps, 'db'>, log: RequestLog): Route[] => [
  route({
    ...slice,
    operation: 'list_requests',
    summary: 'List API requests',
    path: '/requests',
    query: RequestQuery,
    response: RequestList,
    handle: async ({ caller, query }) => {
      await log.flush()
      const { records, meta } = await listRequests(db, caller, query)
      return success('Requests retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_request',
    summary: 'Get an API request with its bodies',
    path: '/requests/:requestId',
    params: RequestId,
    response: OneRequest,
    handle: async ({ caller, params }) => {
      await log.flush()
      return success('Request retrieved.', await getRequest(db, caller, params.requestId))
    },
  }),
]
