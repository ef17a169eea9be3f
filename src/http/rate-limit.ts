import { Problem } from '../lib/problem.ts'

export interface RateLimit {
  /** Tokens that come back each second; 0 turns the limit off. */
  perSecond: number
  /** Tokens that a key which was silent for a while may use at once. */
  burst: number
}

interface Bucket {
  tokens: number
  at: number
}

/** Keys that are remembered; a key that was forgotten starts with a full bucket. */
const BUCKETS_MAX = 10_000

/**
 * A token bucket per key (or per address of a payer), in memory: exact for one process, and a write
 * to the database per request would cost more than what it guards. Answers the headers; throws 429
 * when the bucket is empty.
 */
export function rateLimiter({ perSecond, burst }: RateLimit) {
  const buckets = new Map<string | number, Bucket>()

  function bucketOf(who: string | number, nowMs: number): Bucket {
    const bucket = buckets.get(who)
    if (bucket) return bucket
    if (buckets.size >= BUCKETS_MAX) buckets.delete(buckets.keys().next().value!)
    const fresh = { tokens: burst, at: nowMs }
    buckets.set(who, fresh)
    return fresh
  }

  function take(who: string | number, nowMs: number): Record<string, string> {
    if (perSecond === 0) return {}
    const bucket = bucketOf(who, nowMs)
    const returned = (Math.max(0, nowMs - bucket.at) / 1000) * perSecond
    bucket.tokens = Math.min(burst, bucket.tokens + returned)
    bucket.at = nowMs
    const headers = headersOf(bucket, perSecond, burst)
    if (bucket.tokens < 1) throw tooMany(headers, perSecond)
    bucket.tokens -= 1
    return { ...headers, 'ratelimit-remaining': `${Math.floor(bucket.tokens)}` }
  }

  /** Returns the token of something that turned out not to count. */
  function giveBack(who: string | number): void {
    const bucket = buckets.get(who)
    if (bucket) bucket.tokens = Math.min(burst, bucket.tokens + 1)
  }

  return Object.assign(take, { giveBack })
}

const headersOf = ({ tokens }: Bucket, perSecond: number, burst: number) => ({
  'ratelimit-limit': `${burst}`,
  'ratelimit-remaining': `${Math.floor(tokens)}`,
  'ratelimit-reset': `${Math.ceil((burst - tokens) / perSecond)}`,
})

const tooMany = (headers: Record<string, string>, perSecond: number) =>
  new Problem('rate_limited', 'rate_limited', 'Too many requests; slow down.', {
    headers,
    retryAfterSeconds: Math.ceil(1 / perSecond),
  })
