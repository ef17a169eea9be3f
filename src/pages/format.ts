import { isDay } from '../lib/dates.ts'
import { formatAmount, type Minor } from '../lib/money.ts'

export interface Format {
  amount(minor: Minor): string
  /** The amount without the currency sign, for a field that shows the sign: `145,000.50`. */
  figure(minor: Minor): string
  sign: string
  /** An instant as a day: `21 November 2026`. */
  day(at: Date): string
  /** A `YYYY-MM-DD` as a day, regardless of the time zone. */
  calendarDay(day: string): string
  /** A payer's answer to a question. If the answer is a date, it is formatted like other dates. */
  answer(text: string): string
  /** An instant as a time of day: `14:32`. */
  time(at: Date): string
  dayAndTime(at: Date): string
  count(quantity: number): string
}

/** Creates formatters for a currency, a BCP 47 locale and an IANA time zone. */
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

/** ICU prints 14:02 in Yoruba as `14:2`. */
const withMinutes = (format: Intl.DateTimeFormat, at: Date): string =>
  format
    .formatToParts(at)
    .map(({ type, value }) => (type === 'minute' ? value.padStart(2, '0') : value))
    .join('')

/**
 * Formats the time from `now` until `until`: `29:58`, or `7:59:58` from one hour upwards; never
 * below `0:00`.
 */
export function countdown(until: Date, now: Date): string {
  const seconds = Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 1000))
  const two = (n: number) => String(n).padStart(2, '0')
  const h = Math.trunc(seconds / 3600)
  const m = Math.trunc(seconds / 60) % 60
  const s = seconds % 60
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

// Creating a formatter takes 30 µs, but using it only 1 µs. Browsers can send any locale, so the
// cache has a limit.
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

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Returns a URL that is safe in an `href`, or undefined. Preact escapes attributes but allows
 * `javascript:` URLs, so every URL set by a merchant must pass through this function.
 */
export function safeUrl(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!SCHEMES.has(url.protocol)) return undefined
  // `https://bank.example@evil.example` looks like the bank's URL.
  if (url.username || url.password) return undefined
  return url.href
}

/**
 * Returns whether a Content Security Policy with these sources allows a URL. A source is an origin,
 * whose host can start with `*.`, and whose port can be `*`.
 */
export function isAmong(address: string, sources: readonly string[]): boolean {
  const url = URL.parse(address)
  return url !== null && sources.some((source) => isFrom(url, source))
}

function isFrom({ protocol, hostname, port }: URL, source: string): boolean {
  const [, scheme, wildcard, host = '', place = ''] =
    /^(https?:)\/\/(\*\.)?([^:/]+)(?::(\d+|\*))?$/.exec(source) ?? []
  const isHost = wildcard ? hostname.endsWith(`.${host}`) : hostname === host
  return protocol === scheme && isHost && (place === '*' || place === port)
}

/**
 * Returns the `mailto:` URL for an email address. It cannot contain a subject or another recipient.
 */
export const mailUrl = (email: string | undefined) =>
  safeUrl(email && `mailto:${encodeURIComponent(email).replace('%40', '@')}`)

/**
 * Returns the `tel:` URL for a phone number or a USSD code. The `#` of a code is escaped, because
 * it would otherwise start a fragment.
 */
export const dialUrl = (number: string | undefined) =>
  safeUrl(number && `tel:${number.replace(/[^\d+*#]/g, '').replaceAll('#', '%23')}`)

/** Shortens `https://www.ada.example/` to `ada.example`. */
export const siteOf = (website: string): string =>
  website.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
