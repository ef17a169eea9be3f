import type { Tx } from '../../db/database.ts'
import { ConcurrentChange, isUniqueViolation } from '../../db/failures.ts'
import {
  CLAIM_COLUMNS,
  type Claim,
  claimRows,
  claimValues,
  isKeyUsed,
  type StoredResponse,
} from '../../db/idempotency.ts'
import { plainArray, textArray, timeArray } from '../../db/pg-arrays.ts'
import { Sql, sql } from '../../db/sql.ts'
import { EVENT_ROW, type EventRow, insertingEventRows } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { unavailable } from '../../lib/problem.ts'
import { newOrdersOf, ORDER_COLUMNS, orderValues } from '../../provider-orders/statements.ts'
import { PAYMENT, type PaymentKey, type PaymentRow, type RefundRow } from './queries.ts'

/* The statements that create refunds, of any tenants, many at a time. */

const fragment = (text: string) => new Sql([text], [])

/** A payment. Only shared ones have shares. */
export type RefundablePayment = PaymentRow & { is_shared: boolean }

const REFUNDABLE = sql`${PAYMENT},
  (split_page_id is not null or subaccount_id is not null) as is_shared`

interface Asked extends Tenant {
  /** Undefined if the request names no payment. */
  payment: PaymentKey | undefined
  reference: string
  claim?: Claim | undefined
}

/** Returns the payment of each request and what else decides about it, in order. */
export async function selectBefore(tx: Tx, asked: readonly Asked[]) {
  const text = (pick: (one: Asked) => string | null) => textArray(asked.map(pick))
  const idOf = ({ payment }: Asked) => (payment && 'id' in payment ? payment.id : null)
  const referenceOf = ({ payment }: Asked) =>
    payment && 'reference' in payment ? payment.reference : null
  const rows = await tx.many<
    { is_key_used: boolean; is_reference_used: boolean } & (RefundablePayment | { id: null })
  >`
    select ${IS_KEY_USED} as is_key_used, exists (
        select from refunds r
        where r.business_id = i.business_id and r.live = i.live and r.reference = i.refund_reference
      ) as is_reference_used, p.*
    from unnest(
      ${plainArray(asked.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(asked.map(({ live }) => live))}::boolean[],
      ${plainArray(asked.map(idOf))}::bigint[], ${text(referenceOf)}::text[],
      ${text(({ reference }) => reference)}::text[],
      ${text(({ claim }) => claim?.scope ?? null)}::text[],
      ${text(({ claim }) => claim?.key ?? null)}::text[]
    ) with ordinality as i (business_id, live, payment_id, payment_reference, refund_reference,
                            scope, key, n)
    left join lateral (
      select ${REFUNDABLE} from transactions t
      where t.business_id = i.business_id and t.live = i.live and t.id = i.payment_id
      union all
      select ${REFUNDABLE} from transactions t
      where t.business_id = i.business_id and t.live = i.live
        and t.reference = i.payment_reference
      limit 1) p on true
    order by n`
  return rows.map(({ is_key_used, is_reference_used, ...payment }) => ({
    is_key_used,
    is_reference_used,
    payment: payment.id === null ? undefined : (payment as RefundablePayment),
  }))
}

const IS_KEY_USED = fragment(isKeyUsed('i'))

/** Returns which of these references refunds have, each with its tenant, as in `referenceKey`. */
export async function selectUsed(
  tx: Tx,
  asked: readonly (Tenant & { reference: string })[],
): Promise<Set<string>> {
  const rows = await tx.many<{ business_id: number; live: boolean; reference: string }>`
    select business_id, live, reference from refunds join unnest(
      ${plainArray(asked.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(asked.map(({ live }) => live))}::boolean[],
      ${textArray(asked.map(({ reference }) => reference))}::text[]
    ) as i (business_id, live, reference) using (business_id, live, reference)`
  return new Set(
    rows.map(({ business_id, live, reference }) =>
      referenceKey({ businessId: business_id, live, reference }),
    ),
  )
}

export const referenceKey = ({ businessId, live, reference }: Tenant & { reference: string }) =>
  `${businessId} ${live} ${reference}`

type PaymentId = Tenant & { id: number }

const wantedPayments = (payments: readonly PaymentId[]) => sql`unnest(
  ${plainArray(payments.map(({ businessId }) => businessId))}::bigint[],
  ${plainArray(payments.map(({ live }) => live))}::boolean[],
  ${plainArray(payments.map(({ id }) => id))}::bigint[]
) as w (w_business_id, w_live, w_id)`

/** Locks payments until the transaction ends, in order of their ids. */
export const lockPayments = (tx: Tx, payments: readonly PaymentId[]) =>
  tx.many<RefundablePayment & { business_id: number; live: boolean }>`
    select business_id, live, ${REFUNDABLE}
    from transactions join ${wantedPayments(payments)}
      on (business_id, live, id) = (w_business_id, w_live, w_id)
    order by id for no key update of transactions`

interface Sums {
  id: number
  refunds_total_minor: Minor
  refunds_excess_minor: Minor
  disputes_total_minor: Minor
  disputes_excess_minor: Minor
  /** The balance of the wallet in the payment's currency. */
  available_minor: Minor
}

/**
 * Adds up what refunds and disputes have taken from payments, or may still take, and the overpaid
 * part of that. Excludes failed refunds.
 */
export const sumTaken = (tx: Tx, payments: readonly (PaymentId & { currency: string })[]) =>
  tx.many<Sums>`
    select w_id as id, r.*, d.*, coalesce(a.available_minor, 0) as available_minor
    from unnest(
      ${plainArray(payments.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(payments.map(({ live }) => live))}::boolean[],
      ${plainArray(payments.map(({ id }) => id))}::bigint[],
      ${textArray(payments.map(({ currency }) => currency))}::text[]
    ) as w (w_business_id, w_live, w_id, w_currency)
    cross join lateral (
      select coalesce(sum(amount_minor), 0)::bigint as refunds_total_minor,
        coalesce(sum(excess_minor), 0)::bigint as refunds_excess_minor
      from refunds
      where business_id = w_business_id and live = w_live and transaction_id = w_id
        and status <> 'Failed'
    ) r
    cross join lateral (
      select coalesce(sum(taken), 0)::bigint as disputes_total_minor,
        coalesce(sum(least(taken, excess_minor)), 0)::bigint as disputes_excess_minor
      from (
        select coalesce(lost_minor, amount_minor) as taken, excess_minor from disputes
        where business_id = w_business_id and live = w_live and transaction_id = w_id
      ) as disputes
    ) d
    left join lateral (
      select credits_minor - debits_minor as available_minor from ledger_accounts
      where business_id = w_business_id and live = w_live and kind = 'wallet_available'
        and subject_id = 0 and currency = w_currency
      limit 1) a on true`

export interface PaymentShareRow {
  transaction_id: number
  subaccountId: number
  subaccount_code: string
  amount_minor: Minor
  fee_minor: Minor
  refunded_minor: Minor
  /** The balance of the subaccount. */
  balance_minor: Minor
}

/** Selects the shares of payments, in subaccount order. */
export const selectPaymentShares = (tx: Tx, payments: readonly PaymentId[]) =>
  tx.many<PaymentShareRow>`
    select s.transaction_id, s.subaccount_id as "subaccountId", a.reference as subaccount_code,
      s.amount_minor, s.fee_minor, s.refunded_minor,
      coalesce(l.credits_minor - l.debits_minor, 0) as balance_minor
    from ${wantedPayments(payments)}
    join transactions t on (t.business_id, t.live, t.id) = (w_business_id, w_live, w_id)
    join transaction_shares s
      on (s.business_id, s.live, s.transaction_id) = (w_business_id, w_live, w_id)
    join subaccounts a on (a.business_id, a.live, a.id) = (s.business_id, s.live, s.subaccount_id)
    left join ledger_accounts l
      on l.business_id = s.business_id and l.live = s.live and l.kind = 'subaccount'
        and l.subject_id = s.subaccount_id and l.currency = t.currency
    order by s.subaccount_id`

/** A refund to be stored, with everything that is written in the same statement. */
export interface NewRefundRow {
  row: RefundRow
  provider: string
  /** The connection to the provider that pays the refund. */
  connection_id: number
  /** Unlike the refund's reference, never chosen by the caller. */
  generated_reference: string
  event: EventRow
  claim?: Claim | undefined
  /** The response to store with the claim. */
  answer: StoredResponse | undefined
}

/**
 * Stores refunds with their orders, events, claims and responses, and counts what they take from
 * their payments, in one statement. The caller must have locked the payments and decided that
 * enough is left. The orders are due at once. Throws a `ConcurrentChange` if another transaction
 * has just used a refund's reference.
 */
export async function insertRefunds(tx: Tx, refunds: readonly NewRefundRow[]): Promise<void> {
  const rows = JSON.stringify(refunds.map(valuesOf))
  const events = JSON.stringify(refunds.map(({ event }) => event))
  const takings = [...Map.groupBy(refunds, ({ row }) => row.transaction_id).values()]
  const first = (pick: (row: RefundRow) => number | boolean) =>
    plainArray(takings.map(([one]) => pick(one!.row)))
  const taken = takings.map((own) => own.reduce((sum, { row }) => sum + row.amount_minor, 0n))
  try {
    await tx.run`
      with incoming as materialized (
        select * from json_to_recordset(${rows}::json) as t (${ROW})
      ), told as materialized (
        select * from json_to_recordset(${events}::json) as t (${EVENT})
      ), taken as (
        update transactions t
        set refunding_minor = refunding_minor + w_taken_minor, updated_at = w_now
        from unnest(
          ${first((row) => row.business_id)}::bigint[], ${first((row) => row.live)}::boolean[],
          ${first((row) => row.transaction_id)}::bigint[], ${plainArray(taken)}::bigint[],
          ${timeArray(takings.map((own) => own.at(-1)!.row.created_at))}::timestamptz[]
        ) as w (w_business_id, w_live, w_id, w_taken_minor, w_now)
        where (business_id, live, id) = (w_business_id, w_live, w_id)
      ), inserted as (${INSERTED}), ordered as (${ORDERED}), claimed as (${CLAIMED}), ${TOLD}
      select from incoming`
  } catch (error) {
    throw isUniqueViolation(error, REFERENCE_KEY) ? new ConcurrentChange(justUsed()) : error
  }
}

const REFERENCE_KEY = 'refunds_business_id_live_reference_key'

const justUsed = () =>
  unavailable('server_busy', 'The reference has just been used. Nothing was done; try again.')

const COLUMNS = [
  'business_id bigint',
  'live boolean',
  'id bigint',
  'reference text',
  'transaction_id bigint',
  'status text',
  'amount_minor bigint',
  'excess_minor bigint',
  'currency text',
  'reason text',
  'provider text',
  'timeline text',
  'event_sequence bigint',
  'created_at timestamptz',
]
const NAMES = COLUMNS.map((column) => column.split(' ')[0]).join(', ')

const ROW = fragment(`${COLUMNS.join(', ')}, ${ORDER_COLUMNS}, ${CLAIM_COLUMNS}, response text`)
const EVENT = fragment(EVENT_ROW)
const INSERTED = fragment(
  `insert into refunds (${NAMES}, updated_at) select ${NAMES}, created_at from incoming`,
)
const ORDERED = newOrdersOf('refund', sql`incoming`)
const CLAIMED = fragment(claimRows('incoming', '201', 'response'))
const TOLD = fragment(insertingEventRows('told'))

function valuesOf({ row, claim, answer, ...order }: NewRefundRow) {
  return {
    ...row,
    amount_minor: `${row.amount_minor}`,
    excess_minor: `${row.excess_minor}`,
    provider: order.provider,
    ...orderValues(order.generated_reference, {
      connectionId: order.connection_id,
      amount_minor: row.amount_minor,
      currency: row.currency,
      sentAt: null,
      nextAt: row.created_at,
    }),
    ...claimValues(claim),
    response: claim && answer?.body,
  }
}

/** One subaccount's part of a refund. */
export interface ShareChange extends Tenant {
  /** The id of the subaccount's entry. */
  id: number
  transactionId: number
  refundId: number
  subaccountId: number
  amount_minor: Minor
  currency: string
  now: Date
}

const plain = <Row>(rows: readonly Row[], pick: (row: Row) => number | bigint | boolean) =>
  plainArray(rows.map(pick))

/** Stores what each subaccount contributes to refunds. */
export const insertShares = (tx: Tx, shares: readonly Omit<ShareChange, 'id'>[]) =>
  tx.run`
    insert into refund_shares (business_id, live, refund_id, subaccount_id, amount_minor)
    select * from unnest(
      ${plain(shares, ({ businessId }) => businessId)}::bigint[],
      ${plain(shares, ({ live }) => live)}::boolean[],
      ${plain(shares, ({ refundId }) => refundId)}::bigint[],
      ${plain(shares, ({ subaccountId }) => subaccountId)}::bigint[],
      ${plain(shares, ({ amount_minor }) => amount_minor)}::bigint[])`

/**
 * Takes refunds' parts from the shares of their payments, or returns them after a failure. Also
 * writes an entry for each. Returns how many of them come from shares that had enough left.
 */
export function changeShares(
  tx: Tx,
  kind: 'refund' | 'refund_failed',
  shares: readonly ShareChange[],
): Promise<number> {
  const sign = kind === 'refund' ? 1n : -1n
  return tx.run`
    with changes as (
      select * from unnest(
        ${plain(shares, ({ businessId }) => businessId)}::bigint[],
        ${plain(shares, ({ live }) => live)}::boolean[],
        ${plain(shares, ({ id }) => id)}::bigint[],
        ${plain(shares, ({ transactionId }) => transactionId)}::bigint[],
        ${plain(shares, ({ refundId }) => refundId)}::bigint[],
        ${plain(shares, ({ subaccountId }) => subaccountId)}::bigint[],
        ${plain(shares, ({ amount_minor }) => sign * amount_minor)}::bigint[],
        ${textArray(shares.map(({ currency }) => currency))}::text[],
        ${timeArray(shares.map(({ now }) => now))}::timestamptz[]
      ) as changes (business_id, live, entry_id, transaction_id, refund_id, subaccount_id, amount,
                    currency, created_at)
    ), sums as (
      select business_id, live, transaction_id, subaccount_id, sum(amount)::bigint as amount
      from changes group by business_id, live, transaction_id, subaccount_id
    ), changed as (
      update transaction_shares s
      set refunded_minor = s.refunded_minor + c.amount
      from sums c
      where s.business_id = c.business_id and s.live = c.live
        and s.transaction_id = c.transaction_id and s.subaccount_id = c.subaccount_id
        and s.refunded_minor + c.amount between 0 and s.amount_minor - s.fee_minor
      returning s.business_id, s.live, s.transaction_id, s.subaccount_id
    )
    insert into subaccount_entries
      (business_id, live, id, subaccount_id, kind, transaction_id, refund_id, amount_minor,
       currency, created_at)
    select business_id, live, entry_id, subaccount_id, ${kind}, transaction_id, refund_id, -amount,
      currency, created_at
    from changes join changed using (business_id, live, transaction_id, subaccount_id)`
}
