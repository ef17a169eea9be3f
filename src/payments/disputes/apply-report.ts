import type { Database, Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { newReference } from '../../lib/tokens.ts'
import { holdUpTo } from '../../money/wallet/service.ts'
import {
  lockBooked,
  type NewDifference,
  openDifferences,
} from '../../provider-orders/differences.ts'
import type { LookUpDispute } from '../../provider-orders/notices.ts'
import {
  findBySent,
  findPaidOrder,
  lookUpOrder,
  type OrderKind,
} from '../../provider-orders/orders.ts'
import type { DisputeState, Providers } from '../../providers/connector/types.ts'
import { lockWithPayable, type Payables } from '../attempts/settle.ts'
import { paymentIdOf } from '../deposits/receive.ts'
import { endDispute } from './finish.ts'
import {
  addDisputed,
  type DisputeRow,
  insertDispute,
  moveDispute,
  type PaymentRow,
  selectByProviderId,
  selectPayment,
  sumTakenExcess,
  updateDueAt,
  updateHeld,
} from './queries.ts'
import { disputeEvent, emailDispute } from './record.ts'
import { disputeMachine } from './schemas.ts'
import { partsOf } from './service.ts'

export type DisputeReportDeps = DisputeDeps & {
  db: Database
  providers: Providers
  /** Looks up payments, which can be disputed before we know that they were made. */
  charges: OrderKind
}

/** Returns a function that looks up the dispute that a notification names. */
export const disputeNotices =
  (deps: DisputeReportDeps): LookUpDispute =>
  async ({ tenant, connectionId, providerId }, now) => {
    if (providerId === null) return { status: 'Unchanged', result: 'It names no dispute.' }
    const found = await lookUpDispute(deps, { tenant, connectionId, providerId, now })
    return found === undefined ? undefined : { status: found ? 'Applied' : 'Unchanged' }
  }

interface Subject {
  tenant: Tenant
  connectionId: number
  providerId: string
  now: Date
}

/**
 * Asks a provider about one of its disputes, and applies what it says. Returns whether something
 * changed; undefined if the provider does not know the dispute, or if none of our payments fits.
 * Throws if the provider did not say.
 */
export async function lookUpDispute(
  deps: DisputeReportDeps,
  { tenant, connectionId, providerId, now }: Subject,
): Promise<boolean | undefined> {
  const asked = await selectByProviderId(deps.db, tenant, { connectionId, providerId })
  const provider = await deps.providers.holder(connectionId)
  if (!provider.lookUpDispute) throw new Error('This provider has no lookup of disputes.')
  const order = asked && { kind: 'dispute', subjectId: asked.id, attempt: 1 }
  const about = { tenant, now, ...(order && { order }) }
  const paymentId = asked && (await paymentIdIn(deps.db, tenant, asked))
  const outcome = await provider.lookUpDispute(about, providerId, paymentId)
  if (outcome.kind === 'refused' && outcome.code === 'unknown_order') return undefined
  if (outcome.kind !== 'done') throw new Error('The provider did not report the state.')
  return applyDisputeReport(
    deps,
    { tenant, connectionId, providerId, state: outcome.value, now },
    asked,
  )
}

/** Returns the provider's number of the disputed payment, if it is known. */
export async function paymentIdIn(
  db: Db,
  tenant: Tenant,
  { transaction_id }: DisputeRow,
): Promise<string | null> {
  const received = await paymentIdOf(db, tenant, transaction_id)
  return received ?? (await findPaidOrder(db, tenant, transaction_id))?.provider_id ?? null
}

export const lookUpAgain = (
  deps: DisputeReportDeps,
  { business_id: businessId, live, connection_id, provider_id }: DisputeRow,
  now: Date,
) =>
  lookUpDispute(deps, {
    tenant: { businessId, live },
    connectionId: connection_id,
    providerId: provider_id,
    now,
  })

/**
 * Applies what a provider has said when it was asked about a dispute. Opens the dispute if it is
 * new. `asked` is our dispute as it was before the question: a state that is not final is only
 * applied if nothing has happened since. Returns whether something changed; undefined if no payment
 * of this connection fits.
 */
export async function applyDisputeReport(
  deps: DisputeReportDeps,
  reported: DisputeReport,
  asked: DisputeRow | undefined,
): Promise<boolean | undefined> {
  const { tenant } = reported
  if (asked) return deps.db.transaction((tx) => applyState(tx, deps, reported, asked))
  const found = await disputedPayment(deps, reported)
  if (!found) return undefined
  return deps.db.transaction(async (tx) => {
    const { connectionId, providerId } = reported
    // Its money has been taken from the business already.
    const money = { kind: 'dispute', providerIds: [providerId] } as const
    if (await lockBooked(tx, tenant, connectionId, money)) return false
    const payment = await lockWithPayable(tx, deps.payables, tenant, found.id)
    const opened = await openDispute(tx, deps, reported, payment)
    const row = opened ?? (await selectByProviderId(tx, tenant, reported))
    if (!row) throw new Error(`The dispute ${reported.providerId} does not exist`)
    const isChanged = await applyState(tx, deps, reported, row)
    return isChanged || opened !== undefined
  })
}

/** Finds the payment by the reference of its charge. If we do not know that it was paid, asks. */
async function disputedPayment(
  deps: DisputeReportDeps,
  { tenant, connectionId, state: { chargeReference, currency }, now }: DisputeReport,
): Promise<PaymentRow | undefined> {
  if (chargeReference === null) return undefined
  const sent = await findBySent(deps.db).add({ tenant, sentReference: chargeReference })
  const order = sent.find((one) => one.connection_id === connectionId && one.kind === 'charge')
  if (!order) return undefined
  const find = () => selectPayment(deps.db, tenant, order.subject_id)
  let payment = await find()
  if (payment.paid_minor === null) {
    await lookUpOrder(deps, deps.charges, order, now)
    payment = await find()
  }
  return payment.paid_minor !== null && payment.currency === currency ? payment : undefined
}

/** Returns whether the dispute has changed. */
export async function applyState(
  tx: Tx,
  deps: DisputeDeps,
  { tenant, state, now }: Pick<DisputeReport, 'tenant' | 'state' | 'now'>,
  row: DisputeRow,
): Promise<boolean> {
  const { status } = state
  if (disputeMachine.isFinal(row.status)) return contradict(tx, deps, row, status, now)
  if (status === 'AwaitingResponse') {
    return row.status === 'Open'
      ? postpone(tx, deps, tenant, row, state.dueAt, now)
      : move(tx, deps, tenant, row, 'ask_again', now)
  }
  if (status === 'UnderReview') {
    return row.status === 'Open' && move(tx, deps, tenant, row, 'review', now)
  }
  const lost_minor = status === 'Won' ? 0n : lostOf(state.amount_minor, row)
  if (await endDispute(tx, deps, row, { status, lost_minor, now })) return true
  const ended = await selectByProviderId(tx, tenant, {
    connectionId: row.connection_id,
    providerId: row.provider_id,
  })
  return ended ? contradict(tx, deps, ended, status, now) : false
}

/** After a response, some providers report 0 for what is still claimed. */
const lostOf = (reported_minor: bigint, { amount_minor }: DisputeRow): bigint =>
  reported_minor > 0n ? reported_minor : amount_minor

async function move(
  tx: Tx,
  { ids }: Pick<DisputeDeps, 'ids'>,
  tenant: Tenant,
  { id, event_sequence: ifSequence }: DisputeRow,
  name: 'review' | 'ask_again',
  now: Date,
): Promise<boolean> {
  const change = { ...disputeMachine.moves[name], message: null, ifSequence, now }
  const row = await moveDispute(tx, tenant, id, change)
  if (!row) return false
  const event = disputeEvent('dispute.updated', row, await partsOf(tx, row), now)
  await appendEvents(tx, ids, [event])
  return true
}

async function postpone(
  tx: Tx,
  { ids }: Pick<DisputeDeps, 'ids'>,
  tenant: Tenant,
  before: DisputeRow,
  due_at: Date | null,
  now: Date,
): Promise<boolean> {
  if (!due_at || due_at.getTime() === before.due_at?.getTime()) return false
  const change = { due_at, remind_at: reminderOf(due_at, now), now }
  const row = await updateDueAt(tx, tenant, before, change)
  if (!row) return false
  const event = disputeEvent('dispute.updated', row, await partsOf(tx, row), now)
  await appendEvents(tx, ids, [event])
  return true
}

/**
 * A dispute that has ended stays as it is. If the provider reports the opposite, a person has to
 * look at it.
 */
async function contradict(
  tx: Tx,
  { ids }: Pick<DisputeDeps, 'ids'>,
  row: DisputeRow,
  theirs: string,
  now: Date,
): Promise<false> {
  const isDecided = theirs === 'Won' || theirs === 'Lost' || theirs === 'Accepted'
  if (!isDecided || (row.status === 'Won') === (theirs === 'Won')) return false
  const { business_id: businessId, live, reference, connection_id: connectionId } = row
  const { provider_id, currency, amount_minor, lost_minor } = row
  const difference: NewDifference = {
    connectionId,
    kind: 'dispute',
    class: 'different',
    field: 'status',
    provider_id,
    source: 'look_up',
    ours_minor: lost_minor,
    currency,
    theirs_minor: theirs === 'Won' ? 0n : amount_minor,
    evidence: { dispute: { reference, status: row.status }, provider: { status: theirs } },
  }
  await openDifferences(tx, ids, { businessId, live }, [difference], now)
  return false
}

export type DisputeDeps = Pick<Deps, 'ids' | 'nudge' | 'people'> & { payables: Payables }

/** What a provider says about one of its disputes. */
interface DisputeReport {
  tenant: Tenant
  connectionId: number
  providerId: string
  state: DisputeState
  now: Date
}

const HOUR_MS = 3_600_000

/** How often an open dispute is looked up, as notifications can be lost. */
export const LOOKUP_MS = { beforeDue: 6 * HOUR_MS, afterDue: HOUR_MS } as const

/** Long enough for the provider's clock to have passed the deadline too. */
const AFTER_DUE_MS = 60_000

/**
 * Stores a new dispute about a payment, and puts the money on hold: first what was overpaid, then
 * as much as the wallet has. Subaccounts keep their shares. Returns nothing if the dispute is
 * stored already. The caller has locked the payable and the payment.
 */
async function openDispute(
  tx: Tx,
  deps: DisputeDeps,
  { tenant, connectionId, providerId, state, now }: DisputeReport,
  { id: transactionId, paid_minor }: PaymentRow,
): Promise<DisputeRow | undefined> {
  const { currency, dueAt: due_at, reason } = state
  // Some providers report 0 once there was a response.
  const amount_minor = state.amount_minor > 0n ? state.amount_minor : paid_minor!
  const id = await deps.ids.next(tx)
  const regularly = addMs(now, LOOKUP_MS.beforeDue)
  const afterDue = due_at && addMs(due_at, AFTER_DUE_MS)
  const inserted = await insertDispute(tx, tenant, {
    id,
    reference: newReference('DSP'),
    transaction_id: transactionId,
    connection_id: connectionId,
    provider_id: providerId,
    amount_minor,
    currency,
    reason,
    due_at,
    remind_at: reminderOf(due_at, now),
    look_up_at: afterDue && afterDue < regularly ? afterDue : regularly,
    now,
  })
  if (!inserted) return undefined
  const payment = await addDisputed(tx, tenant, { id: transactionId, amount_minor, now })
  const dispute = await holdFor(tx, deps, tenant, { id, payment, amount_minor, currency, now })
  await appendEvents(tx, deps.ids, [disputeEvent('dispute.opened', dispute, NOTHING, now)])
  await emailDispute(tx, deps, dispute, payment, 'opened')
  return dispute
}

const NOTHING = { response: undefined, files: [] }

const REMIND_MS = 48 * HOUR_MS

/** Two days before the deadline, or at half of the time if there is less. */
function reminderOf(dueAt: Date | null, now: Date): Date | null {
  if (!dueAt || dueAt <= now) return null
  const half = new Date((dueAt.getTime() + now.getTime()) / 2)
  const early = addMs(dueAt, -REMIND_MS)
  return early > half ? early : half
}

interface Holding {
  id: number
  payment: PaymentRow
  amount_minor: Minor
  currency: string
  now: Date
}

/** All payments share the wallet's row, so it is locked as late as possible. */
async function holdFor(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  tenant: Tenant,
  { id, payment, amount_minor, currency, now }: Holding,
): Promise<DisputeRow> {
  const taken = { transactionId: payment.id, disputeId: id }
  const left_minor = payment.excess_minor - (await sumTakenExcess(tx, tenant, taken))
  const excess_minor = left_minor < amount_minor ? left_minor : amount_minor
  const held_minor = await holdUpTo(tx, ids, tenant, {
    cause: { type: 'dispute', id },
    now,
    currency,
    amount_minor: amount_minor - excess_minor,
    others: [{ account: { kind: 'refunds', currency }, amount_minor: excess_minor }],
  })
  return updateHeld(tx, tenant, id, { excess_minor, held_minor })
}
