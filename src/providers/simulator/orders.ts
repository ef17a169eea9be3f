import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { newReference } from '../../lib/tokens.ts'
import type {
  About,
  Connector,
  EntryKind,
  Outcome,
  PayoutState,
  ProviderEntry,
  RefundState,
  Reports,
  SentOrder,
} from '../connector/types.ts'
import { type OrderScript, payoutScriptOf, refundScriptOf, UNKNOWN_ACCOUNT } from './magic.ts'
import {
  insertPayment,
  moveOrder,
  type OrderStatus,
  orderBatch,
  ordersByReference,
  retryOrder,
  type SimulatedOrder,
  selectOrders,
} from './queries.ts'

/** The part of the simulator that handles payouts and refunds. */
export function simulatedOrders(options: SimulatorOptions) {
  const stateOf = <State extends PayoutState | RefundState>(
    about: About,
    sent: Pick<SentOrder, 'reference'>,
  ) =>
    lookUpOrder(
      options,
      about,
      sent,
      ({ status, message, amount_minor, currency }) =>
        ({ status, message, amount_minor, currency }) as State,
    )
  return {
    async payOut(about, order) {
      const script = payoutScriptOf(order, about.order.attempt)
      const { reference, amount_minor, currency } = order
      const taken = { reference, amount_minor, currency, kind: 'PAYOUT' } as const
      await acceptOrder(options, about, taken, script)
      return stateOf<PayoutState>(about, order)
    },
    lookUpPayout: stateOf<PayoutState>,
    async cancelPayout(about, sent) {
      // This is one statement, so that only one takes effect if the bank releases the payout at the
      // same time.
      await options.db.transaction((tx) => moveOrder(tx, about.tenant, sent.reference, WITHDRAWN))
      return stateOf<PayoutState>(about, sent)
    },
    async refund(about, order) {
      await acceptOrder(options, about, { ...order, kind: 'REFUND' }, refundScriptOf(order))
      return stateOf<RefundState>(about, order)
    },
    lookUpRefund: stateOf<RefundState>,
    async retryRefund(about, sent, { accountNumber }) {
      if (accountNumber === UNKNOWN_ACCOUNT) {
        return {
          kind: 'refused',
          code: 'unknown_account',
          message: 'No such account at this bank.',
        }
      }
      const { db, simulatorDelayMs, nudge } = options
      const dueAt = addMs(about.now, simulatorDelayMs)
      const isRetried = await retryOrder(db, about.tenant, sent.reference, dueAt)
      if (!isRetried) return { kind: 'unknown', reason: 'inconclusive' }
      nudge(SIMULATOR_JOB, simulatorDelayMs)
      return stateOf<RefundState>(about, sent)
    },
  } satisfies Partial<Connector>
}

interface Taken extends Pick<SimulatedOrder, 'reference' | 'kind' | 'amount_minor' | 'currency'> {
  accountNumber?: string
  returnUrl?: string
  packageSlug?: string
}

/** Stores an order and, if it has steps, the time of the next one. */
export async function acceptOrder(
  { db, simulatorDelayMs, nudge }: SimulatorOptions,
  { tenant, now }: Pick<About, 'tenant' | 'now'>,
  { reference, kind, accountNumber, packageSlug, returnUrl, amount_minor, currency }: Taken,
  { steps, silentDelays }: OrderScript,
  { waitsFor = 'bank', dueMs }: { waitsFor?: string; dueMs?: number } = {},
): Promise<void> {
  const [first, second] = steps
  const waitMs = simulatorDelayMs * Math.max(1, silentDelays)
  const firstMs = dueMs ?? waitMs
  const row = {
    reference,
    kind,
    account_number: accountNumber ?? null,
    package_slug: packageSlug ?? null,
    return_url: returnUrl ?? null,
    amount_minor,
    currency,
    status: 'Pending',
    message: `Waiting for the ${waitsFor}`,
    silent_until: silentDelays > 0 ? addMs(now, waitMs) : null,
    due_at: first ? addMs(now, firstMs) : null,
    due_status: first?.status ?? null,
    due_message: first?.message ?? null,
    next_status: second?.status ?? null,
    next_message: second?.message ?? null,
  } as const
  await orderBatch(db).add({ tenant, order: row, now })
  if (first) nudge(SIMULATOR_JOB, firstMs)
  if (second) nudge(SIMULATOR_JOB, firstMs + waitMs)
}

/** The outcome is unknown until the simulated provider responds. */
export async function lookUpOrder<State>(
  { db, clock }: SimulatorOptions,
  { tenant }: Pick<About, 'tenant'>,
  { reference }: Pick<SentOrder, 'reference'>,
  stateOf: (order: SimulatedOrder) => State,
): Promise<Outcome<State>> {
  const [order] = await ordersByReference(db).add({ tenant, reference })
  if (!order) return { kind: 'refused', code: 'unknown_order', message: 'No such order.' }
  const isSilent = order.silent_until !== null && order.silent_until > clock.now()
  if (isSilent && order.status === 'Pending') return NO_RESPONSE
  return { kind: 'done', value: stateOf(order) }
}

export const NO_RESPONSE = { kind: 'unknown', reason: 'timed_out' } as const

const WITHDRAWN = { from: ['Blocked'], to: 'Rejected', message: 'Withdrawn' } as const

/** What a test can make the provider do, and from which states. */
const BY_HAND = {
  approved: { from: ['Pending'], to: 'Successful', message: 'Approved' },
  declined: { from: ['Pending'], to: 'Failed', message: 'Declined by the payer' },
  success: { from: ['Pending', 'Blocked', 'NeedsAttention'], to: 'Successful', message: 'Paid' },
  failed: {
    from: ['Pending', 'Blocked', 'NeedsAttention'],
    to: 'Failed',
    message: 'The bank could not pay it',
  },
  blocked: { from: ['Pending'], to: 'Blocked', message: 'Held for review' },
  rejected: { from: ['Pending'], to: 'Rejected', message: 'The bank does not accept it' },
  returned: { from: ['Successful'], to: 'Returned', message: 'Returned by the bank' },
  vended: { from: ['Pending'], to: 'Successful', message: 'Delivered' },
  not_vended: { from: ['Pending'], to: 'Failed', message: 'The biller could not deliver it' },
  needs_attention: {
    from: ['Pending'],
    to: 'NeedsAttention',
    message: 'The payer’s bank asks for a different account',
  },
} as const satisfies Record<
  string,
  { from: readonly OrderStatus[]; to: OrderStatus; message: string }
>

export const PAYOUT_OUTCOMES = ['success', 'failed', 'blocked', 'rejected', 'returned'] as const
export type PayoutOutcome = (typeof PAYOUT_OUTCOMES)[number]

export const REFUND_OUTCOMES = ['success', 'failed', 'needs_attention'] as const
export type RefundOutcome = (typeof REFUND_OUTCOMES)[number]

export type SimulatedOutcome = keyof typeof BY_HAND

export { selectPaid as findPaid } from './queries.ts'

/** Ends an order as the bank would. Returns whether the order's state allowed it. */
export async function moveSimulatedOrder(
  db: Database,
  tenant: Tenant,
  reference: string,
  outcome: SimulatedOutcome,
): Promise<boolean> {
  return (await db.transaction((tx) => moveOrder(tx, tenant, reference, BY_HAND[outcome]))) === 1
}

interface Paying {
  accountNumber: string
  amount_minor: Minor
  currency: string
  isKept: boolean
}

/**
 * Stores a payment into an account. Returns its id; undefined if the simulator has no such account.
 */
export async function payIntoAccount(
  tx: Tx,
  ids: Ids,
  { now, ...tenant }: Tenant & { now: Date },
  { accountNumber, amount_minor, currency, isKept: is_kept }: Paying,
): Promise<number | undefined> {
  const id = await ids.next(tx)
  const provider_id = newReference('PAY')
  const payment = { id, provider_id, amount_minor, currency, is_kept, received_at: now }
  return (await insertPayment(tx, tenant, accountNumber, payment)) && id
}

export interface SimulatorOptions {
  db: Database
  /** The delay after which an order moves by itself. */
  simulatorDelayMs: number
  /** The base URL of its page for card payments. Only tests leave it out. */
  publicUrl?: string
  clock: Clock
  nudge(job: string, afterMs?: number): void
}

export const SIMULATOR_JOB = 'simulator'

/** Nobody remembers which payments into accounts were sent back, so they have no entries. */
const KINDS: Readonly<Partial<Record<EntryKind, readonly SimulatedOrder['kind'][]>>> = {
  charge: ['USSD', 'CARD'],
  payout: ['PAYOUT'],
  refund: ['REFUND'],
  bill: ['VEND'],
}

const STATUSES: Readonly<Record<OrderStatus, ProviderEntry['status']>> = {
  Pending: 'Pending',
  Blocked: 'Pending',
  NeedsAttention: 'Pending',
  Successful: 'Successful',
  Failed: 'Failed',
  Rejected: 'Failed',
  Returned: 'Reversed',
}

const PAGE_MAX = 100

/** Reports the simulator's own orders. It takes no fees. */
export const simulatedReports = ({ db }: Pick<SimulatorOptions, 'db'>): Reports => ({
  kinds: Object.keys(KINDS) as EntryKind[],
  async entries({ tenant }, kind, { from, until }, cursor) {
    const wanted = KINDS[kind]
    if (!wanted) return { kind: 'refused', code: 'unsupported', message: 'There is no such list.' }
    const [at, after = ''] = cursor?.split(' ') ?? []
    const range = { from: at === undefined ? from : new Date(at), until }
    const rows = await selectOrders(db, tenant, wanted, range, after, PAGE_MAX)
    const last = rows.at(-1)
    const next =
      last && rows.length === PAGE_MAX ? `${last.created_at.toISOString()} ${last.reference}` : null
    const entries = rows.map(
      ({ reference, status, amount_minor, currency, created_at }): ProviderEntry => ({
        kind,
        providerId: reference,
        reference,
        status: STATUSES[status],
        amount_minor,
        fee_minor: 0n,
        currency,
        at: created_at,
        settlementId: null,
      }),
    )
    return { kind: 'done', value: { entries, next } }
  },
})
