import { Type } from 'typebox'
import type { Db } from '../db/database.ts'
import type { ConsoleDeps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import { hasScope, type Tenant } from '../lib/caller.ts'
import { Envelope } from '../lib/schemas.ts'
import { isUnresolvedAt } from '../provider-orders/decisions.ts'

const count = Type.Integer()
const Waiting = Envelope(
  Type.Object({
    disputes: Type.Integer({ description: 'Open disputes without a response on its way.' }),
    differences: count,
    orders: Type.Integer({ description: 'Orders with an unknown outcome.' }),
  }),
)

/** What waits for a person, for badges in the dashboard: 0 for what the role cannot see. */
export const waitingRoutes = ({ db }: Pick<ConsoleDeps, 'db'>): Route[] => [
  route({
    operation: 'get_waiting',
    method: 'GET',
    path: '/waiting',
    caller: 'member',
    response: Waiting,
    handle: async ({ caller, now }) => {
      const found = await countWaiting(db, caller, now)
      const isReconciling = hasScope(caller, 'reconciliation:read')
      return success('Counts retrieved.', {
        disputes: hasScope(caller, 'disputes:read') ? found.disputes : 0,
        differences: isReconciling ? found.differences : 0,
        orders: isReconciling ? found.orders : 0,
      })
    },
  }),
]

const countWaiting = (db: Db, { businessId, live }: Tenant, now: Date) =>
  db.one<{ disputes: number; differences: number; orders: number }>`
    select (
      select count(*) from disputes d
      where d.business_id = ${businessId} and d.live = ${live} and d.status = 'Open'
        and not exists (
          select from dispute_responses r
          where r.business_id = ${businessId} and r.live = ${live} and r.dispute_id = d.id
            and r.status = 'Sending')
    ) as disputes, (
      select count(*) from provider_differences
      where business_id = ${businessId} and live = ${live} and status = 'Open'
    ) as differences, (
      select count(*) from provider_orders o
      where o.business_id = ${businessId} and o.live = ${live} and ${isUnresolvedAt(now)}
    ) as orders`
