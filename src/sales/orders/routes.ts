import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { OneOrder, OrderList, OrderQuery, OrderReference } from './schemas.ts'
import { getOrder, listOrders } from './service.ts'

const slice = {
  service: 'transaction-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'orders:read',
} as const

export const orderRoutes = (deps: Pick<Deps, 'db' | 'publicUrl'>): Route[] => [
  route({
    ...slice,
    operation: 'list_orders',
    summary: 'List orders',
    path: '/orders',
    query: OrderQuery,
    response: OrderList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listOrders(deps.db, deps, caller, query)
      return success('Orders retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_order',
    summary: 'Get an order',
    path: '/orders/:reference',
    params: OrderReference,
    response: OneOrder,
    handle: async ({ caller, params }) =>
      success('Order retrieved.', await getOrder(deps.db, deps, caller, params.reference)),
  }),
]
