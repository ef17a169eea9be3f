import { openBatch, perDatabase, readInBatches } from '../../db/batch.ts'
import type { Db, Tx } from '../../db/database.ts'
import { findFairly, keyCondition, takeDue } from '../../db/leases.ts'
import { plainArray, textArray } from '../../db/pg-arrays.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import type { DisputeState, PayoutState, RefundState, VendState } from '../connector/types.ts'

export type OrderStatus = PayoutState['status'] | RefundState['status'] | VendState['status']

export interface SimulatedOrder {
  reference: string
  kind: 'USSD' | 'BANK_TRANSFER' | 'CARD' | 'PAYOUT' | 'REFUND' | 'VEND'
  /** The number of the virtual account, or the biller's customer number. */
  account_number: string | null
  package_slug: string | null
  /** Where the payer of a card payment comes from, and goes back to. */
  return_url: string | null
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

/**
 * Stores many orders in one statement. Like a provider, ignores a repeated reference, so that there
 * is no second order.
 */
export const orderBatch = perDatabase((db) =>
  openBatch<{ tenant: Tenant; order: SimulatedOrder; now: Date }, void>({
    db,
    businessOf: ({ tenant }) => tenant.businessId,
    async write(items) {
      const rows = items.map(({ tenant, order, now }) => ({
        ...order,
        business_id: tenant.businessId,
        live: tenant.live,
        amount_minor: `${order.amount_minor}`,
        created_at: now,
      }))
      await db.run`
        insert into simulator_orders
          (business_id, live, reference, kind, account_number, package_slug, return_url,
           amount_minor, currency, status, message, silent_until, due_at, due_status, due_message,
           next_status, next_message, created_at)
        select business_id, live, reference, kind, account_number, package_slug, return_url,
          amount_minor, currency, status, message, silent_until, due_at, due_status, due_message,
          next_status, next_message, created_at
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as t (business_id bigint, live boolean, reference text, kind text, account_number text,
            package_slug text, return_url text, amount_minor bigint, currency text, status text,
            message text, silent_until timestamptz, due_at timestamptz, due_status text,
            due_message text, next_status text, next_message text, created_at timestamptz)
        on conflict do nothing`
      return items.map(() => undefined)
    },
  }),
)

export const ordersByReference = readInBatches<
  { tenant: Tenant; reference: string },
  SimulatedOrder
>(
  ({ tenant }) => tenant.businessId,
  (db, items) => db.many`
    select n, reference, kind, account_number, package_slug, return_url, amount_minor, currency,
      status, message, silent_until, due_at, due_status, due_message, next_status, next_message
    from unnest(
      ${plainArray(items.map(({ tenant }) => tenant.businessId))}::bigint[],
      ${plainArray(items.map(({ tenant }) => tenant.live))}::boolean[],
      ${textArray(items.map(({ reference }) => reference))}::text[]
    ) with ordinality as i (business_id, live, reference, n)
    join simulator_orders using (business_id, live, reference)`,
)

/**
 * Selects orders of some kinds by the time at which they were taken. `after` is the reference of
 * the last one that was read with the time `from`.
 */
export function selectOrders(
  db: Db,
  { businessId, live }: Tenant,
  kinds: readonly SimulatedOrder['kind'][],
  { from, until }: { from: Date; until: Date },
  after: string,
  limit: number,
) {
  return db.many<SimulatedOrder & { created_at: Date }>`
    select reference, kind, status, amount_minor, currency,
      date_trunc('milliseconds', created_at) as created_at
    from simulator_orders
    where business_id = ${businessId} and live = ${live} and kind = any(${kinds}::text[])
      and created_at < ${until}
      and (date_trunc('milliseconds', created_at), reference)
        > (${from}::timestamptz, ${after}::text)
    order by date_trunc('milliseconds', created_at), reference limit ${limit}`
}

/**
 * Moves an order to a chosen state, if its current state allows that. Returns how many orders
 * moved.
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

/** Pays an order that needs attention after a delay. Returns whether its state allowed that. */
export async function retryOrder(
  db: Db,
  { businessId, live }: Tenant,
  reference: string,
  dueAt: Date,
): Promise<boolean> {
  const retried = await db.run`
    update simulator_orders
    set status = 'Pending', message = 'Waiting for the bank', due_at = ${dueAt},
      due_status = 'Successful', due_message = 'Paid'
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = 'NeedsAttention'`
  return retried === 1
}

/** Lets a Pending order that waits for its payer end by itself, later. */
export function scheduleOrder(
  db: Db,
  { businessId, live }: Tenant,
  reference: string,
  { status, message, dueAt }: { status: OrderStatus; message: string; dueAt: Date },
): Promise<number> {
  return db.run`
    update simulator_orders
    set due_at = ${dueAt}, due_status = ${status}, due_message = ${message}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = 'Pending' and due_at is null`
}

export interface SimulatedPayment {
  id: number
  provider_id: string
  amount_minor: Minor
  currency: string
  /** Whether the provider keeps the payment if it is not accepted. */
  is_kept: boolean
  received_at: Date
}

/**
 * Stores a payment into an account, of which the simulator notifies us until we have received it.
 * Returns the reference of the account's order; nothing if there is no such account.
 */
export function insertPayment(
  tx: Tx,
  { businessId, live }: Tenant,
  accountNumber: string,
  payment: SimulatedPayment,
) {
  return tx.maybe<{ reference: string }>`
    with paid as (
      update simulator_orders set notify = true
      where business_id = ${businessId} and live = ${live} and kind = 'BANK_TRANSFER'
        and account_number = ${accountNumber}
      returning reference
    )
    insert into simulator_payments
      (business_id, live, id, reference, provider_id, amount_minor, currency, is_kept, received_at)
    select ${businessId}::bigint, ${live}::boolean, ${payment.id}::bigint, reference,
      ${payment.provider_id}::text, ${payment.amount_minor}::bigint, ${payment.currency}::text,
      ${payment.is_kept}::boolean, ${payment.received_at}::timestamptz
    from paid
    returning reference`
}

export function selectPayments(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.many<SimulatedPayment>`
    select id, provider_id, amount_minor, currency, is_kept, received_at from simulator_payments
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
    order by id`
}

/** Selects a payment with the reference and the account of the order that it was for. */
export function selectPaid(db: Db, { businessId, live }: Tenant, id: number) {
  return db.one<{ reference: string; account_number: string; provider_id: string }>`
    select p.reference, o.account_number, p.provider_id
    from simulator_payments p
    join simulator_orders o
      on (o.business_id, o.live, o.reference) = (p.business_id, p.live, p.reference)
    where p.business_id = ${businessId} and p.live = ${live} and p.id = ${id}`
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

/** Moves due orders to their next step. The step after that is due after the same delay. */
export async function moveDueOrders(
  db: Db,
  now: Date,
  delayMs: number,
  only: number | null,
  limit: number,
): Promise<number> {
  const find = (isOther: Sql) => db.many<OrderKey>`
    select business_id, live, reference from simulator_orders
    where due_at <= ${now} and ${isOther} and (${only}::bigint is null or business_id = ${only})
    order by due_at limit ${limit}`
  const move = (keys: OrderKey[]) => db.many`
    update simulator_orders
    set status = due_status, message = due_message, notify = true,
      due_at = case when next_status is null then null
        else ${addMs(now, delayMs)}::timestamptz end,
      due_status = next_status, due_message = next_message, next_status = null,
      next_message = null
    where (business_id, live, reference) in (
      select business_id, live, reference from simulator_orders
      where ${isOrder(keys)} and due_at <= ${now} for update skip locked)
    returning reference`
  return (await takeDue(db, () => findFairly(db, 'simulator', limit, find), move)).length
}

interface OrderKey {
  business_id: number
  live: boolean
  reference: string
}

const isOrder = keyCondition<OrderKey>({ reference: 'text' })

/**
 * Selects the notifications that have not been sent. After a crash between sending and marking, a
 * notification is sent twice, as real providers sometimes do.
 */
export function selectNotifications(db: Db, only: number | null, limit: number) {
  const find = (isOther: Sql) => db.many<OrderKey>`
    select business_id, live, reference from simulator_orders
    where notify and ${isOther} and (${only}::bigint is null or business_id = ${only})
    order by created_at limit ${limit}`
  return findFairly(db, 'simulated notifications', limit, find)
}

export function markNotified(db: Db, notices: readonly OrderKey[]) {
  return db.run`
    update simulator_orders o set notify = false
    from unnest(
      ${plainArray(notices.map(({ business_id }) => business_id))}::bigint[],
      ${plainArray(notices.map(({ live }) => live))}::boolean[],
      ${textArray(notices.map(({ reference }) => reference))}::text[]
    ) as n (business_id, live, reference)
    where o.business_id = n.business_id and o.live = n.live and o.reference = n.reference`
}

export interface SimulatedDispute {
  provider_id: string
  charge_reference: string
  status: DisputeState['status']
  amount_minor: Minor
  currency: string
  reason: string
  due_at: Date
  created_at: Date
}

/**
 * Locks a charge's order until the transaction ends, and adds up what disputes hold or have taken
 * of the charge.
 */
export async function lockDisputed(
  tx: Tx,
  { businessId, live }: Tenant,
  chargeReference: string,
): Promise<Minor> {
  // The next statement sees what a simultaneous dispute of this charge has written.
  await tx.run`
    select from simulator_orders
    where business_id = ${businessId} and live = ${live} and reference = ${chargeReference}
    for no key update`
  const { disputed_minor } = await tx.one<{ disputed_minor: Minor }>`
    select coalesce(sum(amount_minor), 0)::bigint as disputed_minor from simulator_disputes
    where business_id = ${businessId} and live = ${live}
      and charge_reference = ${chargeReference} and status <> 'Won'`
  return disputed_minor
}

export const insertDispute = (tx: Tx, { businessId, live }: Tenant, row: SimulatedDispute) =>
  tx.run`
    insert into simulator_disputes
      (business_id, live, provider_id, charge_reference, status, amount_minor, currency, reason,
       due_at, created_at)
    values (${businessId}, ${live}, ${row.provider_id}, ${row.charge_reference}, ${row.status},
      ${row.amount_minor}, ${row.currency}, ${row.reason}, ${row.due_at}, ${row.created_at})`

const DISPUTE = sql`provider_id, charge_reference, status, amount_minor, currency, reason, due_at,
  created_at`

export const selectDispute = (db: Db, { businessId, live }: Tenant, providerId: string) =>
  db.maybe<SimulatedDispute>`
    select ${DISPUTE} from simulator_disputes
    where business_id = ${businessId} and live = ${live} and provider_id = ${providerId}`

interface DisputeChange {
  from: readonly DisputeState['status'][]
  to: DisputeState['status']
  amount_minor?: Minor
  now: Date
}

/** Changes a dispute if its state allows that, and if a response that it awaits is not overdue. */
export const updateDispute = (
  db: Db,
  { businessId, live }: Tenant,
  providerId: string,
  { from, to, amount_minor, now }: DisputeChange,
) =>
  db.maybe<SimulatedDispute>`
    update simulator_disputes
    set status = ${to}, amount_minor = coalesce(${amount_minor ?? null}::bigint, amount_minor)
    where business_id = ${businessId} and live = ${live} and provider_id = ${providerId}
      and status = any(${from}::text[])
      and (status <> 'AwaitingResponse' or due_at > ${now})
    returning ${DISPUTE}`
