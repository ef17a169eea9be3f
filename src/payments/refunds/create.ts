import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller } from '../../lib/caller.ts'
import { formatAmount, type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { conflict, invalid, Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { holdOrRetry, requireBalance } from '../../money/wallet/service.ts'
import { findPaidOrder, orderJobName } from '../../provider-orders/orders.ts'
import type { Connection } from '../../providers/connector/types.ts'
import { SIMULATOR_CONNECTION } from '../../providers/providers.ts'
import { transactionMachine } from '../attempts/schemas.ts'
import {
  allocateRefund,
  changeShareBalances,
  type RefundParts,
  refundableParts,
} from './allocation.ts'
import {
  insertRefund,
  insertShares,
  type PaymentRow,
  type RefundRow,
  type RefundShareRow,
  type Shortfall,
  selectPayment,
  selectPaymentShares,
  selectRefund,
  selectShortfall,
  sharesOf,
  sumTaken,
  takeFromPayment,
} from './queries.ts'
import { refundEvent, refundRecord } from './record.ts'
import type { NewRefund } from './schemas.ts'
import { requirePayment } from './service.ts'

type CreateDeps = Pick<Deps, 'ids' | 'providers' | 'nudge'>

/**
 * Holds the money for a refund, taken from everyone who received part of the payment. A job pays it
 * out. Throws 400, without storing anything, if the amount exceeds what is left of the payment or
 * what is in one of the accounts.
 */
export async function createRefund(
  tx: Tx,
  deps: CreateDeps,
  caller: Pick<Caller, 'businessId' | 'live' | 'now'>,
  { amount, reason, reference: given, ...asked }: NewRefund,
) {
  // A reference chosen by the caller can be any string, and is unique only within its business and
  // mode.
  const generated_reference = newReference('RFD')
  const reference = given ?? generated_reference
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const found = await requirePayment(asked, (by) => selectPayment(tx, tenant, by))
  if (await selectRefund(tx, tenant, reference)) throw referenceUsed()
  const wanted_minor = amount === undefined ? null : parseAmount(amount, found.currency)
  const payment = await takeOrRefuse(tx, tenant, found, { wanted_minor, reference, now })

  const { id: transaction_id, currency } = payment
  const { amount_minor, parts } = await partsOf(tx, tenant, payment, wanted_minor)
  const connection = await connectionOf(tx, deps, tenant, payment)
  const id = await deps.ids.next(tx)
  const { excess_minor } = parts
  const row = { id, reference, transaction_id, amount_minor, excess_minor, currency }
  const refund = await insertRefund(tx, tenant, {
    ...row,
    reason: reason ?? null,
    provider: connection.provider,
    connection_id: connection.id,
    generated_reference,
    now,
  })
  if (!refund) throw referenceUsed()
  const shares = await takeShares(tx, deps.ids, tenant, refund, parts, now)
  await appendEvents(tx, deps.ids, [refundEvent('refund.pending', refund, shares, now)])
  // All requests share the wallet's row, so it is locked as briefly as possible.
  await holdParts(tx, deps.ids, tenant, refund, parts, now)
  tx.after(() => deps.nudge(orderJobName('refund')))
  return refundRecord(refund, shares)
}

type Tenant = Pick<Caller, 'businessId' | 'live'>

/**
 * Returns the connection that has the payment's money. Payments that ended before orders were
 * stored for them have no order; the simulator took them all.
 */
async function connectionOf(
  tx: Tx,
  { providers }: CreateDeps,
  tenant: Tenant,
  { id }: PaymentRow,
): Promise<Connection> {
  const paid = await findPaidOrder(tx, tenant, id)
  const provider = paid
    ? await providers.holder(paid.connection_id, tx)
    : await providers.holder(SIMULATOR_CONNECTION, tx)
  return provider.connection
}

const leftIn = ({ paid_minor, refunding_minor, disputed_minor }: PaymentRow): Minor =>
  (paid_minor ?? 0n) - refunding_minor - disputed_minor

interface Wanted {
  /** If null, everything that is left is refunded. */
  wanted_minor: Minor | null
  reference: string
  now: Date
}

/**
 * How many times to try if a payment changes between finding that too little is left and finding
 * out why.
 */
const TRIES_MAX = 3

async function takeOrRefuse(
  tx: Tx,
  tenant: Tenant,
  { id }: PaymentRow,
  { wanted_minor, reference, now }: Wanted,
): Promise<PaymentRow> {
  const { from } = transactionMachine.moves.refund_part
  const taking = { id, amount_minor: wanted_minor, from, now }
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const payment = await takeFromPayment(tx, tenant, taking)
    if (payment) return payment
    // A simultaneous attempt at the same request may have taken the amount.
    if (await selectRefund(tx, tenant, reference)) throw referenceUsed()
    const seen = await selectPayment(tx, tenant, { id })
    const problem = seen && refusal(seen, wanted_minor)
    if (problem) throw problem
  }
  throw unavailable('payment_just_ended', 'The payment has just changed. Try again.')
}

/** Returns why nothing can be taken from a payment; `undefined` if it can. */
function refusal(payment: PaymentRow, wanted_minor: Minor | null): Problem | undefined {
  const { status, channel, currency, paid_minor } = payment
  if (channel === 'OFFLINE') {
    return conflict(
      'transaction_state',
      'Tradepost did not receive this payment. Refund it the way it was paid.',
    )
  }
  if (paid_minor === null || status === 'Reversed') {
    return conflict(
      'transaction_state',
      `Only received payments can be refunded; this transaction is ${status}.`,
    )
  }
  const left_minor = leftIn(payment)
  if (left_minor <= 0n && payment.refunding_minor < paid_minor) {
    return conflict(
      'payment_disputed',
      'The payer has disputed this payment. Accept or contest the dispute instead.',
    )
  }
  if (left_minor <= 0n)
    return exceeds(
      'cannot be refunded: this payment has already been refunded in full, or is being refunded',
    )
  if (wanted_minor === null || wanted_minor <= left_minor) return undefined
  return exceeds(
    `must be at most ${printMinor(left_minor, currency)}, the amount remaining on this payment`,
  )
}

const exceeds = (fault: string) => invalid({ amount: [fault] }, 'refund_exceeds_payment')

function alreadySettled({ reference, needed_minor, left_minor }: Shortfall, currency: string) {
  const says = (minor: Minor) => formatAmount(minor, currency)
  const figures = `${says(needed_minor)} needed, ${says(left_minor)} available`
  return new Problem(
    'invalid',
    'insufficient_balance',
    `Insufficient balance in ${reference}, whose shares have already been settled: ${figures}.`,
    { fields: { amount: [`is more than the balance of ${reference}: ${figures}`] } },
  )
}

const referenceUsed = () =>
  conflict('refund_reference_used', 'Another refund has this reference.', {
    reference: ['is already used by another refund'],
  })

/** Decides how much the refund takes from each party, given what previous refunds have left. */
async function partsOf(
  tx: Tx,
  tenant: Tenant,
  { id, paid_minor, excess_minor, refunding_minor }: PaymentRow,
  wanted_minor: Minor | null,
): Promise<{ amount_minor: Minor; parts: RefundParts }> {
  const shares = await selectPaymentShares(tx, tenant, id)
  const { refunds, disputes } = await sumTaken(tx, tenant, id)
  const amount_minor = wanted_minor ?? refunding_minor - refunds.total_minor
  const payment = { paid_minor: paid_minor!, excess_minor }
  const left = refundableParts(payment, shares, refunds, disputes)
  return { amount_minor, parts: allocateRefund(amount_minor, left) }
}

const giving = ({ shares }: RefundParts) => shares.filter(({ amount_minor }) => amount_minor > 0n)

async function takeShares(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { id, transaction_id: transactionId, currency }: RefundRow,
  parts: RefundParts,
  now: Date,
): Promise<RefundShareRow[]> {
  const shares = giving(parts)
  if (shares.length === 0) return []
  // This check only improves the error message. The ledger ensures that the balance is sufficient.
  const short = await selectShortfall(tx, tenant, currency, shares)
  if (short) throw alreadySettled(short, currency)
  await insertShares(tx, tenant, id, shares)
  const change = { transactionId, kind: 'refund', refundId: id, currency, now } as const
  await changeShareBalances(tx, ids, tenant, change, shares)
  return (await sharesOf(tx, tenant, [id])).get(id) ?? []
}

async function holdParts(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { id, amount_minor, currency }: RefundRow,
  parts: RefundParts,
  now: Date,
): Promise<void> {
  const shares = giving(parts).map((share) => ({
    account: { kind: 'subaccount', currency, subjectId: share.subaccountId } as const,
    amount_minor: share.amount_minor,
  }))
  const { business_minor } = parts
  await requireBalance(tx, tenant, { amount_minor: business_minor, fee_minor: 0n, currency })
  await holdOrRetry(tx, ids, tenant, {
    cause: { type: 'refund', id },
    now,
    amount_minor,
    currency,
    from: [
      { account: { kind: 'refunds', currency }, amount_minor: parts.excess_minor },
      { account: { kind: 'wallet_available', currency }, amount_minor: business_minor },
      ...shares,
    ],
  })
}
