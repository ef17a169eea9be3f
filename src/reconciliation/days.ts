import { addMs } from '../lib/clock.ts'
import { addDays, dayIn, hourOfDay, startOfDay } from '../lib/dates.ts'
import type { Range } from '../providers/connector/types.ts'

/** Days are those of the providers' own lists. */
export const ZONE = 'Africa/Lagos'

/** The hour at which the day before is read: the providers have finished it by then. */
const HOUR = 3

export const dayOf = (at: Date): string => dayIn(ZONE, at)

export const rangeOfDay = (day: string): Range => ({
  from: startOfDay(day, ZONE),
  until: startOfDay(addDays(day, 1), ZONE),
})

const HOUR_MS = 3_600_000

/** What we end shortly after midnight, the provider may have ended before, or the reverse. */
const MARGIN_MS = 6 * HOUR_MS

/** Returns what to read for a day: a little more than the day, and nothing of the future. */
export function readRange(day: string, now: Date): Range {
  const { from, until } = rangeOfDay(day)
  const end = addMs(until, MARGIN_MS)
  return { from: addMs(from, -MARGIN_MS), until: end > now ? now : end }
}

/** Returns when a day has ended and can be read. */
export const readableAt = (day: string): Date => hourOfDay(addDays(day, 1), HOUR, ZONE)

/** Returns the last day that has ended and can be read now. */
export function lastDay(now: Date): string {
  const yesterday = addDays(dayOf(now), -1)
  return now < readableAt(yesterday) ? addDays(yesterday, -1) : yesterday
}

/** How long a day that does not agree is read again, every morning. */
const KEPT_OPEN_DAYS = 7

/** Returns when a day that is still open is read again; null if only on demand. */
export function nextRun(day: string, now: Date): Date | null {
  const today = dayOf(now)
  if (addDays(day, KEPT_OPEN_DAYS) < today) return null
  const morning = readableAt(addDays(today, -1))
  return morning > now ? morning : readableAt(today)
}
