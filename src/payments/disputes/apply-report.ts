import type { Database, Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import {
  lockBooked,
  type NewDifference,
  openDifferences,
} from '../../provider-orders/differences.ts'
import type { LookUpDispute } from '../../provider-orders/notices.ts'
import { findBySent, lookUpOrder, type OrderKind } from '../../provider-orders/orders.ts'
import type { Providers } from '../../providers/connector/types.ts'
import { endDispute, lockWithPayable } from './finish.ts'
import { type DisputeDeps, type DisputeReport, openDispute, reminderOf } from './open.ts'
import {
  type DisputeRow,
  moveDispute,
  type PaymentRow,
  selectByProviderId,
  selectPayment,
  updateDueAt,
} from './queries.ts'
import { disputeEvent } from './record.ts'
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

interface Asked {
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
  { tenant, connectionId, providerId, now }: Asked,
): Promise<boolean | undefined> {
  const asked = await selectByProviderId(deps.db, tenant, { connectionId, providerId })
  const provider = await deps.providers.holder(connectionId)
  if (!provider.lookUpDispute) throw new Error('This provider has no lookup of disputes.')
  const order = asked && { kind: 'dispute', subjectId: asked.id, attempt: 1 }
  const outcome = await provider.lookUpDispute({ tenant, now, ...(order && { order }) }, providerId)
  if (outcome.kind === 'refused' && outcome.code === 'unknown_order') return undefined
  if (outcome.kind !== 'done') throw new Error('The provider did not report the state.')
  return applyDisputeReport(
    deps,
    { tenant, connectionId, providerId, state: outcome.value, now },
    asked,
  )
}

export const lookUpAgain = (
  deps: DisputeReportDeps,
  { business_id: businessId, live, connection_id, provider_id }: DisputeRow,
  now: Date,
) =>
  lookUpDispute(deps, {
    tenant: { businessId, live },
    ...{ connectionId: connection_id, providerId: provider_id, now },
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
    const payment = await lockWithPayable(tx, deps, tenant, found.id)
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
    ...{ connectionId, kind: 'dispute', class: 'different', field: 'status', provider_id },
    ...{ source: 'look_up', ours_minor: lost_minor, currency },
    theirs_minor: theirs === 'Won' ? 0n : amount_minor,
    evidence: { dispute: { reference, status: row.status }, provider: { status: theirs } },
  }
  await openDifferences(tx, ids, { businessId, live }, [difference], now)
  return false
}
