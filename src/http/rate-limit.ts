import { hash } from 'node:crypto'
import type { Credentials } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'

export interface RateLimit {
  /** Tokens restored per second; 0 turns the limit off. */
  perSecond: number
  /** Tokens that an idle key can use at once. */
  burst: number
}

interface Bucket {
  tokens: number
  at: number
}

/** How many keys are remembered; a forgotten key starts again with a full bucket. */
const BUCKETS_MAX = 10_000

/**
 * Keeps a token bucket per key (or per payer's IP address) in memory, so limits are exact only
 * within one process. Writing to the database for each request would cost too much. Returns the
 * headers; throws 429 when the bucket is empty.
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

  /** Gives back the token for a request that turned out not to count. */
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
  new Problem(
    'rate_limited',
    'rate_limited',
    'Too many requests. Wait for the time in Retry-After.',
    {
      headers,
      retryAfterSeconds: Math.ceil(1 / perSecond),
    },
  )

/** Limits invalid keys and sessions, per network. */
const FAILING: RateLimit = { perSecond: 1, burst: 100 }
const PROVEN_MAX = 10_000

type Prove<Who> = (credentials: Credentials) => Promise<Who>

interface Options {
  clock: Clock
  isOff: boolean
  networkOf(ip: string): string
  /**
   * Whether verifying the credentials needs a query. Malformed ones are refused without a query.
   */
  isCostly(credentials: Credentials): boolean
}

/**
 * Limits how many invalid keys and sessions a network can try. A network that has used up its tries
 * gets 429 without a query. Keys and sessions that have already been verified still work, so other
 * programs behind the same IP address are not affected.
 */
export function guessLimiter({ clock, isOff, networkOf, isCostly }: Options) {
  const take = rateLimiter(isOff ? { perSecond: 0, burst: 0 } : FAILING)
  const proven = new Set<string>()
  const tried = new Map<string, Promise<unknown>>()

  async function attempt<Who>(prove: Prove<Who>, credentials: Credentials, secret: string) {
    const network = networkOf(credentials.ip)
    // The attempt counts before its result is known, so that simultaneous attempts don't bypass the
    // limit.
    take(network, clock.now().getTime())
    const who = await prove(credentials).catch((error) => {
      if (!isFailure(error)) take.giveBack(network)
      throw error
    })
    take.giveBack(network)
    if (proven.size >= PROVEN_MAX) proven.delete(proven.values().next().value!)
    proven.add(secret)
    return who
  }

  return function limited<Who>(prove: Prove<Who>): Prove<Who> {
    if (isOff) return prove
    return async (credentials) => {
      if (!isCostly(credentials)) return prove(credentials)
      const secret = hash('sha256', credentials.session?.token ?? credentials.key, 'base64')
      // Simultaneous requests with the same key wait for the first, and count as one attempt.
      await tried.get(secret)?.catch(() => {})
      if (proven.has(secret)) return prove(credentials)
      const first = attempt(prove, credentials, secret)
      tried.set(secret, first)
      return first.finally(() => tried.delete(secret))
    }
  }
}

const isFailure = (error: unknown): boolean =>
  error instanceof Problem && error.kind === 'unauthenticated'

/** The limits for anonymous payers. A rate limit of 0 turns them all off. */
export interface PayerLimits {
  /** Counts every request from a network. */
  take(ip: string): void
  /** Counts the forms that anyone posts to one unguessable link. Throws 429. */
  takeOfLink(link: string): void
  /** Counts views of one public page, and forms posted to it, per network. Throws 429. */
  takeOfPage(ip: string, link: string): void
  /** Limits wrong discount codes on one page, per network. */
  guess(ip: string, link: string): Guess
  networkOf(ip: string): string
}

/** One attempt at a discount code. */
interface Guess {
  /**
   * Counts the attempt as wrong until the code proves right; returns false after too many wrong
   * codes.
   */
  begin(): boolean
  right(): void
}

const A_MINUTE = { perSecond: 1, burst: 60 }
const CODES = { perSecond: 10 / 3600, burst: 10 }
const OFF = { perSecond: 0, burst: 0 }

export function payerLimits(
  { rateLimit, clock }: { rateLimit: RateLimit; clock: Clock },
  take: (ip: string) => void,
  networkOf: (ip: string) => string,
): PayerLimits {
  const isOn = rateLimit.perSecond > 0
  const links = rateLimiter(isOn ? A_MINUTE : OFF)
  const pages = rateLimiter(isOn ? A_MINUTE : OFF)
  const codes = rateLimiter(isOn ? CODES : OFF)
  const atMs = () => clock.now().getTime()
  const onPage = (ip: string, link: string) => `${networkOf(ip)} ${link}`
  return {
    take,
    networkOf,
    takeOfLink: (link) => void links(link, atMs()),
    takeOfPage: (ip, link) => void pages(onPage(ip, link), atMs()),
    guess: (ip, link) => ({
      begin() {
        try {
          codes(onPage(ip, link), atMs())
          return true
        } catch (error) {
          if (error instanceof Problem) return false
          throw error
        }
      },
      right: () => codes.giveBack(onPage(ip, link)),
    }),
  }
}
