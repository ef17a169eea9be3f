import type { Tx } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Deps } from '../deps.ts'
import { eventRecord } from '../developers/events/service.ts'
import { appendSampleEvent, type SampleRequest } from '../developers/webhooks/deliveries.ts'
import { WEBHOOK_JOB } from '../developers/webhooks/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { amountsOf, type Minor, parseAmount, printMinor } from '../lib/money.ts'
import { conflict, invalid, notFound, Problem } from '../lib/problem.ts'
import { newReference } from '../lib/tokens.ts'
import { findPayment } from '../money/bills/find.ts'
import { findFundingAccount, findFundingPayment, lookUpFunding } from '../money/funding/service.ts'
import { settleNow } from '../money/settlements/create.ts'
import { findSettlement } from '../money/settlements/service.ts'
import { findTransfer } from '../money/transfers/list.ts'
import { creditWallet } from '../money/wallet/service.ts'
import { type Attempt, findTransaction } from '../payments/attempts/read.ts'
import { findAccount, type Payables } from '../payments/attempts/settle.ts'
import { findReceived } from '../payments/deposits/receive.ts'
import { type DisputeReportDeps, lookUpDispute } from '../payments/disputes/apply-report.ts'
import { findDispute, requireDispute } from '../payments/disputes/service.ts'
import { refundWithShares } from '../payments/refunds/service.ts'
import {
  findBySent,
  findCurrentOrder,
  findPaidOrder,
  lookUpOrder,
  type OrderKind,
  type OrderKindName,
  sendOrderNow,
} from '../provider-orders/orders.ts'
import { SIMULATOR_CONNECTION } from '../providers/providers.ts'
import {
  type DisputeOutcome,
  decideSimulatedDispute,
  findSimulatedDispute,
  lockDisputed,
  openSimulatedDispute,
} from '../providers/simulator/disputes.ts'
import {
  findPaid,
  moveSimulatedOrder,
  type PayoutOutcome,
  payIntoAccount,
  type RefundOutcome,
  type SimulatedOutcome,
} from '../providers/simulator/orders.ts'

export type SimulatorDeps = Deps & {
  payables: Payables
  log: Log
  orderKinds: Record<OrderKindName, OrderKind>
  disputes: DisputeReportDeps
}

interface NewDispute {
  /** Of the payment. */
  reference: string
  /** Default: all of it. */
  amount?: number | string
  reason: string
  dueInHours: number
}

/** The simulator's channels support only naira. */
export const SIMULATED_CURRENCY = 'NGN'

type TestCaller = Tenant & { now: Date }

interface PayerDecision {
  reference: string
  outcome: 'success' | 'failed'
}

/** Makes the payer approve or decline at once, instead of after the delay. */
export const simulateUssd = (deps: SimulatorDeps, caller: TestCaller, decision: PayerDecision) =>
  simulatePayer(deps, caller, 'USSD', decision)

/** Makes the payer pay by card, or the bank decline the card, without the simulated page. */
export const simulateCard = (deps: SimulatorDeps, caller: TestCaller, decision: PayerDecision) =>
  simulatePayer(deps, caller, 'CARD', decision)

async function simulatePayer(
  deps: SimulatorDeps,
  caller: TestCaller,
  channel: 'USSD' | 'CARD',
  { reference, outcome }: PayerDecision,
) {
  const find = () => findTransaction(deps.db, caller, reference)
  const before = await find()
  if (before?.channel !== channel) throw notFound('transaction')
  const refused = (is: string) =>
    conflict(
      'transaction_state',
      is === 'Pending' ? NOT_SENT_YET : `This payment has ended: it is ${is}.`,
    )
  const ending = outcome === 'success' ? 'approved' : 'declined'
  return decide(deps, caller, before, { kind: 'charge', reference, outcome: ending, find, refused })
}

/** The request that created the payment has not ordered it from the simulator yet. */
const NOT_SENT_YET = 'This payment has not been sent yet; try again.'

/** A record with an order for which the payer, the bank or the biller decides the outcome. */
interface Deciding {
  kind: OrderKindName
  reference: string
  outcome: SimulatedOutcome
  find(): Promise<{ id: number; status: string } | undefined>
  /** Returns the error for a record in a state that can't reach that outcome. */
  refused(status: string): Problem
}

/**
 * Makes the bank decide at once, instead of after the delay. If the order has not been sent yet, it
 * is sent first.
 */
async function decide(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  before: { id: number; status: string },
  { kind: name, reference, outcome, find, refused }: Deciding,
) {
  const tenant = { businessId, live }
  const kind = deps.orderKinds[name]
  const current = () => findCurrentOrder(deps.db, tenant, name, before.id)
  // The request that stores a charge or a utility payment sends its order itself, and may be doing
  // so right now.
  const isSentByJob = name !== 'charge' && name !== 'bill'
  const found = await current()
  if (found) await requireSimulated(deps, found.connection_id)
  const waiting = isSentByJob ? found : undefined
  if (waiting) await sendOrderNow(deps, kind, tenant, waiting, now)
  const order = await current()
  const isMoved =
    order && (await moveSimulatedOrder(deps.db, tenant, order.sent_reference, outcome))
  if (order) await lookUpOrder(deps, kind, order, now)
  const { status } = (await find()) ?? before
  if (isMoved) return { reference, status }
  throw refused(status)
}

/** Throws 409 for an order at a real provider, which alone decides what happens to it. */
async function requireSimulated({ providers }: SimulatorDeps, connectionId: number, tx?: Tx) {
  if (!(await providers.holder(connectionId, tx)).isSimulator) throw notSimulated()
}

const notSimulated = () =>
  conflict('not_simulated', 'A provider has this order, so the simulator cannot decide it.')

/** Decides a transfer or a settlement by its reference. A bank treats both in the same way. */
export async function simulateTransfer(
  deps: SimulatorDeps,
  caller: TestCaller,
  { reference, outcome }: { reference: string; outcome: PayoutOutcome },
) {
  const refused = (code: 'transfer_state' | 'settlement_state') => (is: string) =>
    conflict(code, `The outcome cannot be ${outcome}: the status is ${is}.`)
  const asked = { reference, outcome }
  const transfer = {
    ...asked,
    kind: 'transfer',
    find: () => findTransfer(deps.db, caller, reference),
    refused: refused('transfer_state'),
  } as const
  const found = await transfer.find()
  if (found) return decide(deps, caller, found, transfer)
  const settlement = {
    ...asked,
    kind: 'settlement',
    find: () => findSettlement(deps.db, caller, reference),
    refused: refused('settlement_state'),
  } as const
  const other = await settlement.find()
  if (!other) throw notFound('transfer')
  return decide(deps, caller, other, settlement)
}

/** Settles immediately what would otherwise wait until midnight, including today's entries. */
export async function simulateSettlement(deps: SimulatorDeps, caller: TestCaller) {
  const settled = await settleNow(deps, caller)
  return { reference: newReference('SIM'), status: 'Successful', ...settled }
}

/** Like `simulateTransfer`, but for a refund. */
export async function simulateRefund(
  deps: SimulatorDeps,
  caller: TestCaller,
  { reference, outcome }: { reference: string; outcome: RefundOutcome },
) {
  const find = async () => (await refundWithShares(deps.db, caller, reference))?.refund
  const before = await find()
  if (!before) throw notFound('refund')
  const refused = (is: string) =>
    conflict('refund_state', `The outcome cannot be ${outcome}: the status is ${is}.`)
  return decide(deps, caller, before, { kind: 'refund', reference, outcome, find, refused })
}

/** Makes the biller decide the outcome of a Pending utility payment at once. */
export async function simulateUtility(
  deps: SimulatorDeps,
  caller: TestCaller,
  { reference, outcome }: { reference: string; outcome: 'success' | 'failed' },
) {
  const before = await findPayment(deps.db, caller, reference)
  const find = () => findPayment(deps.db, caller, before.reference)
  const refused = (is: string) =>
    conflict(
      'utility_payment_state',
      is === 'Pending' ? NOT_SENT_YET : `The biller has already decided: the payment is ${is}.`,
    )
  const ending = outcome === 'success' ? 'vended' : 'not_vended'
  return decide(deps, caller, before, { kind: 'bill', reference, outcome: ending, find, refused })
}

/** Tops up the test wallet with money that the simulator makes up. */
export async function fundWallet(
  tx: Tx,
  { ids }: Pick<SimulatorDeps, 'ids'>,
  { businessId, live, now }: TestCaller,
  amount_minor: Minor,
) {
  const tenant = { businessId, live }
  const id = await ids.next(tx)
  const reference = newReference('SIM')
  const currency = SIMULATED_CURRENCY
  await insertFunding(tx, tenant, { id, reference, amount_minor, currency, now })
  const cause = { type: 'simulation', id } as const
  const through = { connectionId: SIMULATOR_CONNECTION }
  await creditWallet(tx, ids, tenant, { amount_minor, currency, through, cause, reference, now })
  return {
    reference,
    status: 'Successful',
    ...amountsOf(currency, { amount: amount_minor }),
    currency,
  }
}

/**
 * Makes the payer dispute a payment. Returns the simulator's number for the dispute, with which
 * `reportDispute` then reports it.
 */
export async function disputePayment(
  tx: Tx,
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { reference, amount, reason, dueInHours }: NewDispute,
): Promise<number> {
  const tenant = { businessId, live }
  const found = await findTransaction(tx, tenant, reference)
  if (!found) throw notFound('transaction')
  const { currency, paid_minor } = found
  const order = await findPaidOrder(tx, tenant, found.id)
  if (paid_minor === null || !order) {
    throw conflict(
      'transaction_state',
      `Only received payments can be disputed; this is ${found.status}.`,
    )
  }
  await requireSimulated(deps, order.connection_id, tx)
  const chargeReference = order.sent_reference
  const left_minor = paid_minor - (await lockDisputed(tx, tenant, chargeReference))
  const amount_minor = amount === undefined ? paid_minor : parseAmount(amount, currency)
  if (amount_minor > left_minor) {
    const left = printMinor(left_minor, currency)
    throw invalid({
      amount: [`must be at most ${left}, the part of the payment that is not disputed yet`],
    })
  }
  const id = await deps.ids.next(tx)
  await openSimulatedDispute(tx, tenant, {
    providerId: String(id),
    chargeReference,
    amount_minor,
    currency,
    reason,
    now,
    dueAt: addMs(now, dueInHours * 3_600_000),
  })
  return id
}

/** Reports a dispute, as the payer's bank would, and returns it. */
export async function reportDispute(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  id: number,
) {
  const tenant = { businessId, live }
  const providerId = String(id)
  const opened = await findSimulatedDispute(deps.db, tenant, providerId)
  const [order] = await findBySent(deps.db).add({ tenant, sentReference: opened!.charge_reference })
  const { connection_id: connectionId } = order!
  await lookUpDispute(deps.disputes, { tenant, connectionId, providerId, now })
  const dispute = await findDispute(deps.db, tenant, { connectionId, providerId })
  if (!dispute) throw new Error(`The dispute ${providerId} does not exist`)
  return { reference: dispute.reference, status: dispute.status }
}

/** Makes the payer's bank decide a dispute at once. */
export async function simulateDispute(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { reference, outcome }: { reference: string; outcome: DisputeOutcome },
) {
  const tenant = { businessId, live }
  const before = await requireDispute(deps.db, tenant, reference)
  await requireSimulated(deps, before.connection_id)
  const { connection_id: connectionId, provider_id: providerId } = before
  const isDecided = await decideSimulatedDispute(deps.db, tenant, providerId, { outcome, now })
  await lookUpDispute(deps.disputes, { tenant, connectionId, providerId, now })
  const { status } = await requireDispute(deps.db, tenant, reference)
  if (isDecided) return { reference, status }
  throw conflict('dispute_state', `The outcome cannot be ${outcome}: the status is ${status}.`)
}

/**
 * Pays into a virtual account or the funding account. Returns the simulator's number for the
 * payment, with which `simulatedDeposit` then receives it. Throws 404 for an unknown account.
 */
export async function payIntoVirtualAccount(
  tx: Tx,
  { ids }: Pick<SimulatorDeps, 'ids'>,
  { businessId, live, now }: TestCaller,
  paid: { accountNumber: string; amount_minor: Minor; isKept: boolean },
): Promise<number> {
  const tenant = { businessId, live }
  const account = await findAccount(tx, tenant, paid.accountNumber)
  if (account && account.connection_id !== SIMULATOR_CONNECTION) throw notSimulated()
  const paying = { ...paid, currency: SIMULATED_CURRENCY }
  const id = await payIntoAccount(tx, ids, { ...tenant, now }, paying)
  if (id === undefined) throw notFound('virtual_account')
  return id
}

/** Looks up the account's order at once, and returns what was decided about a payment. */
export async function simulatedDeposit(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  id: number,
) {
  const tenant = { businessId, live }
  const {
    reference: sentReference,
    account_number,
    provider_id,
  } = await findPaid(deps.db, tenant, id)
  const funded = await findFundingAccount(deps.db, tenant, SIMULATOR_CONNECTION, account_number)
  if (funded) {
    await lookUpFunding(deps, tenant, funded, now)
    const payment = await findFundingPayment(deps.db, tenant, SIMULATOR_CONNECTION, provider_id)
    if (!payment) throw new Error(`The payment ${id} was not received`)
    const { reference } = payment
    return { reference, status: 'Accepted', accepted: true, reason: null, returnStatus: null }
  }
  const [order] = await findBySent(deps.db).add({ tenant, sentReference })
  // Each lookup receives all payments, so another one may have received this payment meanwhile.
  const failure = order && (await failureOf(lookUpOrder(deps, deps.orderKinds.charge, order, now)))
  const deposit = await findReceived(deps.db, tenant, SIMULATOR_CONNECTION, provider_id)
  if (!deposit) throw failure ?? new Error(`The payment ${id} was not received`)
  const { reference, status, reason, return_status: returnStatus } = deposit
  return { reference, status, accepted: status === 'Accepted', reason, returnStatus }
}

const failureOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/**
 * Simulates the payer's bank for the open attempt, from the test-mode buttons on payer pages.
 * Throws 404 in live mode.
 */
export async function simulateAttempt(
  deps: SimulatorDeps,
  caller: TestCaller,
  attempt: Attempt | undefined,
  outcome: 'success' | 'failed',
): Promise<void> {
  if (caller.live) throw new Problem('not_found', 'route_not_found', 'There is nothing here.')
  if (attempt?.transaction.status !== 'Pending') return
  const { reference, channel, payable_minor: amount_minor } = attempt.transaction
  if (channel === 'USSD') await simulateUssd(deps, caller, { reference, outcome })
  else if (attempt.account && outcome === 'success') {
    const { account_number: accountNumber } = attempt.account
    const payment = { accountNumber, amount_minor, isKept: false }
    const id = await deps.db.transaction((tx) => payIntoVirtualAccount(tx, deps, caller, payment))
    await simulatedDeposit(deps, caller, id)
  }
}

/**
 * Stores a simulated event and sends it to every endpoint that receives its type. Returns the event
 * as lists of events show it. Throws 400 naming `type`.
 */
export async function simulateEvent(
  tx: Tx,
  { ids, nudge, events }: Pick<Deps, 'ids' | 'nudge' | 'events'>,
  caller: Tenant & { now: Date },
  request: SampleRequest,
) {
  const event = await appendSampleEvent(tx, { ids, events }, caller, 'simulated_event', request)
  tx.after(() => nudge(WEBHOOK_JOB))
  return eventRecord(event, caller)
}

/** Inserts a manual top-up of a test wallet, to which its journal refers. */
function insertFunding(
  tx: Tx,
  { businessId, live }: Tenant,
  row: { id: number; reference: string; amount_minor: Minor; currency: string; now: Date },
) {
  return tx.run`
    insert into simulated_fundings
      (business_id, live, id, reference, amount_minor, currency, created_at)
    values (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.amount_minor},
      ${row.currency}, ${row.now})`
}
