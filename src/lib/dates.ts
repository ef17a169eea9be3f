import { invalid } from './problem.ts'

const DAY_MS = 86_400_000
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/**
 * Reads a day in `timeZone` (`YYYY-MM-DD`) or a full ISO 8601 instant. With `end`, returns the
 * first moment after the day (or the instant plus one millisecond), so that ends are exclusive.
 */
export function parseTimestamp(text: string, timeZone: string, field: string, end = false): Date {
  const day = isDay(text)
  if (day) return startOfDay(end ? dayAfter(text) : text, timeZone)
  const at = INSTANT.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw invalidDate(field)
  return new Date(end ? at + 1 : at)
}

const invalidDate = (field: string) =>
  invalid({ [field]: ['must be a date (YYYY-MM-DD) or a full ISO 8601 date and time'] })

/** Returns whether `text` is a day that exists: 2026-02-29 is not. */
export function isDay(text: string): boolean {
  const [, year, month, day] = DAY.exec(text) ?? []
  if (!year || Number(year) < 1900) return false
  // A month or a day that does not exist turns into a date in another month.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1
}

/**
 * Returns the day that a `YYYY-MM-DD` date or a full ISO 8601 instant falls on in a time zone.
 * Throws 400 naming `field`.
 */
export function parseDay(text: string, timeZone: string, field: string): string {
  if (isDay(text)) return text
  const day = dayIn(timeZone, parseTimestamp(text, timeZone, field))
  // The last hours of the year 9999 are in the year 10000 in some time zones.
  if (!isDay(day)) throw invalidDate(field)
  return day
}

const dayAfter = (day: string) => addDays(day, 1)

/**
 * Adds days to a day, or subtracts them if negative: `2026-03-01` less 1 is `2026-02-28`. Later
 * results become 9999-12-31, because ISO 8601 years have only four digits, and people use that day
 * to mean "for ever".
 */
export function addDays(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00:00Z`) + days * DAY_MS
  return new Date(Math.min(at, LAST_DAY)).toISOString().slice(0, 10)
}

const LAST_DAY = Date.UTC(9999, 11, 31)

/** Returns the day (`YYYY-MM-DD`) that a moment falls on in a time zone. */
export function dayIn(timeZone: string, at: Date): string {
  const minute = Math.floor(at.getTime() / 60_000)
  const key = timeZone.toLowerCase()
  const last = lastDays.get(key)
  if (last?.minute === minute) return last.day
  const day = formatterOf(timeZone).format(at).slice(0, 10)
  lastDays.set(key, { minute, day })
  return day
}

// Remembers one minute per time zone, because days start on a whole minute everywhere, and most
// calls are about the current time.
const lastDays = new Map<string, { minute: number; day: string }>()

/** Returns the first moment of a day in a time zone, even where the clock skips midnight. */
export const startOfDay = (day: string, timeZone: string): Date => hourOfDay(day, 0, timeZone)

/**
 * Returns the moment at which a whole hour of a day starts in a time zone or, if the clock skips
 * that hour, the moment at which the skip ends.
 */
export function hourOfDay(day: string, hour: number, timeZone: string): Date {
  const wanted = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000
  const offsetAt = (at: number) => offsetMs(timeZone, new Date(at))
  const before = offsetAt(wanted - DAY_MS)
  const after = offsetAt(wanted + DAY_MS)
  if (before === after) return new Date(wanted - before)
  // There are two such moments if the clock goes back over the hour, and none if it skips the hour.
  const found = [wanted - before, wanted - after].filter((at) => at + offsetAt(at) === wanted)
  if (found.length > 0) return new Date(Math.min(...found))
  let [early, late] = [wanted - after, wanted - before]
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(middle) === before) early = middle
    else late = middle
  }
  return new Date(late)
}

function offsetMs(timeZone: string, at: Date): number {
  const local = formatterOf(timeZone).format(at).replace(', ', 'T')
  return Date.parse(`${local}Z`) - Math.floor(at.getTime() / 1000) * 1000
}

/**
 * Returns the name of a time zone as it is usually written, such as `Africa/Lagos`; undefined if it
 * is unknown. A zone can have several names, such as Asia/Kolkata and Asia/Calcutta.
 */
export function timeZoneNamed(name: string): string | undefined {
  try {
    const { timeZone } = formatterOf(name).resolvedOptions()
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  } catch {
    return undefined
  }
}

// Creating a formatter costs 30 µs, and using it 1 µs. The keys are in lower case, so that their
// number is limited by the number of time zones.
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const key = timeZone.toLowerCase()
  let formatter = formatters.get(key)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
    formatters.set(key, formatter)
  }
  return formatter
}
