import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { COLUMNS, type OrderRow } from './queries.ts'

const ORDERS_MAX = 20

/** Selects the orders that a connection has under a number of the provider's. */
export const selectByProviderId = (
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  providerId: string,
) =>
  db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_id = ${providerId}
    order by created_at desc limit ${ORDERS_MAX}`

/** Selects the latest payments that a connection has not finished sending back. */
export const selectOpenRefunds = (db: Db, { businessId, live }: Tenant, connectionId: number) =>
  db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live}
      and kind in ('refund', 'deposit_return')
      and connection_id = ${connectionId} and next_at is not null
    order by created_at desc limit ${ORDERS_MAX}`

/** What a lookup can change about an order. */
export const selectOutcome = (db: Db, order: OrderRow) =>
  db.maybe<Pick<OrderRow, 'state' | 'ended_at'> & { last_outcome: string | null }>`
    select state, ended_at, last_outcome from provider_orders
    where business_id = ${order.business_id} and live = ${order.live} and kind = ${order.kind}
      and subject_id = ${order.subject_id} and attempt = ${order.attempt}`
