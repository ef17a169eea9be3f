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
      {lines.map(({ id, type, reference, amount, currency, path, at }) => {
        const [noun = '', ...rest] = type.split('.')
        const Icon = ICONS[noun] ?? IconPoint
        const said = words([NAMES[noun] ?? noun, ...rest].join(' '))
        return (
          <li key={id} className={isNew.has(id) ? 'row-new' : undefined}>
            <UnstyledButton component={Link} to={href(path)} className="activity-line">
              <span className={`activity-icon state-${toneOf(rest.join(' '))}`}>
                <Icon size={17} stroke={1.7} aria-hidden />
              </span>
              <span className="activity-words">
                <Text span size="sm" fw={600}>
                  {said}
                </Text>
                <Text span size="xs" c="dimmed" truncate>
                  <When at={at} />
                  {reference && ` · ${short(reference)}`}
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
