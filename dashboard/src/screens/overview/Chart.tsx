import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { channelName, dayOf, money } from '../../parts/values.tsx'
import { t } from '../../texts/overview.ts'
import type { DayOfChannel } from './types.ts'

/** The threads of the payer's pages, one for each way of paying; always the same. */
const COLORS: Record<string, string> = {
  BANK_TRANSFER: 'var(--thread-1)',
  USSD: 'var(--thread-2)',
  CARD: 'var(--thread-3)',
  WALLET: 'var(--thread-4)',
  OFFLINE: 'var(--line-strong)',
}

export interface ChartProps {
  series: DayOfChannel[]
  days: string[]
  currency: string
  height: number
}

/** What was received each day, by how it was paid. */
export default function Chart({ series, days, currency, height }: ChartProps) {
  const channels = Object.keys(COLORS).filter((one) =>
    series.some(({ channel }) => channel === one),
  )
  const byDay = Map.groupBy(series, ({ day }) => day)
  const data = days.map((day) => ({
    day,
    ...Object.fromEntries((byDay.get(day) ?? []).map(({ channel, amount }) => [channel, amount])),
  }))
  const total = series.reduce((sum, { amount }) => sum + amount, 0)
  return (
    <div
      role="img"
      aria-label={t.fromTo(money(total, currency), dayOf(days[0]), dayOf(days.at(-1)))}
    >
      <BarChart
        h={height}
        data={data}
        dataKey="day"
        type="stacked"
        series={channels.map((channel) => ({
          name: channel,
          label: channelName(channel),
          color: COLORS[channel]!,
        }))}
        valueFormatter={(amount) => money(amount, currency)}
        xAxisProps={{ tickFormatter: shortDay, minTickGap: 24 }}
        yAxisProps={{ tickFormatter: (amount) => compact(amount, currency), width: 64 }}
        withLegend
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        tooltipAnimationDuration={0}
        tooltipProps={{
          labelFormatter: (day) => (typeof day === 'string' && day ? dayOf(day) : ''),
        }}
        barProps={{
          isAnimationActive: false,
          maxBarSize: 26,
          // A thread of the ground between what lies on each other.
          stroke: 'var(--surface)',
          strokeWidth: 1,
        }}
        gridAxis="x"
        tickLine="none"
      />
    </div>
  )
}

const SHORT = new Intl.DateTimeFormat('en-NG', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const shortDay = (day: string) => SHORT.format(new Date(`${day}T00:00:00Z`))

/** Two digits after the stop, or else the ticks between whole numbers would say what they are not. */
const compact = (amount: number, currency: string) =>
  new Intl.NumberFormat('en-NG', {
    style: 'currency',
    currency,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 2,
  }).format(amount)
