import { words } from '../../parts/values.tsx'
import { t } from '../../texts/ledger.ts'
import type { Account } from './types.ts'

/** What each account of the books is, for somebody who has never kept any. */
export const ACCOUNTS: Record<string, { name: string; says: string }> = {
  wallet_available: {
    name: t.wallet,
    says: t.whatIsYoursToSend,
  },
  wallet_pending: {
    name: t.walletNotYetAvailable,
    says: t.yoursButYouCannotSpend,
  },
  held: {
    name: t.setAside,
    says: t.reservedForTransfersRefundsSettlements,
  },
  refunds: {
    name: t.owedToPayers,
    says: t.whatPayersPaidTooMuch,
  },
  fees: { name: t.fees, says: t.whatPaymentsAndTransfersCost },
  subaccount: {
    name: t.subaccounts,
    says: t.theirSharesOfPaymentsFrom,
  },
  provider_clearing: {
    name: t.atTheBank,
    says: t.whereMoneyComesFromAnd,
  },
}

/** The order in which they are shown. */
export const ACCOUNT_KINDS = Object.keys(ACCOUNTS)

export const accountName = ({ kind, subaccount }: Account): string =>
  subaccount?.name ?? ACCOUNTS[kind]?.name ?? words(kind)

/** What causes movements, as a filter. */
export const CAUSES = [
  { value: 'transaction', label: t.payments },
  { value: 'transfer', label: t.transfers },
  { value: 'refund', label: t.refunds },
  { value: 'settlement', label: t.settlements },
  { value: 'utility_payment', label: t.billsAndAirtime },
  { value: 'business', label: t.openingBalance },
  { value: 'simulation', label: t.testFunding },
]

/** What a step did with money, by the verb of the books. */
const VERBS: Record<string, string> = {
  settle: t.cameInAndWasShared,
  fund: t.putIntoTheWallet,
  hold: t.putOnHold,
  post: t.paidFromWhatWasSet,
  void: t.releasedItWasNotPaid,
  return: t.sentBackByTheBank,
}

export const verbName = (verb: string): string => VERBS[verb] ?? words(verb)
