import { Box, Group, SegmentedControl, Skeleton, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { type Envelope, useMe, useRead } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { type Figure, Figures } from '../../parts/Figures.tsx'
import { DRAWN, Failure, Nothing } from '../../parts/states.tsx'
import { money, percent } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/overview.ts'
import { ActivityList } from './ActivityList.tsx'
import { SetUp } from './SetUp.tsx'
import type { OverviewData } from './types.ts'

/** The library that draws is heavy, and nothing else waits for it. */
const Chart = lazy(() => import('./Chart.tsx'))

const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]
const CHART_HEIGHT = 280

/** How the business does, what was last, and what is still to be set up. */
export function Overview() {
  const [{ days = '30' }, change] = useSearchState()
  const { data: me } = useMe()
  const read = useRead<Envelope<OverviewData>>('/console/overview', { days })
  const found = read.data?.data
  const [firstName] = me?.person.name.split(' ') ?? []
  return (
    <Stack gap="lg">
      <Group justify="space-between" className="heading">
        <div>
          <Title order={1}>{t.overview}</Title>
          {firstName && <Text c="dimmed">{t.welcome(firstName)}.</Text>}
        </div>
        <SegmentedControl
          aria-label={t.period}
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

/** `undefined` while it is on its way. */
function Business({ of: found, days }: { of: OverviewData | undefined; days: string }) {
  // Then what is to be done says more than what happened.
  const isNew = found?.series?.length === 0
  const isSettingUp = found !== undefined && !isNew && found.setUp.some(({ done }) => !done)
  const latest = (
    <Card title={t.latest}>
      {found ? <ActivityList of={found.activity} /> : <Skeleton height={CHART_HEIGHT} />}
    </Card>
  )
  return (
    <>
      {isNew && <SetUp of={found.setUp} isWide />}
      <Figures of={found && figuresOf(found, days)} />
      <Box className={isNew ? 'beside level' : 'beside'}>
        <Stack gap="lg" miw={0}>
          <Card title={t.receivedByDay} actions={found && <Before of={found} />}>
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

/** What the dashed line of the chart is. */
function Before({ of: { volume, series, days, currency } }: { of: OverviewData }): ReactNode {
  const before = (volume?.before.amount ?? 0) / days.length
  if (before === 0 || !series?.length) return null
  return (
    <Text size="xs" c="dimmed">
      <span aria-hidden>┄ </span>
      {t.perDayBefore(rough(Math.round(before), currency))}
    </Text>
  )
}

function Days({ of: { series, days, currency, volume } }: { of: OverviewData }): ReactNode {
  if (!series) return null
  if (series.length === 0) {
    return (
      <Nothing
        icon={<IconChartBar {...DRAWN} />}
        title={t.noPaymentsInTheseDays}
        text={t.eachDaysPaymentsAppearHere}
      />
    )
  }
  return (
    <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
      <Chart
        before={(volume?.before.amount ?? 0) / days.length}
        height={CHART_HEIGHT}
        {...{ series, days, currency }}
      />
    </Suspense>
  )
}

function figuresOf(found: OverviewData, days: string): Figure[] {
  const { volume, count, successRate, balance, currency } = found
  const before = t.theDaysBefore(days)
  return [
    volume && {
      label: t.received,
      value: <Rough amount={volume.amount} currency={currency} />,
      hint: changeOf(volume.amount, volume.before.amount, rough(volume.before.amount, currency)),
    },
    count && {
      label: t.payments,
      value: count.value.toLocaleString('en-NG'),
      hint: changeOf(count.value, count.before, count.before.toLocaleString('en-NG')),
    },
    successRate && {
      label: t.successRate,
      value: successRate.value === null ? '–' : percent(successRate.value),
      hint:
        successRate.before === null
          ? t.ofThoseThatEnded
          : `${percent(successRate.before)} in ${before}`,
    },
    balance && {
      label: t.balance,
      value: <Rough amount={balance.amount} currency={currency} />,
      hint: t.daysAgo(rough(balance.before.amount, currency), days),
    },
  ].filter((figure) => figure !== null)
}

/** From so much on, a figure is said in millions or billions, and whole under the pointer. */
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

/** So many times as much is said so: nobody reads 9,900 % up. */
const MANY_TIMES = 10

/** In words as well as by an arrow, because colour alone says nothing. */
function changeOf(now: number, before: number, was: string): ReactNode {
  if (before === 0) return t.noneInTheDaysBefore
  const share = (now - before) / before
  if (Math.abs(share) < 0.0005) return t.theSameAsBefore
  if (share >= MANY_TIMES - 1) {
    return (
      <>
        <Text span inherit fw={600} c="var(--good)">
          <span aria-hidden>▲</span> {t.times(Math.round(now / before).toLocaleString('en-NG'))}
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
      {t.from(was)}
    </>
  )
}
