import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Deps } from '../deps.ts'
import { appendEvents } from '../events/append.ts'
import {
  type AccountRef,
  clearingOf,
  type Move,
  postJournal,
  providerFeeMoves,
  walletOf,
} from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import { conflict, invalid, notFound, Problem } from '../lib/problem.ts'
import { walletFunded } from '../money/wallet/service.ts'
import { findTransaction } from '../payments/attempts/read.ts'
import { type Payables, settleTransaction } from '../payments/attempts/settle.ts'
import { clearContradiction, isUnresolved, noteProviderId } from '../provider-orders/decisions.ts'
import {
  type Closing,
  type DifferenceRow,
  lockDifference,
  type Resolution,
  updateClosed,
  updateProposed,
  updateToUnpaid,
} from '../provider-orders/differences.ts'
import {
  findPaidOrder,
  lockOrder,
  type OrderKey,
  type OrderRow,
} from '../provider-orders/orders.ts'
import type { Connection, Providers } from '../providers/connector/types.ts'
import { throughOf } from '../providers/providers.ts'
import { bookedFor, KINDS_IN, type State } from './match.ts'
import { type DayKey, selectExplained, selectRounding, updateStatus } from './queries.ts'

/** How people can close a difference. */
export const RESOLUTIONS = ['booked', 'allocated', 'sent_back', 'accepted', 'not_ours'] as const
export type PersonsResolution = (typeof RESOLUTIONS)[number]

type Shape = Pick<DifferenceRow, 'class' | 'kind' | 'field' | 'theirs_minor'>

/** Returns how a difference can be closed. */
export function resolutionsOf({ class: name, kind, theirs_minor }: Shape): PersonsResolution[] {
  if (kind === 'balance') return ['accepted', 'booked']
  if (name !== 'missing_here') return ['accepted']
  // A notification is never believed about money, so there is nothing to book yet.
  if (theirs_minor === null) return ['not_ours']
  return ['booked', ...(kind === 'charge' ? ['allocated' as const] : []), 'sent_back', 'not_ours']
}

/** Resolutions that move money on one person's word alone. */
const isSerious = ({ class: name }: Shape, resolution: Resolution): boolean =>
  name === 'missing_there' && resolution === 'accepted'

/**
 * By how much the provider has more for the business than we have booked; negative if less. Null if
 * the figures are not known.
 */
function gapOf(row: DifferenceRow): Minor | null {
  const { kind, field, ours_minor, theirs_minor } = row
  if (ours_minor === null || theirs_minor === null) return null
  const isIn = KINDS_IN.includes(kind as (typeof KINDS_IN)[number]) && field !== 'fee'
  return isIn ? theirs_minor - ours_minor : ours_minor - theirs_minor
}

interface ClosingDeps extends Pick<Deps, 'ids' | 'people'> {
  providers: Providers
  payables: Payables
}

export interface Close extends Closing {
  resolution: PersonsResolution
  /** For `allocated`. */
  transactionReference?: string | undefined
  /** What the provider holds now, to book a difference of the balance. */
  held_minor?: Minor | undefined
}

/**
 * Closes a difference, and books what that means. If it moves money that the provider does not
 * have, a second person has to say the same; until then, it is only proposed. Throws 404, and 409
 * if it is closed already, or is about an order with an unknown outcome.
 */
export async function closeDifference(
  tx: Tx,
  deps: ClosingDeps,
  { businessId, live }: Tenant,
  reference: string,
  closing: Close,
): Promise<DifferenceRow> {
  const tenant = { businessId, live }
  const row = await lockDifference(tx, tenant, reference)
  if (!row) throw notFound('difference')
  const { resolution, byId } = closing
  if (row.status === 'Closed') throw conflict('difference_state', 'It has already been closed.')
  const offered = resolutionsOf(row)
  if (!offered.includes(resolution)) {
    throw invalid({ resolution: [`must be ${offered.join(' or ')} for this difference`] })
  }
  const order = orderOf(row)
  if (order && (await isUnresolved(tx, tenant, order))) {
    const message = 'The order has an unknown outcome. Decide that first.'
    throw conflict('difference_state', message)
  }
  await requireCurrent(tx, tenant, row, order, closing)
  if (isSerious(row, resolution) && (await isFirstOfTwo(tx, deps, tenant, row, closing))) {
    if (row.proposed_by_id === byId && row.proposed_resolution === resolution) throw secondNeeded()
    return updateProposed(tx, tenant, row.id, closing)
  }
  const { connection } = await deps.providers.holder(row.connection_id, tx)
  const journalId =
    resolution === 'allocated'
      ? await allocate(tx, deps, tenant, connection, row, closing)
      : await book(tx, deps.ids, tenant, connection, row, closing)
  if (row.kind === 'balance' && journalId !== null) {
    await requireLasting(tx, tenant, row, closing.held_minor)
  }
  const closed = await updateClosed(tx, tenant, row.id, closing, journalId)
  if (order) await clearContradiction(tx, tenant, order)
  if (row.day) await updateStatus(tx, dayOf(tenant, row), closing.now)
  return closed
}

/**
 * Brings a difference about the amount of an order up to date if the order has ended unpaid since,
 * because its figures then no longer say what accepting it would book. Returns whether it changed.
 */
export async function refreshDifference(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  now: Date,
): Promise<boolean> {
  const tenant = { businessId, live }
  const row = await lockDifference(tx, tenant, reference)
  const key = row && orderOf(row)
  if (!key || row.status === 'Closed' || row.field !== 'amount') return false
  const order = await lockOrder(tx, tenant, key)
  if (!order || order.ended_at === null) return false
  const { connection_id: connectionId } = row
  const { state } = await bookedFor(tx, { tenant, connectionId }, row, order, now)
  if (state !== 'not_moved' && state !== 'returned') return false
  if ((await updateToUnpaid(tx, tenant, row.id)) > 0) return true
  const reason = 'The order ended unpaid, and another difference is about that.'
  const closing: Closing = { resolution: 'arrived_late', reason, by: 'Tradepost', byId: null, now }
  await updateClosed(tx, tenant, row.id, closing, null)
  return true
}

/** Thrown to a person who has not seen what a difference says now. */
export const refreshed = () =>
  conflict(
    'difference_state',
    'The order has ended unpaid since the difference was found, so its figures have changed. Look at them again.',
  )

/**
 * Throws 409 if our books have changed since the difference was found, or can still change by
 * themselves: the same money would be booked twice, or count as money that we do not have.
 */
async function requireCurrent(
  tx: Tx,
  tenant: Tenant,
  row: DifferenceRow,
  key: OrderKey | undefined,
  { now }: Closing,
): Promise<void> {
  const { class: name, kind, field, theirs_minor, connection_id: connectionId } = row
  if (kind === 'balance' || kind === 'settlement' || field === 'fee') return
  // A notification does not count as money.
  if (name === 'missing_here' && theirs_minor === null) return
  const order = key && (await lockOrder(tx, tenant, key))
  const booked = await bookedFor(tx, { tenant, connectionId }, row, order, now)
  if (name === 'missing_here' ? booked.state === 'none' : isAsFound(row, order, booked)) return
  const message =
    'Our records of it have changed since, or it has not ended yet. Look it up, and reconcile its day again.'
  throw conflict('difference_state', message)
}

/**
 * Throws 409 if the balance differed by less than what has just been booked, such as because a
 * lookup has found a payment since. The journal keeps the account locked, so nothing is overlooked.
 */
async function requireLasting(
  tx: Tx,
  tenant: Tenant,
  row: DifferenceRow,
  held_minor: Minor | undefined,
): Promise<void> {
  if (held_minor === undefined) {
    const message = 'The provider does not say now what it holds. Try again later.'
    throw conflict('difference_state', message)
  }
  const account = { tenant, connectionId: row.connection_id }
  const { ledger_minor, explained_minor } = await selectExplained(tx, account, row.currency!)
  const left_minor = held_minor - ledger_minor - explained_minor
  if (gapOf(row)! > 0n ? left_minor >= 0n : left_minor <= 0n) return
  const message = 'The balance no longer differs by this amount. Reconcile the day again.'
  throw conflict('difference_state', message)
}

function isAsFound(
  { field, ours_minor }: DifferenceRow,
  order: OrderRow | undefined,
  booked: { state: State; ours_minor: Minor },
): boolean {
  if (booked.state === 'open' || (order && order.ended_at === null && order.kind !== 'charge')) {
    return false
  }
  if (field === 'currency' || ours_minor === null) return true
  return booked.ours_minor === ours_minor
}

const orderOf = ({ subject_kind: kind, subject_id, attempt }: DifferenceRow) =>
  kind !== null && subject_id !== null && attempt !== null
    ? ({ kind, subject_id, attempt } as OrderKey)
    : undefined

const dayOf = (tenant: Tenant, { connection_id: connectionId, day }: DifferenceRow): DayKey => ({
  tenant,
  connectionId,
  day: day!,
})

const secondNeeded = () =>
  new Problem('forbidden', 'second_person_needed', 'Someone else has to agree to this.')

/** Whether a second person still has to agree. Nobody can if there is only one. */
async function isFirstOfTwo(
  tx: Tx,
  { people }: Pick<Deps, 'people'>,
  tenant: Tenant,
  row: DifferenceRow,
  { resolution, byId }: Closing,
): Promise<boolean> {
  const isAgreed =
    row.proposed_resolution === resolution &&
    row.proposed_by_id !== null &&
    row.proposed_by_id !== byId
  if (isAgreed) return false
  const others = (await people.approversOf(tx, tenant)).filter((id) => id !== byId)
  return others.length > 0
}

/** Settles a payment that the person names with the money that has arrived. */
async function allocate(
  tx: Tx,
  { ids, payables }: ClosingDeps,
  tenant: Tenant,
  connection: Connection,
  row: DifferenceRow,
  { transactionReference, now }: Close,
): Promise<null> {
  if (!transactionReference) {
    throw invalid({ transactionReference: ['is needed to allocate a payment'] })
  }
  const found = await findTransaction(tx, tenant, transactionReference)
  if (!found) throw notFound('transaction', ['transactionReference'])
  const order = await findPaidOrder(tx, tenant, found.id)
  const isFit = found.currency === row.currency && found.payable_minor === row.theirs_minor
  if (!isFit || order?.connection_id !== row.connection_id) throw notFit()
  const settled = await settleTransaction(tx, ids, payables, {
    tenant,
    transactionId: found.id,
    attempt: order.attempt,
    received_minor: found.payable_minor,
    through: throughOf(connection, feeOf(row)),
    message: 'Allocated by a person',
    now,
  })
  if (!settled) throw notFit()
  // The provider reports the payment under this number, and not under our reference.
  if (row.provider_id) await noteProviderId(tx, tenant, order, row.provider_id)
  return null
}

function notFit() {
  const message =
    'The payment has another amount or connection to a provider, or has already been paid.'
  return conflict('transaction_state', message, { transactionReference: [message] })
}

/** What the provider kept of something that we did not have. */
function feeOf({ class: name, evidence }: DifferenceRow): Minor | null {
  const { entry } = evidence as { entry?: { feeMinor?: number | null } }
  return name === 'missing_here' && entry?.feeMinor ? BigInt(entry.feeMinor) : null
}

const BOOKED: readonly Resolution[] = ['booked', 'accepted', 'rounding']

/** Returns the journal that brings our books to what the provider has, if one is needed. */
async function book(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  connection: Connection,
  row: DifferenceRow,
  { resolution, now }: Closing,
): Promise<number | null> {
  const { id, reference, kind, field, currency } = row
  const gap_minor = gapOf(row)
  // A balance that is accepted stays as different as it is.
  const isLeft = kind === 'balance' && resolution === 'accepted'
  if (!BOOKED.includes(resolution) || isLeft || !gap_minor || !currency) return null
  const isMore = gap_minor > 0n
  const amount_minor = isMore ? gap_minor : -gap_minor
  const clearing = clearingOf(connection.id, currency)
  const other = otherSide(connection.id, row, currency, isMore)
  const move = { amount_minor, kind: field === 'fee' && !isMore ? 'provider_fee' : 'difference' }
  const through = throughOf(connection, feeOf(row))
  const wallet = walletOf(currency)
  const isFunding = other.kind === 'wallet_available'
  const moves: Move[] = [
    isMore
      ? { debit: clearing, credit: other, ...move }
      : { debit: other, credit: clearing, ...move },
    // The wallet pays later, if the business pays at all.
    ...providerFeeMoves(through, currency),
  ]
  const { journalId, event } = await postJournal(tx, ids, tenant, {
    cause: { type: 'difference', id },
    verb: resolution === 'booked' ? 'receive' : 'accept',
    now,
    moves,
    ...(isFunding && { eventOn: wallet }),
  })
  if (event) {
    const source = { type: 'difference', reference }
    const change = { account: event, amount_minor, currency, source }
    await appendEvents(tx, ids, [walletFunded(change, tenant, now)])
  }
  return journalId
}

/**
 * What the provider has in addition belongs to the business; what it lacks, the business owes, and
 * the job `recoveries` takes it from the wallet. A settlement is between the provider and the bank.
 */
function otherSide(
  subjectId: number,
  { kind, field }: Pick<DifferenceRow, 'kind' | 'field'>,
  currency: string,
  isMore: boolean,
): AccountRef {
  if (kind === 'settlement') return { kind: 'bank', subjectId, currency }
  if (field === 'fee') return { kind: 'provider_fees', subjectId, currency }
  return isMore ? walletOf(currency) : { kind: 'receivable', currency }
}

/** Closes differences of fees by the smallest unit of money: providers round fees differently. */
export async function closeRounding(
  tx: Tx,
  ids: Ids,
  key: DayKey,
  connection: Connection,
  now: Date,
): Promise<void> {
  for (const { reference } of await selectRounding(tx, key)) {
    const row = await lockDifference(tx, key.tenant, reference)
    if (row?.status !== 'Open') continue
    const reason = 'The provider rounds its fee differently.'
    const closing: Closing = { resolution: 'rounding', reason, by: 'Tradepost', byId: null, now }
    const journalId = await book(tx, ids, key.tenant, connection, row, closing)
    await updateClosed(tx, key.tenant, row.id, closing, journalId)
  }
}
