import { hash } from 'node:crypto'
import type { SharedLimits } from '../db/shared-limits.ts'
import type { Credentials } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import type { Peers } from '../lib/peers.ts'
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
 * Keeps a token bucket per key (or per payer's IP address) in memory, because writing to the
 * database for each request would cost too much. Returns the headers; throws 429 when the bucket is
 * empty.
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

  function refill(bucket: Bucket, nowMs: number): void {
    const returned = (Math.max(0, nowMs - bucket.at) / 1000) * perSecond
    bucket.tokens = Math.min(burst, bucket.tokens + returned)
    bucket.at = nowMs
  }

  function take(who: string | number, nowMs: number): Record<string, string> {
    if (perSecond === 0) return {}
    const bucket = bucketOf(who, nowMs)
    refill(bucket, nowMs)
    const headers = headersOf(bucket, perSecond, burst)
    if (bucket.tokens < 1) throw tooMany(headers, bucket, perSecond)
    bucket.tokens -= 1
    return { ...headers, 'ratelimit-remaining': `${Math.floor(bucket.tokens)}` }
  }

  /** Gives back the token for a request that turned out not to count. */
  function giveBack(who: string | number): void {
    const bucket = buckets.get(who)
    if (bucket) bucket.tokens = Math.min(burst, bucket.tokens + 1)
  }

  /**
   * Takes the tokens that another process has already granted, even if the bucket is empty. The
   * debt is repaid before anyone can take more.
   */
  function takeOwed(who: string | number, count: number, nowMs: number): void {
    const bucket = bucketOf(who, nowMs)
    refill(bucket, nowMs)
    bucket.tokens = Math.min(burst, bucket.tokens - count)
  }

  /** Sets how many tokens are left in a bucket that other servers share. */
  function set(who: string | number, tokens: number, nowMs: number): void {
    const bucket = bucketOf(who, nowMs)
    bucket.tokens = Math.min(burst, tokens)
    bucket.at = nowMs
  }

  return Object.assign(take, { giveBack, takeOwed, set })
}

const headersOf = ({ tokens }: Bucket, perSecond: number, burst: number) => ({
  'ratelimit-limit': `${burst}`,
  'ratelimit-remaining': `${Math.max(0, Math.floor(tokens))}`,
  'ratelimit-reset': `${Math.ceil((burst - tokens) / perSecond)}`,
})

const tooMany = (headers: Record<string, string>, { tokens }: Bucket, perSecond: number) =>
  new Problem(
    'rate_limited',
    'rate_limited',
    'Too many requests. Wait for the time in Retry-After.',
    {
      headers,
      retryAfterSeconds: Math.ceil((1 - Math.min(0, tokens)) / perSecond),
    },
  )

export interface Limiting {
  clock: Clock
  /** The limit for each key. If it is 0, all limits are off. */
  rateLimit: RateLimit
  peers?: Peers | undefined
  /** Set if the servers on a database share their limits. The processes then do so as well. */
  sharedLimits?: SharedLimits | undefined
}

export interface Limiter {
  /** Takes one token and returns the headers. Throws 429. */
  (who: string | number): Record<string, string>
  /** Gives back the token for a request that turned out not to count. */
  giveBack(who: string | number): void
}

const OFF: RateLimit = { perSecond: 0, burst: 0 }

/**
 * How long a process adds up the tokens that it has granted before it tells the other processes.
 * Together, they can exceed a burst by as many requests as arrive in this time. Afterwards, they
 * allow fewer requests until they have made up for the excess.
 */
const TELL_MS = 10
/** The same for servers that share their limits through the database. */
const SHARE_MS = 100
/** How long to wait after the database has not responded. Meanwhile, each process counts alone. */
const SHARE_AGAIN_MS = 1_000

/**
 * Limits requests to `limit`, by default the limit for each key, across all processes of this
 * server. Limiters with the same name share one limit.
 */
export function openLimiter(
  { clock, rateLimit, peers, sharedLimits }: Limiting,
  name: string,
  limit: RateLimit = rateLimit,
): Limiter {
  const isOff = rateLimit.perSecond === 0
  if (sharedLimits && !isOff) return sharedLimiter({ clock, sharedLimits }, name, limit)
  const take = rateLimiter(isOff ? OFF : limit)
  const nowMs = () => clock.now().getTime()
  if (!peers || isOff) {
    return Object.assign((who: string | number) => take(who, nowMs()), { giveBack: take.giveBack })
  }
  const topic = `rate limit ${name}`
  const taken = new Map<string | number, number>()
  peers.on(topic, (others: [who: string | number, count: number][]) => {
    for (const [who, count] of others) take.takeOwed(who, count, nowMs())
  })

  function tell(): void {
    const counts = [...taken].filter(([, count]) => count !== 0)
    taken.clear()
    if (counts.length > 0) peers?.tell(topic, counts)
  }

  function note(who: string | number, count: number): void {
    if (taken.size === 0) setTimeout(tell, TELL_MS).unref()
    taken.set(who, (taken.get(who) ?? 0) + count)
  }

  function takeShared(who: string | number): Record<string, string> {
    const headers = take(who, nowMs())
    note(who, 1)
    return headers
  }

  function giveBack(who: string | number): void {
    take.giveBack(who)
    note(who, -1)
  }

  return Object.assign(takeShared, { giveBack })
}

/**
 * Decides in memory, as without shared limits, and then takes what it has granted from the shared
 * buckets. What is left there replaces what this process believed to be left. Requests never wait
 * for the database.
 */
function sharedLimiter(
  { clock, sharedLimits }: { clock: Clock; sharedLimits: SharedLimits },
  name: string,
  limit: RateLimit,
): Limiter {
  const take = rateLimiter(limit)
  /** What the shared buckets do not know yet. */
  const taken = new Map<string | number, number>()
  let isDue = false

  function note(who: string | number, count: number): void {
    if (taken.size >= BUCKETS_MAX && !taken.has(who)) return
    taken.set(who, (taken.get(who) ?? 0) + count)
    if (!isDue) shareIn(SHARE_MS)
  }

  function shareIn(ms: number): void {
    isDue = true
    setTimeout(() => void share(), ms).unref()
  }

  async function share(): Promise<void> {
    // Nobody is in debt for much longer than it takes to refill a bucket, however long the database
    // did not respond: the shared bucket was refilled only up to a burst meanwhile.
    const most = limit.burst + limit.perSecond
    const granted = [...taken].map(
      ([who, count]) => [who, Math.min(count, most)] as [string | number, number],
    )
    taken.clear()
    let againMs = SHARE_MS
    try {
      const now = clock.now()
      const left = await sharedLimits.take(name, limit, granted, now)
      // Time has passed, and more may have been granted.
      for (const [who, tokens] of left) {
        take.set(who, tokens - (taken.get(who) ?? 0), now.getTime())
      }
    } catch {
      for (const [who, count] of granted) taken.set(who, (taken.get(who) ?? 0) + count)
      againMs = SHARE_AGAIN_MS
    }
    isDue = false
    if (taken.size > 0) shareIn(againMs)
  }

  return Object.assign(
    (who: string | number) => {
      const headers = take(who, clock.now().getTime())
      note(who, 1)
      return headers
    },
    {
      giveBack(who: string | number) {
        take.giveBack(who)
        note(who, -1)
      },
    },
  )
}

/** Limits invalid keys and sessions, per network. */
const FAILING: RateLimit = { perSecond: 1, burst: 100 }
const PROVEN_MAX = 10_000

type Prove<Who> = (credentials: Credentials) => Promise<Who>

interface Options extends Limiting {
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
export function guessLimiter({ networkOf, isCostly, ...limiting }: Options) {
  const take = openLimiter(limiting, 'invalid keys', FAILING)
  const isOff = limiting.rateLimit.perSecond === 0
  const proven = new Set<string>()
  const tried = new Map<string, Promise<unknown>>()

  async function attempt<Who>(prove: Prove<Who>, credentials: Credentials, secret: string) {
    const network = networkOf(credentials.ip)
    // The attempt counts before its result is known, so that simultaneous attempts don't bypass the
    // limit.
    take(network)
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
   * Counts the attempt as wrong until the code turns out to be valid. Returns false after too many
   * wrong codes.
   */
  begin(): boolean
  right(): void
}

const A_MINUTE = { perSecond: 1, burst: 60 }
const CODES = { perSecond: 10 / 3600, burst: 10 }

export function payerLimits(
  limiting: Limiting,
  take: (ip: string) => void,
  networkOf: (ip: string) => string,
): PayerLimits {
  const links = openLimiter(limiting, 'payer links', A_MINUTE)
  const pages = openLimiter(limiting, 'payer pages', A_MINUTE)
  const codes = openLimiter(limiting, 'wrong codes', CODES)
  const onPage = (ip: string, link: string) => `${networkOf(ip)} ${link}`
  return {
    take,
    networkOf,
    takeOfLink: (link) => void links(link),
    takeOfPage: (ip, link) => void pages(onPage(ip, link)),
    guess: (ip, link) => ({
      begin() {
        try {
          codes(onPage(ip, link))
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
