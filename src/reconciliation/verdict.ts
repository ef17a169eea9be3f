import type { Minor } from '../lib/money.ts'
import type { OrderRow } from '../provider-orders/orders.ts'
import type { EntryKind, ProviderEntry } from '../providers/connector/types.ts'

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
export interface Ours {
  order?: OrderRow | undefined
  /** Whether a later order has replaced it. */
  isReplaced?: boolean | undefined
  deposit?: DepositRow | undefined
  dispute?: DisputeRow | undefined
  /** Whether refunds explain that the provider has given a payment back. */
  isRefunded?: boolean
}

/** `pending`: the provider has not finished it. `waiting`: we have not. */
export type EntryClass = 'matched' | 'missing_here' | 'different' | 'pending' | 'waiting'

/** How much money each side has booked. */
interface Figures {
  ours_minor: Minor
  theirs_minor: Minor
}

export type Verdict =
  | { class: Exclude<EntryClass, 'different'> }
  | ({ class: 'different'; field: 'amount' | 'status' } & Figures)
  | { class: 'different'; field: 'currency' }

const MATCHED: Verdict = { class: 'matched' }
const PENDING: Verdict = { class: 'pending' }
const WAITING: Verdict = { class: 'waiting' }

/** How long we can take to notice what the provider has finished. */
const LATE_MS = 24 * 3_600_000

/** Compares an entry with what we have for it. */
export function verdictOf(entry: ProviderEntry, ours: Ours, now: Date): Verdict {
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

export function stateOf(
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
export function amountOf({
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
export const ORDER_KINDS: readonly EntryKind[] = ['charge', 'payout', 'refund', 'bill']
