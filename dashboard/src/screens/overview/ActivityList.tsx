import { Text, UnstyledButton } from '@mantine/core'
import {
  IconActivity,
  IconArrowUpRight,
  IconBasket,
  IconBolt,
  IconBuildingBank,
  IconCash,
  IconCoins,
  IconCreditCard,
  IconFileInvoice,
  IconGavel,
  IconPackage,
  IconPoint,
  IconReceiptRefund,
  IconWallet,
  IconWorldWww,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMode } from '../../api/history.ts'
import type { Overview } from '../../api/operations.ts'
import { EmptyState, SCREEN_ICON } from '../../ui/feedback.tsx'
import { screenAt, useHref } from '../../ui/navigation.ts'
import { useNewRows } from '../../ui/new-rows.ts'
import { formatState, Money, shortReference, toneOf, When } from '../../ui/values.tsx'

type Activity = Overview['activity'][number]

/**
 * The icon for each kind of object, by the first part of the event type. The same as in the
 * navigation.
 */
const ICONS: Record<string, typeof IconPoint> = {
  transaction: IconCreditCard,
  payment_page: IconWorldWww,
  invoice: IconFileInvoice,
  order: IconBasket,
  product: IconPackage,
  refund: IconReceiptRefund,
  dispute: IconGavel,
  deposit: IconCoins,
  bank: IconCoins,
  transfer: IconArrowUpRight,
  wallet: IconWallet,
  settlement: IconCash,
  subaccount: IconBuildingBank,
  utility: IconBolt,
}

/** Everyday names for objects. */
const NAMES: Record<string, string> = { transaction: 'payment', utility: 'bill' }

const someone = ({ who }: Activity) => who ?? 'Someone'
const it = ({ about, reference }: Activity, otherwise: string) =>
  about ?? (reference ? shortReference(reference) : otherwise)

const paid = (line: Activity) =>
  line.about ? `${someone(line)} paid ${line.about}` : `${someone(line)} paid`
const transfer = (who: string | null) => (who ? `Transfer to ${who}` : 'Transfer')
const refund = (who: string | null) => (who ? `Refund to ${who}` : 'Refund')

const from = (who: string | null) => (who ? ` from ${who}` : '')

/** Descriptions of events in everyday words. Any other event shows its type. */
const SAID: Record<string, (line: Activity) => string> = {
  'transaction.successful': paid,
  'transaction.failed': (line) =>
    line.about
      ? `${someone(line)}’s payment of ${line.about} failed`
      : `${someone(line)}’s payment failed`,
  'transaction.reversed': (line) => `${someone(line)}’s payment was reversed`,
  'invoice.created': (line) => `${it(line, 'an invoice')} for ${someone(line)} created`,
  'invoice.sent': (line) => `${it(line, 'an invoice')} sent to ${someone(line)}`,
  'invoice.viewed': (line) => `${someone(line)} opened ${it(line, 'an invoice')}`,
  'invoice.partially_paid': (line) => `${someone(line)} paid part of ${it(line, 'an invoice')}`,
  'invoice.paid': paid,
  'invoice.overdue': (line) => `${it(line, 'an invoice')} from ${someone(line)} is overdue`,
  'invoice.voided': (line) => `${it(line, 'an invoice')} voided`,
  'order.created': (line) => `${someone(line)} started an order`,
  'order.paid': (line) => `${someone(line)} placed an order`,
  'order.refunded': (line) => `${someone(line)}’s order was refunded`,
  'transfer.pending': ({ who }) => `${transfer(who)} started`,
  'transfer.unverified': ({ who }) => `${transfer(who)} needs approval`,
  'transfer.successful': ({ who }) => `${transfer(who)} completed`,
  'transfer.failed': ({ who }) => `${transfer(who)} failed`,
  'transfer.blocked': ({ who }) => `${transfer(who)} held by the bank`,
  'transfer.rejected': ({ who }) => `${transfer(who)} rejected`,
  'transfer.reversed': ({ who }) => `${transfer(who)} returned by the bank`,
  'refund.pending': ({ who }) => `${refund(who)} started`,
  'refund.processed': ({ who }) => `${refund(who)} completed`,
  'refund.failed': ({ who }) => `${refund(who)} failed`,
  'refund.needs_attention': ({ who }) => `${refund(who)} needs attention`,
  'dispute.opened': (line) => `${someone(line)} disputed a payment`,
  'dispute.updated': (line) => `Dispute from ${someone(line)} updated`,
  'dispute.won': (line) => `Dispute from ${someone(line)} won`,
  'dispute.lost': (line) => `Dispute from ${someone(line)} lost`,
  'dispute.accepted': (line) => `Dispute from ${someone(line)} accepted`,
  'deposit.held': ({ who }) => `Money${from(who)} held by the provider`,
  'deposit.returned': ({ who }) => `Money${from(who)} returned`,
  'deposit.accepted': ({ who }) => `Money${from(who)} accepted`,
  'bank.transfer.rejected': ({ who }) => `Bank transfer${from(who)} not accepted`,
  'settlement.paid': (line) => `Settlement paid to ${someone(line)}`,
  'settlement.blocked': (line) => `Payouts to ${someone(line)} are blocked`,
  'account.verified': ({ who }) =>
    who ? `Bank account for ${who} verified` : 'Bank account verified',
  'webhook.disabled': () => 'Webhook endpoint disabled',
  'utility.pending': (line) => `Buying ${it(line, 'a bill')} for ${someone(line)}`,
  'utility.successful': (line) => `Bought ${it(line, 'a bill')} for ${someone(line)}`,
  'utility.failed': (line) => `Could not buy ${it(line, 'a bill')} for ${someone(line)}`,
}

export function ActivityList({ of: lines }: { of: Activity[] }) {
  const href = useHref()
  const isNew = useNewRows(
    lines.map(({ id }) => id),
    useMode(),
  )
  if (lines.length === 0) {
    return (
      <EmptyState
        icon={<IconActivity {...SCREEN_ICON} />}
        title="No activity yet"
        text="Payments, invoices and transfers appear here as they happen."
      />
    )
  }
  return (
    <ul className="activity">
      {lines.map((line) => {
        const { id, type, amount, currency, path, at } = line
        const [noun = '', ...rest] = type.split('.')
        const Icon = ICONS[noun] ?? IconPoint
        const said = SAID[type]?.(line) ?? formatState([NAMES[noun] ?? noun, ...rest].join(' '))
        const detail = SAID[type] ? null : (line.about ?? line.who)
        return (
          <li key={id} className={isNew.has(id) ? 'row-new' : undefined}>
            <UnstyledButton
              component={Link}
              to={href(screenAt(path ?? 'overview'))}
              className="activity-line"
            >
              <span className={`activity-icon state-${toneOf(rest.join(' '))}`}>
                <Icon size={17} stroke={1.7} aria-hidden />
              </span>
              <span className="activity-words">
                <Text span size="sm" fw={600} lineClamp={2}>
                  {said}
                </Text>
                <Text span size="xs" c="dimmed" truncate>
                  <When at={at} />
                  {detail && ` · ${detail}`}
                </Text>
              </span>
              {amount !== null && (
                <Text span size="sm" className="whole">
                  <Money amount={amount} currency={currency ?? undefined} />
                </Text>
              )}
            </UnstyledButton>
          </li>
        )
      })}
    </ul>
  )
}
