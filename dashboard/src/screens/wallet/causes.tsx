import type { WalletLedger } from '../../../../sdk/src/operations.ts'
import { ScreenLink } from '../../parts/links.tsx'
import { words } from '../../parts/values.tsx'

/** What the movements of the books are called. */
export const KINDS: Record<string, string> = {
  charge: 'Payment received',
  fee: 'Fee',
  hold: 'Kept aside to be paid out',
  void: 'Given back: it was not paid out',
  return: 'Sent back by the bank',
  funding: 'Test wallet funded',
  opening: 'Opening balance',
  refund: 'Refund',
  share: 'Share of a payment',
  payout: 'Paid out',
  vend: 'Bill paid',
  overpayment: 'Paid too much',
}

export const kindName = (kind: string): string => KINDS[kind] ?? words(kind)

/** The screen on which each kind of cause stands. */
const SCREENS: Record<string, string> = {
  transaction: 'payments',
  transfer: 'transfers',
  refund: 'refunds',
  settlement: 'settlements',
  utility_payment: 'utility',
}

/** What moved money and is no record of its own. */
const OTHERS: Record<string, string> = {
  business: 'The opening of the business',
  simulation: 'Test mode',
}

/** Why the books have a movement, with a link to it where there is a screen. */
export function Cause({ of: { type, reference } }: { of: WalletLedger['cause'] }) {
  const screen = SCREENS[type]
  if (!screen || !reference) return <>{OTHERS[type] ?? words(type)}</>
  return <ScreenLink to={`${screen}/${reference}`}>{reference}</ScreenLink>
}
