import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { PayoutState, RefundState, VendState } from '../provider.ts'

export type OrderStatus = PayoutState['status'] | RefundState['status'] | VendState['status']

export interface SimulatedOrder {
  reference: string
  kind: 'USSD' | 'BANK_TRANSFER' | 'PAYOUT' | 'REFUND' | 'VEND'
  /** The account number, or the biller's customer number. */
  account_number: string | null
  package_slug: string | null
  amount_minor: Minor
  currency: string
  status: OrderStatus
  message: string
  silent_until: Date | null
  due_at: Date | null
  due_status: OrderStatus | null
  due_message: string | null
  next_status: OrderStatus | null
  next_message: string | null
}

/** A repeated reference does not create a second order. */
export function insertOrder(
  db: Db,
  { businessId, live }: Tenant,
  order: SimulatedOrder,
  now: Date,
): Promise<number> {
  return db.run`
    insert into simulator_orders
      (business_id, live, reference, kind, account_number, package_slug, amount_minor, currency,
       status, message, silent_until, due_at, due_status, due_message, next_status, next_message,
       created_at)
    values
      (${businessId}, ${live}, ${order.reference}, ${order.kind}, ${order.account_number},
       ${order.package_slug}, ${order.amount_minor}, ${order.currency}, ${order.status},
       ${order.message}, ${order.silent_until}, ${order.due_at}, ${order.due_status},
       ${order.due_message}, ${order.next_status}, ${order.next_message}, ${now})
    on conflict do nothing`
}

export function selectOrder(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<SimulatedOrder>`
    select reference, kind, account_number, package_slug, amount_minor, currency, status, message,
      silent_until, due_at, due_status, due_message, next_status, next_message
    from simulator_orders
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/**
 * Moves an order to a chosen state if its current state allows that. Returns how many orders moved.
 */
export function moveOrder(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { from, to, message }: { from: readonly OrderStatus[]; to: OrderStatus; message: string },
): Promise<number> {
  return tx.run`
    update simulator_orders
    set status = ${to}, message = ${message}, due_at = null, silent_until = null,
      next_status = null, notify = true
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = any(${from}::text[])`
}

/**
 * Ends a waiting order without a notification, because the response to its request reports the
 * outcome.
 */
export function endOrderNow(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.run`
    update simulator_orders
    set status = due_status, message = due_message, due_at = null, due_status = null,
      due_message = null
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = 'Pending' and due_status is not null`
}

/** Moves due orders to their next step; the step after that is due after the same delay. */
export function moveDueOrders(
  db: Db,
  now: Date,
  delayMs: number,
  only: number | null,
  limit: number,
): Promise<number> {
  return db.run`
    update simulator_orders
    set status = due_status, message = due_message, notify = true,
      due_at = case when next_status is null then null
        else ${now}::timestamptz + ${delayMs} * interval '1 millisecond' end,
      due_status = next_status, due_message = next_message, next_status = null,
      next_message = null
    where (business_id, live, reference) in (
      select business_id, live, reference from simulator_orders
      where due_at <= ${now} and (${only}::bigint is null or business_id = ${only})
      order by due_at limit ${limit} for update skip locked)`
}

/**
 * Notifications still to be sent. After a crash between sending and marking, a notification is sent
 * twice, as happens with real providers.
 */
export function selectNotifications(db: Db, only: number | null, limit: number) {
  return db.many<{ business_id: number; live: boolean; reference: string }>`
    select business_id, live, reference from simulator_orders
    where notify and (${only}::bigint is null or business_id = ${only})
    order by created_at limit ${limit}`
}

export function markNotified(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.run`
    update simulator_orders set notify = false
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}
