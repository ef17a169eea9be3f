import type { CSSProperties, KeyboardEvent } from 'react'
import type { Overview } from '../../api/operations.ts'
import { useIsPhone } from '../../ui/Filters.tsx'
import { ScreenLink } from '../../ui/links.tsx'
import { dayOf } from '../../ui/typed-days.ts'
import { channelName, money } from '../../ui/values.tsx'

/** The thread colours of the payer pages. Each payment method always has the same colour. */
const COLORS: Record<string, string> = {
  BANK_TRANSFER: 'var(--thread-1)',
  USSD: 'var(--thread-2)',
  CARD: 'var(--thread-3)',
  WALLET: 'var(--thread-4)',
  OFFLINE: 'var(--line-strong)',
}

interface ChartProps {
  series: NonNullable<Overview['series']>
  days: string[]
  /** The average daily amount in the previous period. */
  before: number
  currency: string
}

/** Shows the amount received on each day, by payment method. Each day links to its payments. */
export function Chart({ series, days, before, currency }: ChartProps) {
  const isPhone = useIsPhone()
  const channels = Object.keys(COLORS).filter((one) =>
    series.some(({ channel }) => channel === one),
  )
  const byDay = Map.groupBy(series, ({ day }) => day)
  const totals = days.map((day) => sum(byDay.get(day) ?? []))
  const ticks = ticksUpTo(Math.max(before, ...totals))
  const share = (amount: number) => `${(amount / ticks.at(-1)!) * 100}%`
  const labelled = evenly(days, isPhone ? 4 : 7)
  return (
    <>
      <div className="chart">
        {ticks.map((amount) => (
          <div key={amount} className="chart-line" style={{ bottom: share(amount) }}>
            <span>{compact(amount, currency)}</span>
          </div>
        ))}
        <ol
          aria-label={`${money(sum(series), currency)} from ${dayOf(days[0])} to ${dayOf(days.at(-1))}`}
          onKeyDown={moveBetweenDays}
        >
          {days.map((day, i) => (
            <li
              key={day}
              style={{ '--at': `${((i + 0.5) / days.length) * 100}%` } as CSSProperties}
            >
              <ScreenLink
                to="payments"
                search={{ startDate: day, endDate: day }}
                tabIndex={i === days.length - 1 ? 0 : -1}
              >
                {channels.map((channel) => {
                  const { amount = 0 } =
                    byDay.get(day)?.find((one) => one.channel === channel) ?? {}
                  if (amount === 0) return null
                  const style = { height: share(amount), background: COLORS[channel] }
                  return <i key={channel} className="chart-bar" style={style} />
                })}
                <span className={i < days.length / 2 ? 'chart-day' : 'chart-day before'}>
                  <b>
                    {dayOf(day)} <span>{money(totals[i]!, currency)}</span>
                  </b>
                  {byDay.get(day)?.map(({ channel, amount }) => (
                    <span key={channel}>
                      <ChannelName of={channel} /> <span>{money(amount, currency)}</span>
                    </span>
                  ))}
                </span>
              </ScreenLink>
              {labelled.includes(day) && <span aria-hidden>{shortDay(day)}</span>}
            </li>
          ))}
        </ol>
        {before > 0 && <div className="chart-line before" style={{ bottom: share(before) }} />}
      </div>
      <ul className="chart-legend" aria-label="Payment methods">
        {channels.map((channel) => (
          <li key={channel}>
            <ChannelName of={channel} />
          </li>
        ))}
      </ul>
    </>
  )
}

const ChannelName = ({ of: channel }: { of: string }) => (
  <span>
    <i className="chart-dot" style={{ background: COLORS[channel] }} />
    {channelName(channel)}
  </span>
)

const sum = (of: ChartProps['series']) => of.reduce((total, { amount }) => total + amount, 0)

/** Only one day is a Tab stop, because there can be 90 days. The arrow keys move between days. */
function moveBetweenDays(event: KeyboardEvent<HTMLOListElement>) {
  const all = [...event.currentTarget.querySelectorAll('a')]
  const from = all.indexOf(document.activeElement as HTMLAnchorElement)
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: all.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  all[to]?.focus()
}

/** Returns three to six round amounts, from zero to at least `highest`. */
function ticksUpTo(highest: number): number[] {
  const least = (highest || 1) / 5
  const unit = 10 ** Math.floor(Math.log10(least))
  const step = unit * [1, 2, 2.5, 5, 10].find((one) => one * unit >= least)!
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, i) => i * step)
}

/** Picks about `count` days at equal intervals, including the last one. */
function evenly(days: readonly string[], count: number): string[] {
  const step = Math.ceil(days.length / count)
  return days.filter((_, i) => (days.length - 1 - i) % step === 0)
}

const SHORT = new Intl.DateTimeFormat('en-NG', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const shortDay = (day: string) => SHORT.format(new Date(`${day}T00:00:00Z`))

/** With two decimals, ticks between whole numbers are labelled correctly. */
const compact = (amount: number, currency: string) =>
  new Intl.NumberFormat('en-NG', {
    style: 'currency',
    currency,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 2,
  }).format(amount)
