import type { Db, Tx } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { timelineEntry, withEntry } from '../../db/timeline.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page, Range } from '../../lib/paging.ts'
import { isUnsent } from '../../provider-orders/statements.ts'
import type { Channel } from '../../providers/connector/types.ts'
import type { TransactionRow } from '../attempts/read.ts'
import type { TransactionState } from '../attempts/schemas.ts'
import { type RefundState, refundMachine } from './schemas.ts'

export interface RefundRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  transaction_id: number
  transaction_reference: string
  /** The payment's channel, which the refund also uses. */
  channel: Channel
  status: RefundState
  amount_minor: Minor
  excess_minor: Minor
  currency: string
  reason: string | null
  message: string | null
  timeline: string
  event_sequence: number
  processed_at: Date | null
  created_at: Date
  /** Whether no provider can have it yet. */
  can_cancel: boolean
}

/** The columns of `refunds r` and its `transactions t`. */
const STORED = sql`r.business_id, r.live, r.id, r.reference, r.transaction_id,
  t.reference as transaction_reference, t.channel, r.status, r.amount_minor, r.excess_minor,
  r.currency, r.reason, r.message, r.timeline, r.event_sequence,
  r.processed_at, r.created_at`

/** In the same order as `RefundRow`. */
const columnsFor = (tenant: Tenant): Sql => sql`${STORED},
  case when r.status in ('Pending', 'Processing') then ${isUnsent('refund', tenant, sql`r.id`)}
    else false end as can_cancel`

const ofPayment = sql`(t.business_id, t.live, t.id)
  = (r.business_id, r.live, r.transaction_id)`

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<RefundRow>`
    select ${columnsFor({ businessId, live })} from refunds r join transactions t on ${ofPayment}
    where r.business_id = ${businessId} and r.live = ${live} and r.id = ${id}`
}

export function selectRefund(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<RefundRow>`
    select ${columnsFor({ businessId, live })} from refunds r join transactions t on ${ofPayment}
    where r.business_id = ${businessId} and r.live = ${live} and r.reference = ${reference}`
}

interface Change {
  from: readonly RefundState[]
  to: RefundState
  message: string | null
  now: Date
  /**
   * If set, moves the refund only if it has not moved since, so that a late response to an old
   * lookup has no effect.
   */
  ifStill?: Pick<RefundRow, 'timeline'>
  /** Whether the move causes an event. */
  hasEvent: boolean
}

/** Moves a refund if its state allows it. Of two concurrent moves, exactly one succeeds. */
export function moveRefund(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, message, now, ifStill, hasEvent }: Change,
) {
  return tx.maybe<RefundRow>`
    update refunds r
    set status = ${to}, message = ${message},
      timeline = ${withEntry(sql`r.timeline`, timelineEntry(to, message, now))},
      processed_at = case when ${to}::text = 'Processed' then ${now}::timestamptz end,
      event_sequence = r.event_sequence + ${hasEvent ? 1 : 0}, updated_at = ${now}
    from transactions t
    where r.business_id = ${businessId} and r.live = ${live} and r.id = ${id} and ${ofPayment}
      and r.status = any(${from}::text[])
      and (${ifStill?.timeline ?? null}::text is null or r.timeline = ${ifStill?.timeline ?? null})
    returning ${columnsFor({ businessId, live })}`
}

/** Marks refunds that are being sent for the first time as Processing. */
export function markSent(tx: Tx, { businessId, live }: Tenant, ids: number[], now: Date) {
  const { to } = refundMachine.moves.send
  return tx.run`
    update refunds
    set status = ${to}, timeline = ${withEntry(sql`timeline`, timelineEntry(to, null, now))},
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
      and status = 'Pending'`
}

export interface RefundShareRow {
  refund_id: number
  subaccount_id: number
  subaccount_code: string
  amount_minor: Minor
}

/** Selects each subaccount's part of several refunds, grouped by refund and in subaccount order. */
export async function sharesOf(
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, RefundShareRow[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<RefundShareRow>`
    select s.refund_id, s.subaccount_id, a.reference as subaccount_code, s.amount_minor
    from refund_shares s
    join subaccounts a on (a.business_id, a.live, a.id) = (s.business_id, s.live, s.subaccount_id)
    where s.business_id = ${businessId} and s.live = ${live}
      and s.refund_id = any(${ids}::bigint[])
    order by s.refund_id, s.subaccount_id`
  return Map.groupBy(rows, ({ refund_id }) => refund_id)
}

export type PaymentRow = Pick<
  TransactionRow,
  | 'id'
  | 'reference'
  | 'purpose'
  | 'purpose_id'
  | 'status'
  | 'channel'
  | 'paid_minor'
  | 'excess_minor'
  | 'refunding_minor'
  | 'refunded_minor'
  | 'disputed_minor'
  | 'reversed_minor'
  | 'currency'
  | 'customer_email'
  | 'customer_name'
>

/** The columns of a `PaymentRow`. */
export const PAYMENT = sql`id, reference, purpose, purpose_id, status, channel, paid_minor,
  excess_minor, refunding_minor, refunded_minor, disputed_minor, reversed_minor, currency,
  customer_email, customer_name`

const isPayment = ({ businessId, live }: Tenant, by: PaymentKey): Sql =>
  sql`business_id = ${businessId} and live = ${live}
    and ${'id' in by ? sql`id = ${by.id}` : sql`reference = ${by.reference}`}`

export type PaymentKey = { id: number } | { reference: string }

export function selectPayment(db: Db, tenant: Tenant, by: PaymentKey) {
  return db.maybe<PaymentRow>`select ${PAYMENT} from transactions where ${isPayment(tenant, by)}`
}

/** Gives the amount of a failed refund back to the payment. */
export function returnToPayment(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, amount_minor, now }: { id: number; amount_minor: Minor; now: Date },
) {
  return tx.one`
    update transactions
    set refunding_minor = refunding_minor - ${amount_minor}::bigint, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning id`
}

interface Refunded {
  id: number
  amount_minor: Minor
  from: readonly TransactionState[]
  to: TransactionState
  now: Date
}

/**
 * Adds a refund's amount to the payment's refunded total. Only the refund has an event for this.
 */
export function addRefunded(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, amount_minor, from, to, now }: Refunded,
) {
  const entry = timelineEntry(to, null, now)
  return tx.one`
    update transactions
    set status = ${to}, refunded_minor = refunded_minor + ${amount_minor}::bigint,
      timeline = ${withEntry(sql`timeline`, entry)}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning id`
}

interface RefundFilter {
  status: RefundState | undefined
  transactionId: number | undefined
  range: Range
  isDescending: boolean
}

export async function findRefunds(
  db: Db,
  tenant: Tenant,
  { status, transactionId, ...filter }: RefundFilter,
  page: Page,
) {
  const list = {
    ...filter,
    table: sql`refunds`,
    columns: sql`id, created_at`,
    tenant,
    filters: [
      status && sql`status = ${status}`,
      transactionId === undefined ? undefined : sql`transaction_id = ${transactionId}`,
    ],
  }
  const { rows: places, meta } = await paginate<{ id: number }>(db, list, page)
  const ids = places.map(({ id }) => id)
  const rows = await selectRefunds(db, tenant, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { rows: ids.map((id) => byId.get(id)!), meta }
}

function selectRefunds(db: Db, { businessId, live }: Tenant, ids: number[]) {
  if (ids.length === 0) return []
  return db.many<RefundRow>`
    select ${columnsFor({ businessId, live })} from refunds r join transactions t on ${ofPayment}
    where r.business_id = ${businessId} and r.live = ${live} and r.id = any(${ids}::bigint[])`
}
