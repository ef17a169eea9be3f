import { words } from '../../parts/values.tsx'
import type { Account } from './types.ts'

/** What each account of the books is, for somebody who has never kept any. */
export const ACCOUNTS: Record<string, { name: string; says: string }> = {
  wallet_available: {
    name: 'Wallet',
    says: 'What is yours to send or spend now. Payments come in here, less the fee.',
  },
  wallet_pending: {
    name: 'Wallet, not yet available',
    says: 'Yours, but you cannot spend it yet.',
  },
  held: {
    name: 'Set aside',
    says: 'Reserved for transfers, refunds, settlements and bills that are under way. It leaves when they are paid, and comes back when they fail.',
  },
  refunds: {
    name: 'Owed to payers',
    says: 'What payers paid too much. It waits here to be refunded.',
  },
  fees: { name: 'Fees', says: 'What payments and transfers cost you so far.' },
  subaccount: {
    name: 'Subaccounts',
    says: 'Their shares of payments, from the payment until the settlement that pays them out.',
  },
  provider_clearing: {
    name: 'At the bank',
    says: 'Where money comes from and goes to. It always equals all other accounts together, so that the books balance.',
  },
}

/** The order in which they are shown. */
export const ACCOUNT_KINDS = Object.keys(ACCOUNTS)

export const accountName = ({ kind, subaccount }: Account): string =>
  subaccount?.name ?? ACCOUNTS[kind]?.name ?? words(kind)

/** What causes movements, as a filter. */
export const CAUSES = [
  { value: 'transaction', label: 'Payments' },
  { value: 'transfer', label: 'Transfers' },
  { value: 'refund', label: 'Refunds' },
  { value: 'settlement', label: 'Settlements' },
  { value: 'utility_payment', label: 'Bills and airtime' },
  { value: 'business', label: 'Opening balance' },
  { value: 'simulation', label: 'Test funding' },
]

/** What a step did with money, by the verb of the books. */
const VERBS: Record<string, string> = {
  settle: 'Came in and was shared out',
  fund: 'Put into the wallet',
  hold: 'Set aside',
  post: 'Paid from what was set aside',
  void: 'Released: it was not paid out',
  return: 'Sent back by the bank',
}

export const verbName = (verb: string): string => VERBS[verb] ?? words(verb)
