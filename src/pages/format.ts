import { isDay } from '../lib/dates.ts'
import type { Minor } from '../lib/money.ts'
import { formatAmount } from '../lib/money.ts'

/** How one page prints amounts, days and times. */
export interface Format {
  amount(minor: Minor): string
  /** The same without the sign, for a box beside which the sign is shown: `145,000.50`. */
  figure(minor: Minor): string
  /** The sign alone. */
  sign: string
  /** An instant as a day: `21 November 2026`. */
  day(at: Date): string
  /** A `YYYY-MM-DD` as a day, whatever the time zone. */
  calendarDay(day: string): string
  /** What a payer answered: a day, as a date question has it, like other days; else as it is. */
  answer(text: string): string
  /** An instant as a time of day: `14:32`. */
  time(at: Date): string
  dayAndTime(at: Date): string
  count(quantity: number): string
}

/** Printers for a currency, a BCP 47 locale and an IANA time zone. */
export function formatOf(currency: string, locale: string, timeZone: string): Format {
  const sign = signOf(currency, locale)
  const date = (zone: string) => dates(locale, zone, { dateStyle: 'long' })
  const calendarDay = (day: string) => date('UTC').format(new Date(`${day}T00:00:00Z`))
  return {
    amount: (minor) => formatAmount(minor, currency, locale),
    figure: (minor) => formatAmount(minor, currency, locale).replaceAll(sign, '').trim(),
    sign,
    day: (at) => date(timeZone).format(at),
    calendarDay,
    answer: (text) => (isDay(text) ? calendarDay(text) : text),
    time: (at) => withMinutes(dates(locale, timeZone, { timeStyle: 'short' }), at),
    dayAndTime: (at) =>
      withMinutes(dates(locale, timeZone, { dateStyle: 'long', timeStyle: 'short' }), at),
    count: (quantity) => quantity.toLocaleString(locale),
  }
}

const signOf = (currency: string, locale: string): string =>
  formatAmount(0n, currency, locale).replace(/[\d.,\s\u00a0\u202f]/g, '')

/** ICU prints two minutes past two in Yoruba as `14:2`. */
const withMinutes = (format: Intl.DateTimeFormat, at: Date): string =>
  format
    .formatToParts(at)
    .map(({ type, value }) => (type === 'minute' ? value.padStart(2, '0') : value))
    .join('')

/** What a countdown shows at `now`: `29:58`, or `7:59:58` from an hour on; never below `0:00`. */
export function countdown(until: Date, now: Date): string {
  const seconds = Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 1000))
  const two = (n: number) => String(n).padStart(2, '0')
  const [h, m, s] = [Math.trunc(seconds / 3600), Math.trunc(seconds / 60) % 60, seconds % 60]
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

// Making one costs 30 µs, using one 1 µs. Locales may come from a browser, hence the bound.
const CACHED_MAX = 100
const cache = new Map<string, Intl.DateTimeFormat>()

function dates(locale: string, timeZone: string, style: Intl.DateTimeFormatOptions) {
  const key = [locale, timeZone, style.dateStyle, style.timeStyle].join()
  let format = cache.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { timeZone, ...style })
    if (cache.size >= CACHED_MAX) cache.clear()
    cache.set(key, format)
  }
  return format
}
