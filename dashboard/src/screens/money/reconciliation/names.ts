import type { Difference } from '../../../api/operations.ts'
import type { RecordsScreen, ScreenAddress } from '../../../ui/navigation.ts'
import { formatState } from '../../../ui/values.tsx'

/** What a provider lists. */
const KINDS: Record<string, string> = {
  charge: 'Payment',
  payout: 'Transfer',
  refund: 'Refund',
  bill: 'Bill',
  dispute: 'Dispute',
  settlement: 'Payout to your bank',
  reversal: 'Reversal',
  fee: 'Fee',
  other: 'Other',
  balance: 'Balance',
}
export const kindName = (kind: string): string => KINDS[kind] ?? formatState(kind)

const toOptions = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))
export const KIND_OPTIONS = toOptions(KINDS)
/** Nobody lists a balance as an entry. */
export const ENTRY_KIND_OPTIONS = KIND_OPTIONS.filter(({ value }) => value !== 'balance')

const CLASSES: Record<string, string> = {
  missing_here: 'Missing here',
  missing_there: 'Missing at the provider',
  different: 'Different',
}
export const CLASS_OPTIONS = toOptions(CLASSES)

const ENTRY_CLASSES: Record<string, string> = {
  matched: 'Matched',
  missing_here: 'Missing here',
  different: 'Different',
  pending: 'Not final at the provider',
  waiting: 'Not final here',
}
export const ENTRY_CLASS_OPTIONS = toOptions(ENTRY_CLASSES)
export const entryClassName = (name: string): string => ENTRY_CLASSES[name] ?? formatState(name)

/** "Payment: missing here", "Payment: different amount", "Balance: different". */
export function differenceName({ kind, class: name, field }: Difference): string {
  const what = (CLASSES[name] ?? formatState(name)).toLowerCase()
  return `${kindName(kind)}: ${[what, field].filter(Boolean).join(' ')}`
}

/** Who found a difference. */
const SOURCES: Record<string, string> = {
  reconciliation: 'Reconciliation',
  lookup: 'A lookup of the order',
  notice: 'A notification from the provider',
}
export const sourceName = (source: string): string => SOURCES[source] ?? formatState(source)

/** The orders that providers have. */
const ORDERS: Record<string, { name: string; screen?: RecordsScreen }> = {
  charge: { name: 'Payment', screen: 'payments' },
  transfer: { name: 'Transfer', screen: 'transfers' },
  settlement: { name: 'Settlement', screen: 'settlements' },
  refund: { name: 'Refund', screen: 'refunds' },
  bill: { name: 'Bill', screen: 'utility' },
  deposit_return: { name: 'Return of a deposit' },
  dispute_response: { name: 'Response to a dispute' },
}
export const ORDER_OPTIONS = Object.entries(ORDERS).map(([value, { name }]) => ({
  value,
  label: name,
}))
export const orderName = (kind: string): string => ORDERS[kind]?.name ?? formatState(kind)

/** The screen of the record that an order is for, if it has one. */
export function orderScreen(kind: string, reference: string | null): ScreenAddress | undefined {
  const screen = ORDERS[kind]?.screen
  return screen && reference ? (`${screen}/${reference}` as ScreenAddress) : undefined
}

interface Resolution {
  label: string
  /** What it does. */
  says: string
}

const BOOK: Resolution = {
  label: 'Book it',
  says: 'Money that came in goes to your wallet. Money that went out is taken from your wallet.',
}

const MISSING_HERE: Record<string, Resolution> = {
  booked: BOOK,
  allocated: {
    label: 'It belongs to a payment',
    says: 'The payment that you name is settled with it. The amounts must be the same.',
  },
  sent_back: { label: 'The provider has sent it back', says: 'Nothing is booked.' },
  not_ours: { label: 'It is not ours', says: 'Nothing is booked.' },
}

const ACCEPTED: Record<string, Resolution> = {
  missing_there: {
    label: 'The provider is right',
    says: 'What we have booked is taken back. A second person has to agree.',
  },
  different: {
    label: 'The provider is right',
    says: 'The provider’s figures are booked.',
  },
}

const OF_BALANCE: Record<string, Resolution> = {
  accepted: {
    label: 'Leave it as it is',
    says: 'Nothing is booked. From now on, the balance may differ by this amount.',
  },
  booked: BOOK,
}

/** How a difference can be closed, or was. */
export function resolutionOf(
  { kind, class: name }: Pick<Difference, 'kind' | 'class'>,
  resolution: string,
): Resolution {
  const found =
    kind === 'balance'
      ? OF_BALANCE[resolution]
      : resolution === 'accepted'
        ? ACCEPTED[name]
        : MISSING_HERE[resolution]
  return found ?? { label: CLOSED_BY_US[resolution] ?? formatState(resolution), says: '' }
}

/** Nobody has to do anything about these. */
const CLOSED_BY_US: Record<string, string> = {
  arrived_late: 'Both sides agree now',
  rounding: 'Rounded differently',
}

/** Why a person has to look at an order. */
const ATTENTION: Record<string, string> = {
  unknown: 'The provider does not say whether it was paid',
  not_found: 'The provider does not find it',
  not_sent: 'It could not be sent for a long time',
  bad_request: 'The provider refused it, and we do not understand why',
  different: 'The provider reports another amount or currency',
  blocked: 'The provider holds it until someone acts',
  contradiction: 'The provider now reports the opposite of what it said before',
}
export const attentionOf = (attention: string | null): string =>
  ATTENTION[attention ?? 'unknown'] ?? formatState(attention ?? 'unknown')

interface Words {
  label: string
  says: string
}

const DECISIONS: Record<string, Words> = {
  paid: { label: 'It was paid', says: 'It is booked as paid.' },
  not_paid: {
    label: 'It was not paid',
    says: 'It has failed, and the money is back in the wallet.',
  },
  send_again: {
    label: 'It was not paid: send it again',
    says: 'It is sent once more under the same reference.',
  },
}

/** Kinds of orders for which the general words would be wrong. */
const DECISIONS_OF: Record<string, Record<string, Words>> = {
  charge: {
    paid: { label: 'It was paid', says: 'It is booked as a payment received.' },
    not_paid: {
      label: 'It was not paid',
      says: 'The payment has failed. The payer can pay again.',
    },
  },
  dispute_response: {
    paid: { label: 'It has arrived', says: 'The provider has the response.' },
    not_paid: {
      label: 'It has not arrived',
      says: 'The response has failed. You can respond again.',
    },
    send_again: { label: 'It has not arrived: send it again', says: 'The same response is sent.' },
  },
}

const wordsOf = (kind: string, decision: string): Words | undefined =>
  DECISIONS_OF[kind]?.[decision] ?? DECISIONS[decision]
export const decisionName = (kind: string, decision: string): string =>
  wordsOf(kind, decision)?.label ?? formatState(decision)
export const decisionSays = (kind: string, decision: string): string | undefined =>
  wordsOf(kind, decision)?.says
