import { ApiError, ConnectionError } from './errors.ts'

/** When and how often a call is tried again. */
export interface RetryPolicy {
  /** How often at most, after the first attempt. */
  retriesMax: number
  /** Nothing happens twice when it is sent twice: it reads, or has an Idempotency-Key. */
  isSafe: boolean
  signal: AbortSignal | undefined
}

/**
 * The first wait is up to this long, and each further one up to twice as long as the one before…
 */
const WAIT_FIRST_MS = 500
/** … but never longer than this, unless Retry-After asks for it. */
const WAIT_MAX_MS = 8_000
/** A longer `Retry-After` becomes an error instead of a wait. */
const RETRY_AFTER_MAX_MS = 60_000

/**
 * Runs `attempt` until it succeeds, fails for good, or was tried often enough; the last error is
 * thrown, with the number of attempts. Its argument counts from 1.
 */
export async function withRetries<T>(
  attempt: (count: number) => Promise<T>,
  { retriesMax, isSafe, signal }: RetryPolicy,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt(count)
    } catch (error) {
      if (error instanceof ApiError || error instanceof ConnectionError) error.attempts = count
      if (count > retriesMax || !isWorthAnother(error, isSafe)) throw error
      await wait(waitOf(error, count), signal)
    }
  }
}

/** After these it is known that nothing was done. */
const NOTHING_DONE = [429, 503]
/** A proxy lost the server on the way. */
const LOST = [502, 504]
/** The server does not know its own outcome: with the same key it can find out. */
const UNKNOWN = ['timed_out', 'outcome_unknown']

function isWorthAnother(error: unknown, isSafe: boolean): boolean {
  if (error instanceof ConnectionError) return isSafe
  if (!(error instanceof ApiError)) return false
  const { status, code, retryAfterMs } = error
  if (retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_MAX_MS) return false
  if (NOTHING_DONE.includes(status)) return true
  if (LOST.includes(status) || UNKNOWN.includes(code)) return isSafe
  // The previous attempt is still in progress.
  return isSafe && status === 409 && retryAfterMs !== undefined
}

/**
 * Between half of it and all of it by chance, so that those who failed together do not come back
 * together; never before Retry-After.
 */
export function waitOf(error: unknown, count: number): number {
  const most = Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (count - 1))
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  const jittered = most * (0.5 + Math.random() / 2)
  return asked > 0 ? asked + jittered / 4 : jittered
}

/** Throws the signal's reason as soon as there is one. */
export function wait(ms: number, signal?: AbortSignal | undefined): Promise<void> {
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
