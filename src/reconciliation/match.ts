import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { bookedFeesOf, bookProviderFee, type Cause } from '../ledger/ledger.ts'
import type { Minor } from '../lib/money.ts'
import { causeOf } from '../provider-orders/apply-report.ts'
import {
  type Agreed,
  closeAgreed,
  type DifferenceRow,
  type NewDifference,
  openDifferences,
} from '../provider-orders/differences.ts'
import type { OrderRow } from '../provider-orders/orders.ts'
import type { Connection, EntryKind, ProviderEntry } from '../providers/connector/types.ts'
import { throughOf } from '../providers/providers.ts'
import { dayOf } from './days.ts'
import type { DayKey } from './queries.ts'
import {
  type Account,
  type OrderOfEntry,
  selectDeposits,
  selectDisputes,
  selectOrders,
  selectRefunded,
  upsertEntries,
} from './queries-match.ts'

export interface Matching {
  ids: Ids
  key: DayKey
  connection: Connection
  now: Date
  /** Whether the provider has already been asked about orders that do not agree. */
  isAsked: boolean
}

interface Compared extends Ours {
  entry: ProviderEntry
  verdict: Verdict
}

/** An entry whose order has to be looked up before it can be compared. */
export interface Unsettled {
  entry: ProviderEntry
  order: OrderRow
}

/**
 * Compares entries with our books, and stores them, the differences, and fees that are new. Returns
 * those whose orders have to be looked up first.
 */
export async function matchEntries(
  tx: Tx,
  matching: Matching,
  entries: readonly ProviderEntry[],
): Promise<Unsettled[]> {
  const { key, now, isAsked } = matching
  const distinct = [
    ...new Map(entries.map((one) => [`${one.kind} ${one.providerId}`, one])).values(),
  ]
  const found = await findOurs(tx, key, distinct)
  const all = distinct.map((entry, n): Compared => {
    const ours = found[n]!
    return { ...ours, entry, verdict: verdictOf(entry, ours, now) }
  })
  const unsettled = isAsked ? [] : all.flatMap(toLookUp)
  const asking = new Set(unsettled.map(({ entry }) => entry))
  const stored = all.map(({ entry, order, verdict }) => ({
    entry,
    order,
    class: asking.has(entry) ? ('waiting' as const) : verdict.class,
  }))
  await upsertEntries(tx, key, stored, now)
  const decided = all.filter(({ entry }) => !asking.has(entry))
  await openDifferences(tx, matching.ids, key.tenant, decided.flatMap(differenceOf(matching)), now)
  await closeLate(tx, matching, decided)
  await compareFees(tx, matching, decided)
  return unsettled
}

/** Only a lookup tells whether we are late, or the two sides really do not agree. */
function toLookUp({ entry, order, verdict }: Compared): Unsettled[] {
  const isUnclear =
    verdict.class === 'waiting' || (verdict.class === 'different' && verdict.field === 'status')
  return isUnclear && order ? [{ entry, order }] : []
}

/** Finds what our books have for each of a connection's entries. */
async function findOurs(tx: Tx, key: Account, entries: readonly ProviderEntry[]): Promise<Ours[]> {
  const wanted = entries.map((entry, n) => ({ entry, n }))
  const ofOrders = wanted.filter(({ entry }) => ORDER_KINDS.includes(entry.kind))
  const orders = await selectOrders(
    tx,
    key,
    ofOrders.map(({ entry }) => entry),
  )
  const byEntry = new Map<number, OrderOfEntry>()
  // The order that was sent under the reference comes before one with the same number, and the
  // latest of a record before earlier ones.
  for (const order of orders.toReversed()) byEntry.set(ofOrders[order.n]!.n, order)
  const charges = entries.filter(({ kind }) => kind === 'charge')
  const deposits =
    charges.length > 0
      ? await selectDeposits(
          tx,
          key,
          charges.map(({ providerId }) => providerId),
        )
      : []
  const byNumber = new Map(deposits.map((one) => [one.provider_reference, one]))
  const disputes = await disputesOf(tx, key, entries)
  const ours = wanted.map(({ entry, n }): Ours => {
    const deposit = entry.kind === 'charge' ? byNumber.get(entry.providerId) : undefined
    const dispute = entry.kind === 'dispute' ? disputes.get(entry.providerId) : undefined
    return { order: byEntry.get(n), isReplaced: byEntry.get(n)?.is_replaced, deposit, dispute }
  })
  const returned = ours.flatMap(({ order, deposit }, n) => {
    const id = deposit?.transaction_id ?? order?.subject_id
    const isReturned = entries[n]!.kind === 'charge' && entries[n]!.status === 'Reversed'
    return isReturned && id ? [{ n, id }] : []
  })
  if (returned.length === 0) return ours
  const refunded = await selectRefunded(
    tx,
    key.tenant,
    returned.map(({ id }) => id),
  )
  const isRefunded = new Set(refunded.map(({ id }) => id))
  for (const { n, id } of returned) ours[n]!.isRefunded = isRefunded.has(id)
  return ours
}

async function disputesOf(tx: Tx, key: Account, entries: readonly ProviderEntry[]) {
  const wanted = entries.filter(({ kind }) => kind === 'dispute')
  const ids = wanted.map(({ providerId }) => providerId)
  const rows = ids.length > 0 ? await selectDisputes(tx, key, ids) : []
  return new Map(rows.map((row) => [row.provider_id, row]))
}

/**
 * Returns what our books have now for a difference, and how much of it has moved. `order` is the
 * difference's, if it has one.
 */
export async function bookedFor(
  tx: Tx,
  account: Account,
  { kind, provider_id, theirs_minor, currency }: DifferenceRow,
  order: OrderRow | undefined,
  now: Date,
): Promise<{ state: State; ours_minor: Minor }> {
  const entry: ProviderEntry = {
    kind: kind as EntryKind,
    status: 'Successful',
    at: now,
    providerId: provider_id ?? order?.provider_id ?? '',
    reference: order?.sent_reference ?? null,
    amount_minor: theirs_minor ?? 0n,
    fee_minor: null,
    settlementId: null,
    currency: currency ?? '',
  }
  const [ours] = await findOurs(tx, account, [entry])
  const state = stateOf(entry, ours!)
  return { state, ours_minor: state === 'moved' ? (amountOf(ours!)?.amount_minor ?? 0n) : 0n }
}

// ------------------------------------------------------------------------------ differences

const differenceOf =
  ({ key }: Matching) =>
  ({ entry, order, deposit, dispute, verdict }: Compared): NewDifference[] => {
    if (verdict.class !== 'missing_here' && verdict.class !== 'different') return []
    return [
      {
        connectionId: key.connectionId,
        kind: entry.kind,
        class: verdict.class,
        source: 'reconciliation',
        day: dayOf(entry.at),
        provider_id: entry.providerId,
        order,
        ...(verdict.class === 'different' ? differing(verdict) : missing(entry)),
        currency: entry.currency,
        evidence: evidenceOf({ entry, order, deposit, dispute }),
      },
    ]
  }

type Differing = Extract<Verdict, { class: 'different' }>

const differing = (verdict: Differing) =>
  verdict.field === 'currency'
    ? { field: verdict.field, ours_minor: null, theirs_minor: null }
    : { field: verdict.field, ours_minor: verdict.ours_minor, theirs_minor: verdict.theirs_minor }

const missing = ({ amount_minor: theirs_minor }: ProviderEntry) => ({
  ours_minor: 0n,
  theirs_minor,
})

/** Both sides as they were read. */
const evidenceOf = ({ entry, order, deposit, dispute }: Ours & { entry: ProviderEntry }) => ({
  entry: {
    status: entry.status,
    reference: entry.reference,
    providerId: entry.providerId,
    amountMinor: Number(entry.amount_minor),
    feeMinor: entry.fee_minor === null ? null : Number(entry.fee_minor),
    currency: entry.currency,
    at: entry.at,
  },
  ...(order && { order: orderEvidence(order) }),
  ...(dispute && {
    dispute: {
      reference: dispute.reference,
      status: dispute.status,
      lostMinor: dispute.lost_minor === null ? null : Number(dispute.lost_minor),
      currency: dispute.currency,
    },
  }),
  ...(deposit && {
    deposit: {
      status: deposit.status,
      returnStatus: deposit.return_status,
      amountMinor: Number(deposit.amount_minor),
      currency: deposit.currency,
    },
  }),
})

/** What we know of an order. */
export const orderEvidence = (order: OrderRow) => ({
  kind: order.kind,
  reference: order.reference,
  sentReference: order.sent_reference,
  providerId: order.provider_id,
  state: order.state,
  amountMinor: order.amount_minor === null ? null : Number(order.amount_minor),
  currency: order.currency,
  sentAt: order.sent_at,
  endedAt: order.ended_at,
})

/** What agrees now was only late. */
async function closeLate(tx: Tx, { key, now }: Matching, all: readonly Compared[]): Promise<void> {
  const { tenant, connectionId } = key
  const matched = all.filter(({ verdict }) => verdict.class === 'matched')
  const known = all.filter(({ verdict, order }) => verdict.class === 'different' && order)
  const close = (some: readonly Compared[], fields: readonly string[]) =>
    some.length === 0
      ? undefined
      : closeAgreed(tx, tenant, connectionId, { agreed: some.flatMap(agreedOf), fields, now })
  await close(matched, ['', 'amount', 'currency', 'status'])
  await close(known, [''])
}

/** A notification without a number was stored under the reference. */
function agreedOf({ entry: { kind, providerId, reference }, order }: Compared): Agreed[] {
  const { kind: subject_kind = null, subject_id = null, attempt = null } = order ?? {}
  const about = { kind, subject_kind, subject_id, attempt }
  return [providerId, reference].flatMap((provider_id) =>
    provider_id === null ? [] : [{ ...about, provider_id }],
  )
}

// ------------------------------------------------------------------------------------- fees

interface Fee {
  compared: Compared
  /** The record whose journals have it, and any other that may have. */
  causes: readonly [Cause, ...Cause[]]
  fee_minor: bigint
}

/** Books fees that the provider has not reported before, and compares the others. */
async function compareFees(tx: Tx, matching: Matching, all: readonly Compared[]): Promise<void> {
  const { ids, key, connection, now } = matching
  const fees = all.flatMap(feeOf)
  if (fees.length === 0) return
  const booked = await bookedFeesOf(
    tx,
    key.tenant,
    key.connectionId,
    fees.flatMap(({ causes }) => causes),
  )
  const byCause = new Map(booked.map((one) => [`${one.type} ${one.id}`, one.fee_minor]))
  const agreed: Compared[] = []
  const found: NewDifference[] = []
  for (const { compared, causes, fee_minor } of fees) {
    const { entry, order, deposit } = compared
    const ours_minor = causes.reduce(
      (sum, { type, id }) => sum + (byCause.get(`${type} ${id}`) ?? 0n),
      0n,
    )
    if (ours_minor === fee_minor) agreed.push(compared)
    else if (ours_minor === 0n) {
      const through = throughOf(connection, fee_minor)
      const { currency } = entry
      const [cause] = causes
      await bookProviderFee(tx, ids, key.tenant, { cause, through, currency, now })
      agreed.push(compared)
    } else
      found.push({
        connectionId: key.connectionId,
        kind: entry.kind,
        class: 'different',
        field: 'fee',
        source: 'reconciliation',
        day: dayOf(entry.at),
        provider_id: entry.providerId,
        order,
        ours_minor,
        theirs_minor: fee_minor,
        currency: entry.currency,
        evidence: evidenceOf({ entry, order, deposit }),
      })
  }
  await openDifferences(tx, ids, key.tenant, found, now)
  if (agreed.length === 0) return
  const of = { agreed: agreed.flatMap(agreedOf), fields: ['fee'], now }
  await closeAgreed(tx, key.tenant, key.connectionId, of)
}

function feeOf(compared: Compared): Fee[] {
  const { entry, order, deposit, verdict } = compared
  const { fee_minor, status } = entry
  if (verdict.class !== 'matched' || fee_minor === null || status !== 'Successful') return []
  const [first, ...others] = causesOf({ order, deposit })
  return first ? [{ compared, causes: [first, ...others], fee_minor }] : []
}

/** A deposit can have been held, with its fee, before it was accepted. */
function causesOf({ order, deposit }: Ours): Cause[] {
  if (deposit) {
    const held = { type: deposit.cause, id: deposit.id }
    const { status, transaction_id: id } = deposit
    return status === 'Accepted' && id ? [{ type: 'transaction', id }, held] : [held]
  }
  // The fee of a returned deposit would be beside the one of the deposit itself.
  return order && order.kind !== 'deposit_return' ? [causeOf(order)] : []
}

/** A deposit, or a payment into a funding account: the provider counts it as a separate payment. */
export interface DepositRow {
  provider_reference: string
  /** The cause of its journals. */
  cause: 'deposit' | 'funding'
  id: number
  transaction_id: number | null
  amount_minor: Minor
  currency: string
  status: 'Accepted' | 'Rejected'
  return_status: string | null
}

export interface DisputeRow {
  provider_id: string
  reference: string
  status: 'Open' | 'UnderReview' | 'Won' | 'Lost' | 'Accepted'
  /** What the provider took; null until it has decided. */
  lost_minor: Minor | null
  currency: string
}

/** What we have for an entry. */
interface Ours {
  order?: OrderRow | undefined
  /** Whether a later order has replaced it. */
  isReplaced?: boolean | undefined
  deposit?: DepositRow | undefined
  dispute?: DisputeRow | undefined
  /** Whether refunds explain that the provider has given a payment back. */
  isRefunded?: boolean
}

/**
 * `pending`: the provider has not finished it. `waiting`: we have not, or the provider has not
 * finished a settlement, so the day is read again.
 */
export type EntryClass = 'matched' | 'missing_here' | 'different' | 'pending' | 'waiting'

/** How much money each side has booked. */
interface Figures {
  ours_minor: Minor
  theirs_minor: Minor
}

type Verdict =
  | { class: Exclude<EntryClass, 'different'> }
  | ({ class: 'different'; field: 'amount' | 'status' } & Figures)
  | { class: 'different'; field: 'currency' }

const MATCHED: Verdict = { class: 'matched' }
const PENDING: Verdict = { class: 'pending' }
const WAITING: Verdict = { class: 'waiting' }

/** How long we can take to notice what the provider has finished. */
const LATE_MS = 24 * 3_600_000

/** Compares an entry with what we have for it. */
function verdictOf(entry: ProviderEntry, ours: Ours, now: Date): Verdict {
  const state = stateOf(entry, ours)
  const { amount_minor } = entry
  const verdict = VERDICTS[entry.status](entry, ours, state)
  // Some providers take the amount of a dispute when it is opened, and we book it when it is lost.
  const isLate = !ours.dispute && now.getTime() - entry.at.getTime() > LATE_MS
  if (verdict.class !== 'waiting' || entry.status === 'Pending' || !isLate) return verdict
  const theirs_minor = entry.status === 'Successful' ? amount_minor : 0n
  return { class: 'different', field: 'status', ours_minor: 0n, theirs_minor }
}

/** What our books have for an entry: nothing, money that moved, or an order that may still move. */
export type State = 'none' | 'open' | 'moved' | 'not_moved' | 'returned'

function stateOf(
  { providerId }: Pick<ProviderEntry, 'providerId'>,
  { order, isReplaced, deposit, dispute }: Ours,
): State {
  if (dispute) {
    if (dispute.lost_minor === null) return 'open'
    return dispute.lost_minor === 0n ? 'not_moved' : 'moved'
  }
  if (deposit) {
    if (deposit.return_status === 'ReturnedByProvider') return 'not_moved'
    return deposit.return_status === 'Returned' ? 'returned' : 'moved'
  }
  if (!order) return 'none'
  // Another payment of the same order, which has not been received here.
  const isAnother = order.provider_id !== null && order.provider_id !== providerId
  if (order.kind === 'charge' && isAnother) return 'open'
  if (isReplaced) return order.ended_at === null ? 'open' : 'not_moved'
  if (order.state === 'Successful') return 'moved'
  if (order.state === 'Returned') return 'returned'
  return order.ended_at === null ? 'open' : 'not_moved'
}

type Compare = (entry: ProviderEntry, ours: Ours, state: State) => Verdict

const VERDICTS: Record<ProviderEntry['status'], Compare> = {
  // A charge that nobody has paid stays pending for ever.
  Pending: ({ kind }, _, state) =>
    state === 'open' && kind !== 'charge' && kind !== 'dispute' ? WAITING : PENDING,
  Successful(entry, ours, state) {
    if (state === 'none') return { class: 'missing_here' }
    if (state === 'moved') return compareFigures(entry, ours)
    if (state === 'open') return WAITING
    return { class: 'different', field: 'status', ours_minor: 0n, theirs_minor: entry.amount_minor }
  },
  Failed({ kind }, ours, state) {
    if (state === 'open') return kind === 'charge' ? PENDING : WAITING
    return state === 'moved' ? movedHereOnly(ours) : MATCHED
  },
  Reversed({ kind }, ours, state) {
    if (state === 'open') return WAITING
    if (state !== 'moved' || (kind === 'charge' && ours.isRefunded)) return MATCHED
    return movedHereOnly(ours)
  },
}

const movedHereOnly = (ours: Ours): Verdict => ({
  class: 'different',
  field: 'status',
  ours_minor: amountOf(ours)?.amount_minor ?? 0n,
  theirs_minor: 0n,
})

function compareFigures({ amount_minor: theirs_minor, currency }: ProviderEntry, ours: Ours) {
  const amount = amountOf(ours)
  if (!amount) return MATCHED
  if (amount.currency !== currency) return { class: 'different', field: 'currency' } as const
  const { amount_minor: ours_minor } = amount
  if (ours_minor === theirs_minor) return MATCHED
  return { class: 'different', field: 'amount', ours_minor, theirs_minor } as const
}

/** Orders from before orders had amounts have none. */
function amountOf({
  order,
  deposit,
  dispute,
}: Ours): { amount_minor: Minor; currency: string } | undefined {
  if (dispute) return { amount_minor: dispute.lost_minor ?? 0n, currency: dispute.currency }
  const { amount_minor, currency } = deposit ?? order ?? {}
  return amount_minor && currency ? { amount_minor, currency } : undefined
}

/** The kinds of entries that add to what the provider holds; all others take from it. */
export const KINDS_IN: readonly (EntryKind | 'balance')[] = ['charge', 'reversal', 'balance']

/** The kinds of entries that orders have. */
const ORDER_KINDS: readonly EntryKind[] = ['charge', 'payout', 'refund', 'bill']
