import { randomOf, STREAM } from './random.ts'

/** A day of the history, and which invoices were made on it: by their position in the whole. */
export interface Day {
  startMs: number
  from: number
  count: number
  /** One of the last days, of which little has come to its end. */
  isRecent: boolean
}

export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
export const HISTORY_DAYS = 365
const RECENT_DAYS = 12

/** So many of the last days that what is still open is there also in a small shop. */
const RECENT_LEAST = 20
const RECENT_SHARE_MAX = 0.4

/** December has weddings, Christmas and people home from abroad; January has school fees. */
const MONTHS = [0.72, 0.85, 0.95, 1.1, 1, 0.95, 0.85, 0.88, 1, 1.05, 1.25, 1.75]
/** From Sunday to Saturday. */
const WEEKDAYS = [0.35, 0.9, 0.95, 0.95, 1.05, 1.25, 1.55]

/** A year of days that ends with `untilMs`, the first moment of a day. */
export function calendarOf(rows: number, untilMs: number): Day[] {
  const starts = Array.from(
    { length: HISTORY_DAYS },
    (_, i) => untilMs - (HISTORY_DAYS - i) * DAY_MS,
  )
  const weights = starts.map(weightOf)
  const isRecent = (i: number) => i >= HISTORY_DAYS - RECENT_DAYS
  lift(weights, rows)

  const whole = sum(weights)
  let passed = 0
  let from = 0
  return starts.map((startMs, i) => {
    passed += weights[i]!
    const to = i === HISTORY_DAYS - 1 ? rows : Math.floor((passed / whole) * rows)
    const day = { startMs, from, count: to - from, isRecent: isRecent(i) }
    from = to
    return day
  })
}

/** A shop that grows through the year, with its seasons and its week. */
function weightOf(startMs: number, i: number): number {
  // Noon, since the day may begin in the evening before by UTC.
  const noon = new Date(startMs + DAY_MS / 2)
  const growth = 0.8 + (0.4 * i) / HISTORY_DAYS
  return growth * MONTHS[noon.getUTCMonth()]! * WEEKDAYS[noon.getUTCDay()]!
}

/** Makes the last days heavier where they would otherwise be too few. */
function lift(weights: number[], rows: number): void {
  const recent = sum(weights.slice(-RECENT_DAYS))
  const others = sum(weights) - recent
  const share = Math.min(RECENT_SHARE_MAX, RECENT_LEAST / rows)
  const factor = Math.max(1, (share * others) / ((1 - share) * recent))
  for (let i = weights.length - RECENT_DAYS; i < weights.length; i++) weights[i]! *= factor
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

/** When the invoices of a day were made, in order: while the shop is open, most about noon. */
export function momentsOf({ startMs, count, from }: Day, seed: number): number[] {
  const random = randomOf(seed, STREAM.days, from)
  const open = 8.25 * HOUR_MS
  const hours = 10.75 * HOUR_MS
  const moments = Array.from({ length: count }, () => {
    const part = (random.share() + random.share()) / 2
    return startMs + open + Math.floor(part * hours)
  })
  return moments.sort((a, b) => a - b)
}

/** The same moment, or one of the next morning when people sleep at it. */
export function awake(ms: number, untilMs: number): number {
  const hour = ((((ms - untilMs) % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS
  if (hour >= 7 && hour < 22.5) return ms
  return ms + 9 * HOUR_MS
}
