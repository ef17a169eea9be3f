import type { Tx } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Deps } from '../deps.ts'
import { eventRecord } from '../developers/events/service.ts'
import { type SampleRequest, tellSample } from '../developers/webhooks/deliveries.ts'
import { WEBHOOK_SWEEPER } from '../developers/webhooks/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import { conflict, notFound, Problem } from '../lib/problem.ts'
import { newReference } from '../lib/tokens.ts'
import { findPayment } from '../money/bills/find.ts'
import { lookUpUtility } from '../money/bills/jobs.ts'
import { lookUpSettlement, payOutNow as paySettlement } from '../money/settlements/payout.ts'
import { findSettlement } from '../money/settlements/service.ts'
import { settleNow } from '../money/settlements/settle-now.ts'
import { lookUpTransfer, orderReference, payOutNow } from '../money/transfers/jobs.ts'
import { findTransfer } from '../money/transfers/list.ts'
import { lookUpCharge } from '../payments/attempts/jobs.ts'
import { type Attempt, findTransaction } from '../payments/attempts/read.ts'
import { type Purposes, receiveDeposit } from '../payments/attempts/settle.ts'
import { lookUpRefund, orderRefundNow } from '../payments/refunds/jobs.ts'
import { refundWithShares } from '../payments/refunds/service.ts'
import {
  moveSimulatedOrder,
  type PayoutOutcome,
  type RefundOutcome,
} from '../provider-orders/simulator/orders.ts'
import { endSimulatedCharge } from '../provider-orders/simulator/simulator.ts'

export type SimulatorDeps = Deps & { purposes: Purposes; log: Log }

/** The simulator's rails move naira. */
export const SIMULATED_CURRENCY = 'NGN'

/** Whose test data, and the moment that decides. */
type TestCaller = Tenant & { now: Date }

/** The payer approves or declines at once, instead of after the delay. */
export async function simulateUssd(
  deps: SimulatorDeps,
  caller: TestCaller,
  { reference, outcome }: { reference: string; outcome: 'success' | 'failed' },
) {
  const before = await findTransaction(deps.db, caller, reference)
  if (before?.channel !== 'USSD') throw notFound('transaction')
  if (!(await endSimulatedCharge(deps.db, caller, reference, outcome))) {
    throw conflict('transaction_state', `This payment has ended: it is ${before.status}.`)
  }
  const tenant = { businessId: caller.businessId, live: caller.live }
  await lookUpCharge(deps, tenant, reference, caller.now)
  const after = await findTransaction(deps.db, caller, reference)
  return { reference, status: after?.status ?? before.status }
}

/**
 * The bank decides at once, instead of after the delay; one that was not ordered yet, is first. Of
 * a transfer, or of a settlement, which is one for the bank: whichever record has the reference.
 */
export async function simulateTransfer(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { reference, outcome }: { reference: string; outcome: PayoutOutcome },
) {
  const tenant = { businessId, live }
  const before = await findTransfer(deps.db, tenant, reference)
  if (!before) return simulatePayout(deps, { ...tenant, now }, { reference, outcome })
  await payOutNow(deps, tenant, before.id, now)
  const order = orderReference(before)
  const isMoved = await moveSimulatedOrder(deps.db, tenant, order, outcome)
  await lookUpTransfer(deps, tenant, order, now)
  const { status } = (await findTransfer(deps.db, tenant, reference)) ?? before
  if (isMoved) return { reference, status }
  throw conflict('transfer_state', `The bank cannot make it ${outcome}: it is ${status}.`)
}

async function simulatePayout(
  deps: SimulatorDeps,
  { now, ...tenant }: TestCaller,
  { reference, outcome }: { reference: string; outcome: PayoutOutcome },
) {
  const before = await findSettlement(deps.db, tenant, reference)
  if (!before) throw notFound(reference.startsWith('STL_') ? 'settlement' : 'transfer')
  const refused = (is: string) =>
    conflict('settlement_state', `The bank cannot make it ${outcome}: it is ${is}.`)
  // There is no state for it: the simulator does not make what only a person can put right.
  if (outcome === 'returned' && before.status === 'Paid') throw refused(before.status)
  await paySettlement(deps, tenant, reference, now)
  const isMoved = await moveSimulatedOrder(deps.db, tenant, reference, outcome)
  await lookUpSettlement(deps, tenant, reference, now)
  const { status } = (await findSettlement(deps.db, tenant, reference)) ?? before
  if (isMoved) return { reference, status }
  throw refused(status)
}

/** What waits for midnight is settled at once, today's included. */
export async function simulateSettlement(deps: SimulatorDeps, caller: TestCaller) {
  const settled = await settleNow(deps, caller)
  return { reference: newReference('SIM'), status: 'Successful', ...settled }
}

/** As `simulateTransfer`, of a refund. */
export async function simulateRefund(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { reference, outcome }: { reference: string; outcome: RefundOutcome },
) {
  const tenant = { businessId, live }
  const status = async () => (await refundWithShares(deps.db, tenant, reference))?.refund.status
  const before = await status()
  if (!before) throw notFound('refund')
  await orderRefundNow(deps, tenant, reference, now)
  const isMoved = await moveSimulatedOrder(deps.db, tenant, reference, outcome)
  await lookUpRefund(deps, tenant, reference, now)
  const after = (await status()) ?? before
  if (isMoved) return { reference, status: after }
  throw conflict('refund_state', `The bank cannot make it ${outcome}: it is ${after}.`)
}

/** The biller decides at once about a utility payment that is Pending. */
export async function simulateUtility(
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { reference, outcome }: { reference: string; outcome: 'success' | 'failed' },
) {
  const tenant = { businessId, live }
  const before = await findPayment(deps.db, tenant, reference)
  const ending = outcome === 'success' ? 'vended' : 'not_vended'
  const isMoved = await moveSimulatedOrder(deps.db, tenant, before.reference, ending)
  await lookUpUtility(deps, tenant, before.reference, now)
  const { status } = await findPayment(deps.db, tenant, before.reference)
  if (isMoved) return { reference, status }
  throw conflict('utility_payment_state', `The biller has decided: the payment is ${status}.`)
}

/** Money arrives on a virtual account, as from the payer's bank. */
export async function simulateDeposit(
  tx: Tx,
  deps: SimulatorDeps,
  { businessId, live, now }: TestCaller,
  { accountNumber, amount_minor }: { accountNumber: string; amount_minor: Minor },
) {
  const depositReference = newReference('DEP')
  const notice = {
    tenant: { businessId, live },
    depositReference,
    accountNumber,
    amount_minor,
    currency: SIMULATED_CURRENCY,
  }
  const { accepted, reason } = await receiveDeposit(tx, deps, notice, now)
  const status = accepted ? 'Accepted' : 'Rejected'
  return { reference: depositReference, status, accepted, reason }
}

/**
 * The buttons of test mode on payers' pages: what the payer's bank would do about the attempt that
 * is open. A transfer that fails never arrives. Throws 404 in live mode.
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
    await deps.db.transaction((tx) =>
      simulateDeposit(tx, deps, caller, { accountNumber, amount_minor }),
    )
  }
}

/**
 * Writes an event as if it had happened, and has it sent to each endpoint that wants its type.
 * Answers it as lists of events show it. Throws 400 naming `type`.
 */
export async function simulateEvent(
  tx: Tx,
  { ids, nudge, events }: Pick<Deps, 'ids' | 'nudge' | 'events'>,
  caller: Tenant & { now: Date },
  request: SampleRequest,
) {
  const event = await tellSample(tx, { ids, events }, caller, 'simulated_event', request)
  tx.after(() => nudge(WEBHOOK_SWEEPER))
  return eventRecord(event, caller)
}
