import { addMs } from '../../lib/clock.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failed attempt the next is made; after the last of them, none. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** So that what failed together does not come again together. */
const JITTER = 0.2

const RETRY_AFTER_MS_MAX = 24 * HOUR

/**
 * When to try again after the attempt with this number since it was last queued, counted from 1.
 * `askedMs` is what the receiver asked for (`Retry-After`), and only ever makes it later. `random`
 * is from 0 to 1. Undefined after the last attempt.
 */
export function nextAttemptAt(
  attempt: number,
  now: Date,
  askedMs: number | undefined,
  random: number,
): Date | undefined {
  const plainMs = RETRY_AFTER_MS[attempt - 1]
  if (plainMs === undefined) return undefined
  const ms = plainMs * (1 - JITTER + 2 * JITTER * random)
  return addMs(now, Math.round(Math.max(ms, Math.min(askedMs ?? 0, RETRY_AFTER_MS_MAX))))
}

/** `Retry-After` in milliseconds from `now`: seconds or a date; undefined where it is neither. */
export function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  const ms = Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
