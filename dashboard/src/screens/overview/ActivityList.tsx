import { Text, UnstyledButton } from '@mantine/core'
import {
  IconActivity,
  IconArrowUpRight,
  IconBasket,
  IconBolt,
  IconBuildingBank,
  IconCash,
  IconCreditCard,
  IconFileInvoice,
  IconPackage,
  IconPoint,
  IconReceiptRefund,
  IconWallet,
  IconWorldWww,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useNewRows } from '../../parts/new-rows.ts'
import { DRAWN, Nothing } from '../../parts/states.tsx'
import { Money, short, toneOf, When, words } from '../../parts/values.tsx'
import { useHref, useMode } from '../../shell/where.ts'
import { t } from '../../texts/overview.ts'
import type { Activity } from './types.ts'

/** What an event is about, by the word before its first stop, as the navigation draws it. */
const ICONS: Record<string, typeof IconPoint> = {
  transaction: IconCreditCard,
  payment_page: IconWorldWww,
  invoice: IconFileInvoice,
  order: IconBasket,
  product: IconPackage,
  refund: IconReceiptRefund,
  transfer: IconArrowUpRight,
  wallet: IconWallet,
  settlement: IconCash,
  subaccount: IconBuildingBank,
  utility: IconBolt,
}

/** Where people say it otherwise than programs. */
const NAMES: Record<string, string> = { transaction: 'payment', utility: 'bill' }

const someone = ({ who }: Activity) => who ?? t.somebody
const it = ({ about, reference }: Activity, otherwise: string) =>
  about ?? (reference ? short(reference) : otherwise)

/** What happened, as one would tell a colleague; of other events their names say enough. */
const SAID: Record<string, (line: Activity) => string> = {
  'transaction.successful': (line) => t.said.paid(someone(line), line.about),
  'transaction.failed': (line) => t.said.failed(someone(line), line.about),
  'transaction.reversed': (line) => t.said.reversed(someone(line)),
  'invoice.created': (line) => t.said.created(it(line, t.said.invoice), someone(line)),
  'invoice.sent': (line) => t.said.sent(it(line, t.said.invoice), someone(line)),
  'invoice.viewed': (line) => t.said.viewed(someone(line), it(line, t.said.invoice)),
  'invoice.partially_paid': (line) => t.said.partPaid(someone(line), it(line, t.said.invoice)),
  'invoice.paid': (line) => t.said.paid(someone(line), line.about),
  'invoice.overdue': (line) => t.said.overdue(it(line, t.said.invoice), someone(line)),
  'invoice.voided': (line) => t.said.voided(it(line, t.said.invoice)),
  'order.created': (line) => t.said.ordering(someone(line)),
  'order.paid': (line) => t.said.ordered(someone(line)),
  'order.refunded': (line) => t.said.orderRefunded(someone(line)),
  'transfer.pending': ({ who }) => t.said.sending(who),
  'transfer.unverified': ({ who }) => t.said.approval(who),
  'transfer.successful': ({ who }) => t.said.transferred(who),
  'transfer.failed': ({ who }) => t.said.transferFailed(who),
  'transfer.blocked': ({ who }) => t.said.transferBlocked(who),
  'transfer.rejected': ({ who }) => t.said.transferRejected(who),
  'transfer.reversed': ({ who }) => t.said.transferReversed(who),
  'refund.pending': ({ who }) => t.said.refunding(who),
  'refund.processed': ({ who }) => t.said.refunded(who),
  'refund.failed': ({ who }) => t.said.refundFailed(who),
  'refund.needs_attention': ({ who }) => t.said.refundWaits(who),
  'settlement.paid': (line) => t.said.settled(someone(line)),
  'settlement.blocked': (line) => t.said.settlementBlocked(someone(line)),
  'utility.pending': (line) => t.said.buying(it(line, t.said.bill), someone(line)),
  'utility.successful': (line) => t.said.bought(it(line, t.said.bill), someone(line)),
  'utility.failed': (line) => t.said.notBought(it(line, t.said.bill), someone(line)),
}

/** The newest events, each leading to what it happened to. */
export function ActivityList({ of: lines }: { of: Activity[] }) {
  const href = useHref()
  const isNew = useNewRows(
    lines.map(({ id }) => id),
    useMode(),
  )
  if (lines.length === 0) {
    return (
      <Nothing
        icon={<IconActivity {...DRAWN} />}
        title={t.nothingHappenedYet}
        text={t.whatIsPaidSentOr}
      />
    )
  }
  return (
    <ul className="activity">
      {lines.map((line) => {
        const { id, type, reference, amount, currency, path, at } = line
        const [noun = '', ...rest] = type.split('.')
        const Icon = ICONS[noun] ?? IconPoint
        const said = SAID[type]?.(line) ?? words([NAMES[noun] ?? noun, ...rest].join(' '))
        return (
          <li key={id} className={isNew.has(id) ? 'row-new' : undefined}>
            <UnstyledButton component={Link} to={href(path)} className="activity-line">
              <span className={`activity-icon state-${toneOf(rest.join(' '))}`}>
                <Icon size={17} stroke={1.7} aria-hidden />
              </span>
              <span className="activity-words">
                <Text span size="sm" fw={600} lineClamp={2}>
                  {said}
                </Text>
                <Text span size="xs" c="dimmed" truncate>
                  <When at={at} />
                  {!SAID[type] && ` · ${line.about ?? line.who ?? short(reference ?? '')}`}
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
