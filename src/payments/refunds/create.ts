import type { Static } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { StoredResponse } from '../../db/idempotency.ts'
import { timelineEntry } from '../../db/timeline.ts'
import { batchedOnce, type Effect, madeOf, type Outcome } from '../../db/transaction-batch.ts'
import type { Deps } from '../../deps.ts'
import { countEvents, eventRow, type NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { formatAmount, type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { conflict, invalid, Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { holdAllOrRetry, shortage } from '../../money/wallet/service.ts'
import { findPaidOrders, orderJobName } from '../../provider-orders/orders.ts'
import type { ProviderName } from '../../providers/connector/types.ts'
import { SIMULATOR_CONNECTION } from '../../providers/providers.ts'
import { transactionMachine } from '../attempts/schemas.ts'
import {
  allocateRefund,
  changeShareBalances,
  type RefundParts,
  refundableParts,
} from './allocation.ts'
import {
  insertRefunds,
  insertShares,
  lockPayments,
  type NewRefundRow,
  type PaymentShareRow,
  type RefundablePayment,
  referenceKey,
  selectBefore,
  selectPaymentShares,
  selectUsed,
  sumTaken,
} from './insert.ts'
import type { PaymentRow, RefundRow, RefundShareRow } from './queries.ts'
import { refundEvent, refundRecord } from './record.ts'
import type { NewRefund, OneRefund } from './schemas.ts'
import { paymentKey, requireNamed } from './service.ts'

type CreateDeps = Pick<Deps, 'ids' | 'nudge'>

interface RefundToCreate extends Effect {
  now: Date
  request: NewRefund
  /** Builds the response, if this is a request. */
  responseOf?: (record: RefundRecord) => Answer
}

type RefundRecord = ReturnType<typeof refundRecord>
type Answer = StoredResponse<Static<typeof OneRefund>>

/**
 * Returns a function that creates refunds for requests. Those that arrive at the same time are
 * written together.
 */
export const refundCreator = (deps: CreateDeps & Pick<Deps, 'db'>) =>
  batchedOnce<RefundToCreate, Static<typeof OneRefund>>(
    deps.db,
    (tx, wanted) => createRefunds(tx, deps, wanted),
    () => 3_000,
  )

/** Creates one refund, like `createRefunds`, and throws its error if it is refused. */
export async function createRefund(
  tx: Tx,
  deps: CreateDeps,
  { businessId, live, now }: Tenant & { now: Date },
  request: NewRefund,
): Promise<RefundRecord> {
  const [outcome] = await createRefunds(tx, deps, [{ businessId, live, now, request }])
  return madeOf(outcome).record
}

/** A request whose payment has been found. */
interface Asked {
  wanted: RefundToCreate
  /** Its place in the list of requests. */
  place: number
  paymentId: number
  reference: string
  generated_reference: string
  /** If null, everything that is left is refunded. */
  wanted_minor: Minor | null
}

/**
 * Holds the money for refunds, of any tenants, each taken from everyone who received part of the
 * payment. A job pays them out. Refuses a refund, without storing anything of it, with 400 if the
 * amount exceeds what is left of the payment or what is in one of the accounts, given the refunds
 * before it.
 *
 * The payments are locked, so that refunds never take more than was paid. A request that finds too
 * little left takes no lock, so requests never wait for each other in that case. The balances are
 * read without a lock. The statement that holds the money ensures that none goes below zero: if
 * another transaction has taken money in the meantime, all of this runs again.
 */
async function createRefunds(
  tx: Tx,
  deps: CreateDeps,
  wanted: readonly RefundToCreate[],
): Promise<Outcome<Made>[]> {
  const { asked, outcomes } = await findPayments(tx, wanted)
  if (asked.length === 0) return outcomes
  const state = await lockState(tx, asked)
  const accepted: Accepted[] = []
  const refused: Asked[] = []
  for (const one of asked) {
    const outcome = attempt(() => accept(state, one))
    if ('error' in outcome) {
      outcomes[one.place] = outcome
      refused.push(one)
    } else accepted.push(outcome.value)
  }
  await preferUsed(tx, refused, outcomes)
  if (accepted.length === 0) return outcomes
  const made = await rowsOf(tx, deps, accepted)
  await insertRefunds(tx, made)
  countEvents(
    tx,
    deps.ids,
    made.map(({ newEvent }) => newEvent),
  )
  await takeShares(tx, deps, made)
  // All requests share the wallet's row, so it is locked as briefly as possible.
  await holdAllOrRetry(tx, deps.ids, made.map(holdOf))
  tx.after(() => deps.nudge(orderJobName('refund')))
  for (const one of made) outcomes[one.place] = { made: one }
  return outcomes
}

/** Finds what each request names. Returns the outcomes of those that are already decided. */
async function findPayments(tx: Tx, wanted: readonly RefundToCreate[]) {
  // A reference chosen by the caller can be any string, and is unique only within its business and
  // mode.
  const named = wanted.map((one) => {
    const generated_reference = newReference('RFD')
    const reference = one.request.reference ?? generated_reference
    const { businessId, live, claim, request } = one
    const key = attempt(() => paymentKey(request))
    const payment = 'value' in key ? key.value : undefined
    return { businessId, live, claim, payment, reference, generated_reference }
  })
  const found = await selectBefore(tx, named)
  const outcomes: Outcome<Made>[] = []
  const asked: Asked[] = []
  for (const [place, one] of wanted.entries()) {
    const { is_key_used, is_reference_used, payment: seen } = found[place]!
    const { reference, generated_reference } = named[place]!
    if (is_key_used) {
      outcomes[place] = 'key_used'
      continue
    }
    const { amount } = one.request
    const outcome = attempt((): Asked => {
      // Throws if the request names no payment.
      paymentKey(one.request)
      const payment = requireNamed(one.request, seen)
      if (is_reference_used) throw referenceUsed()
      const wanted_minor = amount === undefined ? null : parseAmount(amount, payment.currency)
      const problem = refusal(payment, wanted_minor)
      if (problem) throw problem
      const { id: paymentId } = payment
      return { wanted: one, place, paymentId, reference, generated_reference, wanted_minor }
    })
    if ('error' in outcome) outcomes[place] = outcome
    else asked.push(outcome.value)
  }
  return { asked, outcomes }
}

/** Returns what `work` returns or throws. One request's error must not affect the others. */
function attempt<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

/** A locked payment, and what is left of it after the refunds that have been accepted. */
interface PaymentState {
  payment: RefundablePayment
  holder: PaymentHolder
  shares: PaymentShareRow[]
  refunds: { total_minor: Minor; excess_minor: Minor }
  disputes: { total_minor: Minor; excess_minor: Minor }
}

/** Who has the money of a payment. */
interface PaymentHolder {
  provider: ProviderName
  connection_id: number
}

/** For payments that ended before orders were stored for them: the simulator took them all. */
const WITHOUT_ORDER: PaymentHolder = {
  provider: 'simulator',
  connection_id: SIMULATOR_CONNECTION,
}

/** What the accepted refunds have left. Payments are found by their ids, accounts by their keys. */
interface State {
  payments: Map<number, PaymentState>
  balances: Map<string, Minor>
  references: Set<string>
}

const walletKey = ({ businessId, live }: Tenant, currency: string) =>
  `${businessId} ${live} ${currency}`
const subaccountKey = (id: number, currency: string) => `${id} ${currency}`

/** Locks the payments of these requests, and reads what has been taken from them. */
async function lockState(tx: Tx, asked: readonly Asked[]): Promise<State> {
  const wanted = new Map(
    asked.map(({ paymentId: id, wanted: { businessId, live } }) => [id, { businessId, live, id }]),
  )
  const locked = await lockPayments(tx, [...wanted.values()])
  const named = locked.map(({ business_id: businessId, live, id, currency }) => ({
    businessId,
    live,
    id,
    currency,
  }))
  const sums = new Map((await sumTaken(tx, named)).map((row) => [row.id, row]))
  const orders = await findPaidOrders(tx, named)
  const holders = new Map(orders.map((row) => [row.subject_id, row]))
  const shared = named.filter((_, i) => locked[i]!.is_shared)
  const shares = shared.length > 0 ? await selectPaymentShares(tx, shared) : []
  const sharesOf = Map.groupBy(shares, ({ transaction_id }) => transaction_id)

  const state: State = { payments: new Map(), balances: new Map(), references: new Set() }
  for (const [i, { business_id, live, ...payment }] of locked.entries()) {
    const { id, currency } = payment
    const sum = sums.get(id)!
    const own = sharesOf.get(id) ?? []
    state.payments.set(id, {
      payment,
      holder: holders.get(id) ?? WITHOUT_ORDER,
      shares: own,
      refunds: { total_minor: sum.refunds_total_minor, excess_minor: sum.refunds_excess_minor },
      disputes: { total_minor: sum.disputes_total_minor, excess_minor: sum.disputes_excess_minor },
    })
    state.balances.set(walletKey(named[i]!, currency), sum.available_minor)
    for (const share of own) {
      state.balances.set(subaccountKey(share.subaccountId, currency), share.balance_minor)
    }
  }
  return state
}

interface Accepted extends Asked {
  payment: PaymentRow
  holder: PaymentHolder
  amount_minor: Minor
  parts: RefundParts
  /** The subaccounts that contribute. */
  giving: (PaymentShareRow & { given_minor: Minor })[]
}

/**
 * Decides how much a refund takes from each party, given what previous refunds have left, and takes
 * it from the state. Throws if too little is left.
 */
function accept(state: State, asked: Asked): Accepted {
  const { wanted, paymentId, reference, wanted_minor } = asked
  const { businessId, live } = wanted
  const name = referenceKey({ businessId, live, reference })
  if (state.references.has(name)) throw referenceUsed()
  const { payment, holder, shares, refunds, disputes } = state.payments.get(paymentId)!
  const { currency, status, excess_minor } = payment
  const problem = refusal(payment, wanted_minor)
  if (problem) throw problem
  if (!transactionMachine.moves.refund_part.from.some((one) => one === status)) {
    throw unavailable('payment_just_ended', 'The payment has just changed. Try again.')
  }
  const amount_minor = wanted_minor ?? leftIn(payment)
  const paid = { paid_minor: payment.paid_minor!, excess_minor }
  const parts = allocateRefund(amount_minor, refundableParts(paid, shares, refunds, disputes))

  const giving = shares
    .map((share, i) => ({ ...share, given_minor: parts.shares[i]!.amount_minor }))
    .filter(({ given_minor }) => given_minor > 0n)
  const balanceOf = (key: string) => state.balances.get(key) ?? 0n
  for (const share of giving) {
    const left_minor = balanceOf(subaccountKey(share.subaccountId, currency))
    const needed_minor = share.given_minor
    if (left_minor < needed_minor) {
      throw alreadySettled(share, { needed_minor, left_minor }, currency)
    }
  }
  const wallet = walletKey(wanted, currency)
  const own = { amount_minor: parts.business_minor, fee_minor: 0n, currency }
  const short = shortage(own, balanceOf(wallet))
  if (short) throw short

  const take = (key: string, minor: Minor) => state.balances.set(key, balanceOf(key) - minor)
  state.references.add(name)
  payment.refunding_minor += amount_minor
  refunds.total_minor += amount_minor
  refunds.excess_minor += parts.excess_minor
  take(wallet, parts.business_minor)
  for (const [i, share] of shares.entries()) share.refunded_minor += parts.shares[i]!.amount_minor
  for (const share of giving) take(subaccountKey(share.subaccountId, currency), share.given_minor)
  return { ...asked, payment, holder, amount_minor, parts, giving }
}

/** If a simultaneous attempt at the same request has taken the amount, that is the error. */
async function preferUsed(tx: Tx, refused: readonly Asked[], outcomes: Outcome<Made>[]) {
  const given = refused
    .filter(({ wanted: { request } }) => request.reference !== undefined)
    .map(({ wanted: { businessId, live }, place, reference }) => ({
      businessId,
      live,
      place,
      reference,
    }))
  if (given.length === 0) return
  const used = await selectUsed(tx, given)
  for (const one of given) {
    if (used.has(referenceKey(one))) outcomes[one.place] = { error: referenceUsed() }
  }
}

const leftIn = ({ paid_minor, refunding_minor, disputed_minor }: PaymentRow): Minor =>
  (paid_minor ?? 0n) - refunding_minor - disputed_minor

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

function alreadySettled(
  { subaccount_code: code }: PaymentShareRow,
  { needed_minor, left_minor }: { needed_minor: Minor; left_minor: Minor },
  currency: string,
) {
  const says = (minor: Minor) => formatAmount(minor, currency)
  const figures = `${says(needed_minor)} needed, ${says(left_minor)} available`
  return new Problem(
    'invalid',
    'insufficient_balance',
    `Insufficient balance in ${code}, whose shares have already been settled: ${figures}.`,
    { fields: { amount: [`is more than the balance of ${code}: ${figures}`] } },
  )
}

const referenceUsed = () =>
  conflict('refund_reference_used', 'Another refund has this reference.', {
    reference: ['is already used by another refund'],
  })

interface Made extends NewRefundRow, Pick<Accepted, 'place' | 'parts' | 'giving'> {
  tenant: Tenant
  newEvent: NewEvent
  record: RefundRecord
  answer: Answer | undefined
}

async function rowsOf(
  tx: Tx,
  { ids }: Pick<CreateDeps, 'ids'>,
  accepted: readonly Accepted[],
): Promise<Made[]> {
  const made: Made[] = []
  for (const { wanted, payment, holder, giving, parts, ...one } of accepted) {
    const { businessId, live, now, request, claim, responseOf } = wanted
    const row: RefundRow = {
      business_id: businessId,
      live,
      id: await ids.next(tx),
      reference: one.reference,
      transaction_id: payment.id,
      transaction_reference: payment.reference,
      channel: payment.channel as RefundRow['channel'],
      status: 'Pending',
      amount_minor: one.amount_minor,
      excess_minor: parts.excess_minor,
      currency: payment.currency,
      reason: request.reason ?? null,
      message: null,
      timeline: `[${timelineEntry('Pending', null, now)}]`,
      event_sequence: 1,
      processed_at: null,
      created_at: now,
      can_cancel: true,
    }
    const shares = giving.map(
      (share): RefundShareRow => ({
        refund_id: row.id,
        subaccount_id: share.subaccountId,
        subaccount_code: share.subaccount_code,
        amount_minor: share.given_minor,
      }),
    )
    const record = refundRecord(row, shares)
    const newEvent = refundEvent('refund.pending', row, shares, now)
    made.push({
      tenant: { businessId, live },
      row,
      parts,
      giving,
      newEvent,
      record,
      claim,
      place: one.place,
      provider: holder.provider,
      connection_id: holder.connection_id,
      generated_reference: one.generated_reference,
      event: eventRow(newEvent, await ids.next(tx)),
      answer: responseOf?.(record),
    })
  }
  return made
}

async function takeShares(tx: Tx, { ids }: Pick<CreateDeps, 'ids'>, made: readonly Made[]) {
  const taken = made.flatMap(({ tenant, row, giving }) =>
    giving.map((share) => ({
      ...tenant,
      transactionId: row.transaction_id,
      refundId: row.id,
      subaccountId: share.subaccountId,
      amount_minor: share.given_minor,
      currency: row.currency,
      now: row.created_at,
    })),
  )
  if (taken.length === 0) return
  await insertShares(tx, taken)
  await changeShareBalances(tx, ids, 'refund', taken)
}

function holdOf({ tenant, row, parts, giving }: Made) {
  const { id, amount_minor, currency, created_at: now } = row
  const shares = giving.map(({ subaccountId, given_minor }) => ({
    account: { kind: 'subaccount', currency, subjectId: subaccountId } as const,
    amount_minor: given_minor,
  }))
  return {
    tenant,
    cause: { type: 'refund', id },
    now,
    amount_minor,
    currency,
    from: [
      { account: { kind: 'refunds', currency } as const, amount_minor: parts.excess_minor },
      {
        account: { kind: 'wallet_available', currency } as const,
        amount_minor: parts.business_minor,
      },
      ...shares,
    ],
  }
}
