import {
  Box,
  Group,
  Progress,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core'
import { IconChartBar, IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useMe, useOperation } from '../../api/hooks.ts'
import type { Data } from '../../api/request.ts'
import { Card } from '../../ui/DetailPage.tsx'
import { type Figure, Figures } from '../../ui/Figures.tsx'
import { EmptyState, Failure, SCREEN_ICON } from '../../ui/feedback.tsx'
import { ScreenLink } from '../../ui/links.tsx'
import { type ScreenAddress, useSearchState } from '../../ui/navigation.ts'
import { money, percent } from '../../ui/values.tsx'
import { ActivityList } from './ActivityList.tsx'
import { Chart } from './Chart.tsx'

const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]
const CHART_HEIGHT = 280

export function Overview() {
  const [{ days = '30' }, change] = useSearchState()
  const { data: me } = useMe()
  const read = useOperation('get_overview', { days: Number(days) }, { keepsPrevious: true })
  const found = read.data?.data
  const [firstName] = me?.person.name.split(' ') ?? []
  return (
    <Stack gap="lg">
      <Group justify="space-between" className="heading">
        <div>
          <Title order={1}>Overview</Title>
          {firstName && <Text c="dimmed">Welcome, {firstName}.</Text>}
        </div>
        <SegmentedControl
          aria-label="Period"
          data={PERIODS}
          value={days}
          onChange={(wanted) => change({ days: wanted === '30' ? undefined : wanted })}
        />
      </Group>
      {read.error && !found ? (
        <div className="card holds-place">
          <Failure level={2} error={read.error} again={() => void read.refetch()} />
        </div>
      ) : (
        <Business of={found} days={days} />
      )}
    </Stack>
  )
}

/** `undefined` while loading. */
function Business({ of: found, days }: { of: Data<'get_overview'> | undefined; days: string }) {
  // A new business has no history yet, so the setup steps come first.
  const isNew = found?.series?.length === 0
  const isSettingUp = found !== undefined && !isNew && found.setUp.some(({ done }) => !done)
  const latest = (
    <Card title="Recent activity">
      {found ? <ActivityList of={found.activity} /> : <Skeleton height={CHART_HEIGHT} />}
    </Card>
  )
  return (
    <>
      {isNew && <SetUp of={found.setUp} isWide />}
      <Figures of={found && figuresOf(found, days)} />
      <Box className={isNew ? 'beside level' : 'beside'}>
        <Stack gap="lg" miw={0}>
          <Card title="Amount received per day" actions={found && <Before of={found} />}>
            <Box mih={CHART_HEIGHT}>
              {found ? <Days of={found} /> : <Skeleton height={CHART_HEIGHT} />}
            </Box>
          </Card>
          {isSettingUp && latest}
        </Stack>
        {isSettingUp ? <SetUp of={found.setUp} /> : latest}
      </Box>
    </>
  )
}

/** Explains the dashed line in the chart. */
function Before({
  of: { volume, series, days, currency },
}: {
  of: Data<'get_overview'>
}): ReactNode {
  const before = (volume?.before.amount ?? 0) / days.length
  if (before === 0 || !series?.length) return null
  return (
    <Text size="xs" c="dimmed">
      <span aria-hidden>┄ </span>
      Previous period: {rough(Math.round(before), currency)} a day
    </Text>
  )
}

function Days({ of: { series, days, currency, volume } }: { of: Data<'get_overview'> }): ReactNode {
  if (!series) return null
  if (series.length === 0) {
    return (
      <EmptyState
        icon={<IconChartBar {...SCREEN_ICON} />}
        title="No payments in this period"
        text="Each day’s payments appear here by payment method."
      />
    )
  }
  return (
    <Chart
      before={(volume?.before.amount ?? 0) / days.length}
      series={series}
      days={days}
      currency={currency}
    />
  )
}

function figuresOf(found: Data<'get_overview'>, days: string): Figure[] {
  const { volume, count, successRate, balance, currency } = found
  const before = `the previous ${days} days`
  return [
    volume && {
      label: 'Received',
      value: <Rough amount={volume.amount} currency={currency} />,
      hint: changeOf(volume.amount, volume.before.amount, rough(volume.before.amount, currency)),
    },
    count && {
      label: 'Payments',
      value: count.value.toLocaleString('en-NG'),
      hint: changeOf(count.value, count.before, count.before.toLocaleString('en-NG')),
    },
    successRate && {
      label: 'Success rate',
      value: successRate.value === null ? '–' : percent(successRate.value),
      hint:
        successRate.before === null
          ? 'of completed attempts'
          : `${percent(successRate.before)} in ${before}`,
    },
    balance && {
      label: 'Balance',
      value: <Rough amount={balance.amount} currency={currency} />,
      hint: `${rough(balance.before.amount, currency)} ${days} days ago`,
    },
  ].filter((figure) => figure !== null)
}

/** From this amount, figures are abbreviated, with the full amount in a tooltip. */
const ROUGH_FROM = 10_000_000

function rough(amount: number, currency: string): string {
  if (amount < ROUGH_FROM) return money(amount, currency)
  return new Intl.NumberFormat('en-NG', {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 2,
  }).format(amount)
}

function Rough({ amount, currency }: { amount: number; currency: string }) {
  return (
    <Tooltip label={money(amount, currency)} disabled={amount < ROUGH_FROM}>
      <span className="whole">{rough(amount, currency)}</span>
    </Tooltip>
  )
}

/** From this factor, a change is shown as "10 times", because few people can picture "900% up". */
const MANY_TIMES = 10

/** Uses words in addition to the arrow, because colour alone is not enough. */
function changeOf(now: number, before: number, was: string): ReactNode {
  if (before === 0) return 'No earlier payments'
  const share = (now - before) / before
  if (Math.abs(share) < 0.0005) return 'No change'
  if (share >= MANY_TIMES - 1) {
    return (
      <>
        <Text span inherit fw={600} c="var(--good)">
          <span aria-hidden>▲</span> {Math.round(now / before).toLocaleString('en-NG')} times
        </Text>{' '}
        {was}
      </>
    )
  }
  const isMore = share > 0
  return (
    <>
      <Text span inherit fw={600} c={isMore ? 'var(--good)' : 'var(--bad)'}>
        <span aria-hidden>{isMore ? '▲' : '▼'}</span> {percent(Math.abs(share))}{' '}
        {isMore ? 'up' : 'down'}
      </Text>{' '}
      {`from ${was}`}
    </>
  )
}

/** The purpose and the screen of each step. */
const STEPS: Record<string, { label: string; text: string; path: ScreenAddress }> = {
  business: {
    label: 'Add your contact details',
    text: 'An email address and phone number for your business.',
    path: 'settings',
  },
  provider: {
    label: 'Connect a provider',
    text: 'Your own account at Paystack or Flutterwave takes your payments.',
    path: 'settings/providers',
  },
  settlement: {
    label: 'Add your bank account',
    text: 'We pay out your money to this account.',
    path: 'settings/payouts',
  },
  goods: {
    label: 'Request your first payment',
    text: 'Send an invoice, or create a payment page or a product.',
    path: 'invoices/new',
  },
  webhook: {
    label: 'Connect your server',
    text: 'A webhook notifies your server of each payment.',
    path: 'webhooks',
  },
  twoFactor: {
    label: 'Turn on two-factor authentication',
    text: 'Protects your account even if someone learns your password.',
    path: 'security',
  },
}

const MARK = { size: 20, style: { flexShrink: 0, marginTop: 1 }, role: 'img' } as const

/**
 * Hidden once all steps are done. `isWide` is for a new business, which has nothing else to show
 * yet.
 */
function SetUp({
  of: steps,
  isWide = false,
}: {
  of: { step: string; done: boolean }[]
  isWide?: boolean
}) {
  const done = steps.filter((one) => one.done).length
  if (done === steps.length) return null
  return (
    <Card title={isWide ? 'Get ready for your first sale' : 'Set up'}>
      <Stack gap="md">
        <div>
          <Progress value={(done / steps.length) * 100} aria-label="Completed steps" />
          <Text size="sm" c="dimmed" mt={6}>
            {done} of {steps.length} steps done
          </Text>
        </div>
        <ul className={isWide ? 'set-up set-up-wide' : 'set-up'}>
          {steps.map((one) => (
            <Step key={one.step} of={one} />
          ))}
        </ul>
      </Stack>
    </Card>
  )
}

function Step({ of: { step, done: isDone } }: { of: { step: string; done: boolean } }) {
  const { label, text, path } = STEPS[step]!
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      {isDone ? (
        <IconCircleCheckFilled {...MARK} color="var(--good)" aria-label="Done" />
      ) : (
        <IconCircle {...MARK} stroke={1.6} color="var(--line-strong)" aria-label="To do" />
      )}
      <div>
        {!isDone ? (
          <ScreenLink to={path} size="sm" fw={600} inherit={false}>
            {label}
          </ScreenLink>
        ) : (
          <Text size="sm" fw={isDone ? 500 : 600} c={isDone ? 'dimmed' : undefined}>
            {label}
          </Text>
        )}
        {!isDone && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
    </Group>
  )
}
