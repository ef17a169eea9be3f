import { Text } from '@mantine/core'
import { ScreenLink } from '../../parts/links.tsx'
import { Clip, money, short, words } from '../../parts/values.tsx'
import { t } from '../../texts/wallet.ts'
import type { Move } from '../ledger/types.ts'

/** What the movements of the books are called. */
export const KINDS: Record<string, string> = {
  charge: t.paymentReceived,
  fee: 'Fee',
  hold: t.setAside,
  void: 'Released',
  return: t.sentBack,
  funding: t.testWalletFunded,
  opening: t.openingBalance,
  refund: 'Refund',
  share: t.shareOfAPayment,
  payout: t.paidOut,
  vend: t.billPaid,
  overpayment: t.paidTooMuch,
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
  business: t.theOpeningOfTheBusiness,
  simulation: t.testMode,
}

/** Why the books have a movement, with a link to it where there is a screen. */
export function Cause({
  of: { type, reference, name },
  isWhole = false,
}: {
  of: Move['cause']
  /** With its reference to the last letter, where there is room. */
  isWhole?: boolean
}) {
  const screen = SCREENS[type]
  if (!screen || !reference) return <>{OTHERS[type] ?? words(type)}</>
  return (
    <>
      <ScreenLink to={`${screen}/${reference}`}>
        {name && isWhole ? (
          name
        ) : name ? (
          <Clip text={name} also={reference} />
        ) : (
          <span className="whole" title={reference}>
            {isWhole ? reference : short(reference)}
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

/** What came in in green with a plus, what went out with a minus: never by colour alone. */
export function Signed({
  direction,
  amount,
  currency,
}: {
  direction: 'in' | 'out' | null
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
