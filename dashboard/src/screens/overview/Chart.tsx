import type { Overview } from '../../api/operations.ts'
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { useIsPhone } from '../../ui/Filters.tsx'
import { useGo } from '../../ui/navigation.ts'
import { dayOf } from '../../ui/typed-days.ts'
import { channelName, money } from '../../ui/values.tsx'

/** The thread colours of the payer pages. Each payment method always has the same one. */
const COLORS: Record<string, string> = {
  BANK_TRANSFER: 'var(--thread-1)',
  USSD: 'var(--thread-2)',
  CARD: 'var(--thread-3)',
  WALLET: 'var(--thread-4)',
  OFFLINE: 'var(--line-strong)',
}

export interface ChartProps {
  series: NonNullable<Overview['series']>
  days: string[]
  /** The average daily amount of the previous period. */
  before: number
  currency: string
  height: number
}

/** The amount received per day, by payment method. Clicking a day shows its payments. */
export default function Chart({ series, days, before, currency, height }: ChartProps) {
  const go = useGo()
  const isPhone = useIsPhone()
  const channels = Object.keys(COLORS).filter((one) =>
    series.some(({ channel }) => channel === one),
  )
  const byDay = Map.groupBy(series, ({ day }) => day)
  const data = days.map((day) => ({
    day,
    ...Object.fromEntries((byDay.get(day) ?? []).map(({ channel, amount }) => [channel, amount])),
  }))
  const total = series.reduce((sum, { amount }) => sum + amount, 0)
  const open = (day: unknown) => {
    if (typeof day === 'string') go(`payments?startDate=${day}&endDate=${day}`)
  }
  return (
    <div
      role="img"
      aria-label={`${money(total, currency)} from ${dayOf(days[0])} to ${dayOf(days.at(-1))}`}
    >
      <BarChart
        h={height}
        className="days"
        data={data}
        dataKey="day"
        type="stacked"
        series={channels.map((channel) => ({
          name: channel,
          label: channelName(channel),
          color: COLORS[channel]!,
        }))}
        valueFormatter={(amount) => money(amount, currency)}
        xAxisProps={{
          ticks: evenly(days, isPhone ? 4 : 7),
          interval: 0,
          tickFormatter: shortDay,
          padding: { left: 8, right: 16 },
        }}
        yAxisProps={{ tickFormatter: (amount) => compact(amount, currency), width: 64 }}
        withLegend
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        tooltipAnimationDuration={0}
        tooltipProps={{
          // Above the bars, beside the day it describes.
          position: { y: 0 },
          offset: 24,
          content: ({ label, payload }) => (
            <Told day={label} of={payload ?? []} currency={currency} />
          ),
        }}
        barChartProps={{
          margin: { top: 12 },
          onClick: ({ activeLabel }) => open(activeLabel),
        }}
        barProps={{
          isAnimationActive: false,
          maxBarSize: 26,
          // A thin line in the background colour separates stacked segments.
          stroke: 'var(--surface)',
          strokeWidth: 1,
        }}
        {...(before > 0 && {
          referenceLines: [
            {
              y: before,
              color: 'var(--ink-soft)',
              strokeDasharray: '5 4',
              ifOverflow: 'extendDomain' as const,
            },
          ],
        })}
        gridAxis="x"
        tickLine="none"
      />
    </div>
  )
}

interface ToldProps {
  day: unknown
  of: readonly { dataKey?: unknown; value?: unknown; color?: string | undefined }[]
  currency: string
}

/** A day's total and its amount per payment method. */
function Told({ day, of, currency }: ToldProps) {
  const paid = of.filter(({ value }) => Number(value) > 0)
  if (typeof day !== 'string' || !day) return null
  const total = paid.reduce((sum, { value }) => sum + Number(value), 0)
  return (
    <dl className="day-told">
      <div>
        <dt>{dayOf(day)}</dt>
        <dd>{money(total, currency)}</dd>
      </div>
      {paid.map(({ dataKey, value }) => (
        <div key={String(dataKey)}>
          <dt>
            <i style={{ background: COLORS[String(dataKey)] }} aria-hidden />
            {channelName(String(dataKey))}
          </dt>
          <dd>{money(Number(value), currency)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Picks about that many days at equal intervals, including the last. */
function evenly(days: readonly string[], count: number): string[] {
  const step = Math.ceil(days.length / count)
  return days.filter((_, i) => (days.length - 1 - i) % step === 0)
}

const SHORT = new Intl.DateTimeFormat('en-NG', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const shortDay = (day: string) => SHORT.format(new Date(`${day}T00:00:00Z`))

/** Two decimals, so that ticks between whole numbers are labelled correctly. */
const compact = (amount: number, currency: string) =>
  new Intl.NumberFormat('en-NG', {
    style: 'currency',
    currency,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 2,
  }).format(amount)
