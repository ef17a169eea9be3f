import { ApiError, ConnectionError } from './errors.ts'

export interface RetryPolicy {
  /** The maximum number of retries. */
  retriesMax: number
  /** Whether the request is safe to send twice, because it only reads or has an Idempotency-Key. */
  isSafe: boolean
  signal: AbortSignal | undefined
  /** A longer `Retry-After` becomes an error instead of a wait. The default is a minute. */
  retryAfterMaxMs?: number | undefined
}

/** The longest first wait. Each further wait can be twice as long. */
const WAIT_FIRST_MS = 500
/** The longest wait, unless Retry-After is longer. */
const WAIT_MAX_MS = 8_000
const RETRY_AFTER_MAX_MS = 60_000

/**
 * Runs `attempt` until it succeeds, fails permanently, or has no retries left. Throws the last
 * error with the number of attempts. The argument of `attempt` counts from 1.
 */
export async function withRetries<T>(
  attempt: (count: number) => Promise<T>,
  policy: RetryPolicy,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt(count)
    } catch (error) {
      if (error instanceof ApiError || error instanceof ConnectionError) error.attempts = count
      if (count > policy.retriesMax || !isWorthAnother(error, policy)) throw error
      await wait(waitOf(error, count), policy.signal)
    }
  }
}

/** Responses with these statuses mean that nothing was done. */
const NOTHING_DONE = [408, 429, 503]
/** Responses with these statuses mean that a proxy lost the connection to the server. */
const LOST = [502, 504]
/**
 * Responses with these codes mean that the outcome is unknown. Repeating the request with the same
 * key returns the outcome.
 */
const UNKNOWN = ['timed_out', 'outcome_unknown']

function isWorthAnother(
  error: unknown,
  { isSafe, retryAfterMaxMs = RETRY_AFTER_MAX_MS }: RetryPolicy,
): boolean {
  if (error instanceof ConnectionError) return isSafe
  if (!(error instanceof ApiError)) return false
  const { status, code, retryAfterMs } = error
  if (retryAfterMs !== undefined && retryAfterMs > retryAfterMaxMs) return false
  if (NOTHING_DONE.includes(status)) return true
  if (LOST.includes(status) || UNKNOWN.includes(code)) return isSafe
  // A 409 with Retry-After means that the previous attempt is still in progress.
  return isSafe && status === 409 && retryAfterMs !== undefined
}

/**
 * Returns a random wait between half the maximum and the maximum, so that clients that failed
 * together don't retry together. The wait is never shorter than Retry-After.
 */
export function waitOf(error: unknown, count: number): number {
  const most = Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (count - 1))
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  const jittered = most * (0.5 + Math.random() / 2)
  return asked > 0 ? asked + jittered / 4 : jittered
}

/** Throws the signal's reason as soon as the signal is aborted. */
function wait(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
