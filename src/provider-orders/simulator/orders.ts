import type { Database } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import type {
  Outcome,
  PayoutOrder,
  PayoutState,
  Provider,
  RefundOrder,
  RefundState,
} from '../provider.ts'
import { type OrderScript, payoutScriptOf, refundScriptOf } from './magic.ts'
import { insertOrder, moveOrder, type OrderStatus, selectOrder } from './queries.ts'

/** The part of the simulator that pays out and refunds. */
export function simulatedOrders(
  options: SimulatorOptions,
): Pick<Provider, 'payOut' | 'lookUpPayout' | 'cancelPayout' | 'giveBack' | 'lookUpRefund'> {
  return {
    async payOut(order) {
      const script = payoutScriptOf(order)
      await take(options, { ...order, kind: 'PAYOUT' }, script)
      return stateOf<PayoutState>(options, order.tenant, order.reference)
    },
    lookUpPayout: (tenant, reference) => stateOf(options, tenant, reference),
    async cancelPayout(tenant, reference) {
      // One statement, so that either this or the bank that releases it at the same time wins.
      await options.db.transaction((tx) => moveOrder(tx, tenant, reference, WITHDRAWN))
      return stateOf<PayoutState>(options, tenant, reference)
    },
    async giveBack(order) {
      await take(options, { ...order, kind: 'REFUND', accountNumber: null }, refundScriptOf(order))
      return stateOf<RefundState>(options, order.tenant, order.reference)
    },
    lookUpRefund: (tenant, reference) => stateOf(options, tenant, reference),
  }
}

type Taken = (Omit<RefundOrder, 'chargeReference'> | PayoutOrder) & {
  kind: 'PAYOUT' | 'REFUND'
  accountNumber: string | null
}

/** Stores an order and, unless it stays in its state, the time of its next step. */
async function take(
  { db, simulatorDelayMs, nudge }: SimulatorOptions,
  order: Taken,
  { steps, silentDelays }: OrderScript,
): Promise<void> {
  const { tenant, reference, amount_minor, currency, now, kind, accountNumber } = order
  const [first, second] = steps
  const waitMs = simulatorDelayMs * Math.max(1, silentDelays)
  const wait = addMs(now, waitMs)
  const row = {
    reference,
    kind,
    account_number: accountNumber,
    package_slug: null,
    amount_minor: amount_minor as Minor,
    currency,
    status: 'Pending',
    message: 'Waiting for the bank',
    silent_until: silentDelays > 0 ? wait : null,
    due_at: first ? wait : null,
    due_status: first?.status ?? null,
    due_message: first?.message ?? null,
    next_status: second?.status ?? null,
    next_message: second?.message ?? null,
  } as const
  await insertOrder(db, tenant, row, now)
  if (first) nudge(SIMULATOR_SWEEPER, waitMs)
  if (second) nudge(SIMULATOR_SWEEPER, 2 * waitMs)
}

async function stateOf<State extends PayoutState | RefundState>(
  { db, clock }: SimulatorOptions,
  tenant: Tenant,
  reference: string,
): Promise<Outcome<State>> {
  const order = await selectOrder(db, tenant, reference)
  if (!order) return { kind: 'refused', code: 'unknown_order', message: 'No such order.' }
  const isSilent = order.silent_until !== null && order.silent_until > clock.now()
  if (isSilent && order.status === 'Pending') return { kind: 'unknown' }
  const { status, message } = order
  return { kind: 'done', value: { status, message } as State }
}

const WITHDRAWN = { from: ['Blocked'], to: 'Rejected', message: 'Withdrawn' } as const

/** What a test can make the bank do, and the states in which it is possible. */
const BY_HAND = {
  success: { from: ['Pending', 'Blocked', 'NeedsAttention'], to: 'Successful', message: 'Paid' },
  failed: {
    from: ['Pending', 'Blocked', 'NeedsAttention'],
    to: 'Failed',
    message: 'The bank could not pay it',
  },
  blocked: { from: ['Pending'], to: 'Blocked', message: 'Held up for a check' },
  rejected: { from: ['Pending'], to: 'Rejected', message: 'The bank does not accept it' },
  returned: { from: ['Successful'], to: 'Returned', message: 'Sent back by the bank' },
  vended: { from: ['Pending'], to: 'Successful', message: 'Delivered' },
  not_vended: { from: ['Pending'], to: 'Failed', message: 'The biller could not deliver it' },
  needs_attention: {
    from: ['Pending'],
    to: 'NeedsAttention',
    message: 'The payer’s bank asks for another account',
  },
} as const satisfies Record<
  string,
  { from: readonly OrderStatus[]; to: OrderStatus; message: string }
>

/** The outcomes of a payout that a test can choose. */
export const PAYOUT_OUTCOMES = ['success', 'failed', 'blocked', 'rejected', 'returned'] as const
export type PayoutOutcome = (typeof PAYOUT_OUTCOMES)[number]

/** The outcomes of a refund that a test can choose. */
export const REFUND_OUTCOMES = ['success', 'failed', 'needs_attention'] as const
export type RefundOutcome = (typeof REFUND_OUTCOMES)[number]

export type SimulatedOutcome = keyof typeof BY_HAND

/** Ends an order the way the bank would. Returns whether its state allowed it. */
export async function moveSimulatedOrder(
  db: Database,
  tenant: Tenant,
  reference: string,
  outcome: SimulatedOutcome,
): Promise<boolean> {
  return (await db.transaction((tx) => moveOrder(tx, tenant, reference, BY_HAND[outcome]))) === 1
}

export interface SimulatorOptions {
  db: Database
  /** The delay after which a payment settles by itself. */
  simulatorDelayMs: number
  clock: Clock
  nudge(sweeper: string, afterMs?: number): void
}

export const SIMULATOR_SWEEPER = 'simulator'
