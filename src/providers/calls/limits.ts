/** How many calls a provider accepts from one account. */
export interface Limits {
  perSecond: number
  /** Of those that move money. */
  ordersPerSecond: number
  atOnce: number
}

interface CallKind {
  /** Whether it moves money. */
  isOrder: boolean
  /** Whether a person is waiting for it. */
  isAwaited: boolean
}

/** Ends a call. */
type Release = () => void

/** One slot in this many is left for calls that a person is waiting for. */
const RESERVED_OF = 4

/** How many calls for which nobody is waiting can run at once. */
export const slotsOf = ({ atOnce }: Pick<Limits, 'atOnce'>): number =>
  Math.max(1, atOnce - Math.ceil(atOnce / RESERVED_OF))

interface Waiting extends CallKind {
  begin(release: Release): void
}

interface Line {
  limits: Limits
  running: number
  calls: Bucket
  orders: Bucket
  pausedUntilMs: number
  waiting: Set<Waiting>
  timer: NodeJS.Timeout | undefined
}

/**
 * Keeps the calls of this process within the limits of each connection. Calls start in the order in
 * which they arrive, but one that has to wait for its own limit does not hold up the others.
 */
export function openLimits(nowMs: () => number = () => performance.now()) {
  const lines = new Map<number, Line>()

  function lineOf(connectionId: number, limits: Limits): Line {
    const known = lines.get(connectionId)
    if (known) return known
    const line: Line = {
      limits,
      running: 0,
      calls: bucketOf(limits.perSecond, nowMs()),
      orders: bucketOf(limits.ordersPerSecond, nowMs()),
      pausedUntilMs: 0,
      waiting: new Set(),
      timer: undefined,
    }
    lines.set(connectionId, line)
    return line
  }

  /** Returns for how long a call has to wait; undefined until another call ends. */
  function delayMs(line: Line, { isOrder, isAwaited }: CallKind): number | undefined {
    const { limits, running, calls, orders, pausedUntilMs } = line
    if (running >= (isAwaited ? limits.atOnce : slotsOf(limits))) return undefined
    const now = nowMs()
    const filled = Math.max(emptyMs(calls, now), isOrder ? emptyMs(orders, now) : 0)
    return Math.max(filled, pausedUntilMs - now, 0)
  }

  function start(line: Line, { isOrder }: CallKind): Release {
    line.running++
    takeFrom(line.calls, nowMs())
    if (isOrder) takeFrom(line.orders, nowMs())
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      line.running--
      startWaiting(line)
    }
  }

  function startWaiting(line: Line): void {
    clearTimeout(line.timer)
    let nextMs = Number.POSITIVE_INFINITY
    for (const one of line.waiting) {
      const ms = delayMs(line, one)
      if (ms === 0) {
        line.waiting.delete(one)
        one.begin(start(line, one))
      } else if (ms !== undefined) nextMs = Math.min(nextMs, ms)
    }
    if (nextMs === Number.POSITIVE_INFINITY) return
    line.timer = setTimeout(() => startWaiting(line), Math.ceil(nextMs))
    line.timer.unref()
  }

  return {
    /**
     * Waits until a connection's limits allow a call, and returns how to end it. Returns undefined
     * if that takes longer than `withinMs`.
     */
    async take(
      connectionId: number,
      limits: Limits,
      kind: CallKind,
      withinMs: number,
    ): Promise<Release | undefined> {
      const line = lineOf(connectionId, limits)
      if ((delayMs(line, kind) ?? 0) > withinMs) return undefined
      const { promise, resolve } = Promise.withResolvers<Release | undefined>()
      const one: Waiting = {
        ...kind,
        begin(release) {
          clearTimeout(timer)
          resolve(release)
        },
      }
      const giveUp = () => {
        line.waiting.delete(one)
        resolve(undefined)
      }
      const timer = setTimeout(giveUp, withinMs)
      timer.unref()
      line.waiting.add(one)
      startWaiting(line)
      return promise
    },
    /** Returns how many calls are waiting. */
    waiting: () => [...lines.values()].reduce((sum, { waiting }) => sum + waiting.size, 0),
    /** Starts no calls for a while, because the provider has asked for that. */
    pause(connectionId: number, limits: Limits, ms: number): void {
      const line = lineOf(connectionId, limits)
      line.pausedUntilMs = Math.max(line.pausedUntilMs, nowMs() + ms)
    },
  }
}

/**
 * Fills at a steady rate. A full bucket and what is added to it during a second are together no
 * more than the limit, so that no second exceeds it.
 */
interface Bucket {
  perSecond: number
  most: number
  tokens: number
  atMs: number
}

/** Which part of the calls of a second can start at once. */
const AT_ONCE_OF = 5

function bucketOf(limit: number, now: number): Bucket {
  const most = Math.max(1, Math.floor(limit / AT_ONCE_OF))
  // The token that completes the second is first used in the next one.
  return { perSecond: limit - most + 1, most, tokens: most, atMs: now }
}

function fill(bucket: Bucket, now: number): void {
  const gained = ((now - bucket.atMs) / 1_000) * bucket.perSecond
  bucket.tokens = Math.min(bucket.most, bucket.tokens + gained)
  bucket.atMs = now
}

/** A little less than a whole token is enough, because timers and sums are not exact. */
const TOKEN = 0.999

function emptyMs(bucket: Bucket, now: number): number {
  fill(bucket, now)
  return bucket.tokens >= TOKEN ? 0 : ((1 - bucket.tokens) / bucket.perSecond) * 1_000
}

function takeFrom(bucket: Bucket, now: number): void {
  fill(bucket, now)
  bucket.tokens -= 1
}
