import { Text } from '@mantine/core'
import { IconArrowNarrowRight } from '@tabler/icons-react'
import type { ListedLedgerEntry } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ScreenLink } from '../../../ui/links.tsx'
import type { RecordsScreen } from '../../../ui/navigation.ts'
import { formatState, money, shortReference, Truncated } from '../../../ui/values.tsx'

interface AccountText {
  name: string
  /** The name of the account for one connection to a provider. */
  nameFor?: (connection: string) => string
  says: string
}

/** Written for readers who have never done any bookkeeping. */
export const ACCOUNTS: Record<string, AccountText> = {
  wallet_available: {
    name: 'Wallet',
    says: 'Money you can send or spend now. Payments arrive here, less the fee.',
  },
  wallet_pending: {
    name: 'Wallet, not yet available',
    says: 'Your money that is not available yet.',
  },
  held: {
    name: 'On hold',
    says: 'Money held for transfers, refunds, settlements and bills in progress. It returns to the wallet if they fail.',
  },
  refunds: {
    name: 'Owed to payers',
    says: 'Overpayments waiting to be refunded.',
  },
  unallocated: {
    name: 'Not allocated',
    says: 'Money that arrived without a payment that it belongs to.',
  },
  fees: { name: 'Fees', says: 'What payments and transfers have cost you so far.' },
  subaccount: {
    name: 'Subaccounts',
    says: 'Their shares of payments, held until a settlement pays them out.',
  },
  receivable: {
    name: 'Owed by you',
    says: 'Money that a provider took back when your wallet could not cover it. It is taken from your next payments.',
  },
  provider_clearing: {
    name: 'At the provider',
    nameFor: (connection) => `At ${connection}`,
    says: 'Where money comes from and goes to, and what the provider holds for you.',
  },
  provider_fees: {
    name: 'Provider’s fees to pay',
    nameFor: (connection) => `Fees of ${connection} to pay`,
    says: 'Fees that the provider took, but that have not been taken from your wallet yet.',
  },
  bank: {
    name: 'In your bank account',
    nameFor: (connection) => `Paid out by ${connection}`,
    says: 'What the provider has paid out to your own bank account.',
  },
}

/** The order in which the accounts are shown. */
export const ACCOUNT_KINDS = Object.keys(ACCOUNTS)

export function accountName({ kind, subaccount, connection }: Account): string {
  const { name = formatState(kind), nameFor } = ACCOUNTS[kind] ?? {}
  return subaccount?.name ?? (connection && nameFor?.(connection.name)) ?? name
}

/** Returns the value that selects an account in the list of entries. */
export const accountKey = ({ kind, subaccount, connection }: Account): string =>
  subaccount?.code ?? (connection ? `${kind}.${connection.id}` : kind)

export const CAUSES = [
  { value: 'transaction', label: 'Payments' },
  { value: 'transfer', label: 'Transfers' },
  { value: 'refund', label: 'Refunds' },
  { value: 'dispute', label: 'Disputes' },
  { value: 'deposit', label: 'Held deposits' },
  { value: 'settlement', label: 'Settlements' },
  { value: 'utility_payment', label: 'Bills and airtime' },
  { value: 'business', label: 'Opening balance' },
  { value: 'simulation', label: 'Test funding' },
  { value: 'difference', label: 'Differences' },
  { value: 'recovery', label: 'Owed by the wallet' },
]

/** What a step did, by the verb in the ledger. */
const VERBS: Record<string, string> = {
  settle: 'Received and split',
  fund: 'Added to the wallet',
  hold: 'Put on hold',
  post: 'Paid from the amount on hold',
  void: 'Released: not paid out',
  return: 'Returned by the bank',
  provider_fee: 'Fee taken by the provider',
  take: 'Taken from the wallet',
  receive: 'Received and held',
  accept: 'Accepted',
}

export const verbName = (verb: string, cause: string): string =>
  cause === 'deposit' && verb === 'return'
    ? 'Returned to the payer'
    : (VERBS[verb] ?? formatState(verb))

type Move = Pick<ListedLedgerEntry, 'from' | 'to' | 'cause'>

/** A ledger account. For the account of a subaccount, also names the subaccount. */
export type Account = Move['from']

export function FromTo({ of: { from, to } }: { of: Pick<Move, 'from' | 'to'> }) {
  return (
    <span className="breaks">
      {accountName(from)}{' '}
      <IconArrowNarrowRight size={16} aria-label="to" style={{ verticalAlign: 'text-bottom' }} />{' '}
      {accountName(to)}
    </span>
  )
}

export function InLedger({ reference }: { reference: string }) {
  const may = usePermission()
  if (!may('wallet:read')) return <>{reference}</>
  return (
    <ScreenLink to="ledger" search={{ reference }}>
      View
    </ScreenLink>
  )
}

export const KINDS: Record<string, string> = {
  charge: 'Payment received',
  fee: 'Fee',
  hold: 'Put on hold',
  void: 'Released',
  return: 'Returned',
  funding: 'Test wallet funded',
  opening: 'Opening balance',
  refund: 'Refund',
  dispute: 'Taken back by a bank',
  difference: 'Difference at the provider',
  share: 'Share of a payment',
  deposit: 'Held deposit',
  payout: 'Paid out',
  vend: 'Bill paid',
  overpayment: 'Overpayment',
  provider_fee: 'Provider’s fee',
  commission: 'Commission',
  recovery: 'Taken to cover what was owed',
}

export const kindName = (kind: string): string => KINDS[kind] ?? formatState(kind)

const SCREENS: Record<string, RecordsScreen> = {
  transaction: 'payments',
  transfer: 'transfers',
  refund: 'refunds',
  dispute: 'disputes',
  deposit: 'deposits',
  difference: 'differences',
  settlement: 'settlements',
  utility_payment: 'utility',
}

const OTHERS: Record<string, string> = {
  business: 'Opening balance',
  simulation: 'Test mode',
  recovery: 'Owed by the wallet',
}

/** Links to the screen of the source, if it has one. */
export function Cause({
  of: { type, reference, name },
  isWhole = false,
}: {
  of: Move['cause']
  /** Whether there is enough room for the full reference. */
  isWhole?: boolean
}) {
  const screen = SCREENS[type]
  if (!screen || !reference) return <>{OTHERS[type] ?? formatState(type)}</>
  return (
    <>
      <ScreenLink to={`${screen}/${reference}`}>
        {name && isWhole ? (
          name
        ) : name ? (
          <Truncated text={name} also={reference} />
        ) : (
          <span className="whole" title={reference}>
            {isWhole ? reference : shortReference(reference)}
          </span>
        )}
      </ScreenLink>
      {isWhole && name && (
        <Text size="sm" c="dimmed" className="breaks">
          {reference}
        </Text>
      )}
    </>
  )
}

/**
 * Incoming money is green with a plus, and outgoing money has a minus, so that colour is never the
 * only difference.
 */
export function Signed({
  direction,
  amount,
  currency,
}: {
  /** `in` or `out`. */
  direction: string | null
  amount: number
  currency: string
}) {
  const sign = direction === 'in' ? '+ ' : direction === 'out' ? '− ' : ''
  return (
    <Text span inherit fw={600} className="whole" {...(direction === 'in' && { c: 'var(--good)' })}>
      {sign}
      {money(amount, currency)}
    </Text>
  )
}
