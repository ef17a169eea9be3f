import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { openTurns } from '../lib/fair-queue.ts'
import { type Problem, unavailable } from '../lib/problem.ts'
import { isDiskFull, isReadOnly, isTimeout } from './failures.ts'
import { turnOwner } from './turns.ts'

/** A pool of connections behind a queue, in which businesses take turns. */
export interface Connections {
  /**
   * Waits for a free connection and returns it; the caller must release it. Throws a 503 if the
   * wait is too long.
   */
  take(): Promise<pg.PoolClient>
  /** Makes every connection plan its statements again before its next use. */
  replan(): void
  /**
   * The number of calls to `replan`. The holder of a connection compares it to detect outdated
   * plans.
   */
  generation(): number
  stats(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

interface ConnectionsOptions extends pg.PoolConfig {
  /** How long to wait for a new connection, or for the queue to move. */
  connectMs: number
  onError(error: Error): void
  /** Called when a connection cannot be opened. */
  onRefused(): void
}

interface Waiter {
  since: number
  /** The maximum wait, even while the queue is moving. */
  mostMs: number
  go(client: pg.PoolClient | undefined): void
  fail(error: Problem): void
}

/**
 * The maximum wait while the queue is moving. A request can need several connections, one after
 * another, within its 30 s.
 */
const WAIT_MS = 5_000
/**
 * A request that has started something outside the database waits longer, because giving up would
 * leave the outcome unknown.
 */
const WAIT_URGENT_MS = 15_000
/**
 * Connections are replaced after this time, in case the server's host name now resolves to another
 * IP address.
 */
export const CONNECTION_LIFE_SECONDS = 1_800

/** How many times per `connectMs` the queue is checked. */
const LOOKS = 8

const DISCARD = 'discard plans'

const urgent = new AsyncLocalStorage<true>()

/**
 * Puts the work's requests for connections at the front of the queue, because the work must not
 * time out while it waits.
 */
export const withPriority = <T>(work: () => Promise<T>): Promise<T> => urgent.run(true, work)

/**
 * Opens the pool. When more requests arrive than there are connections, they wait for up to 5 s as
 * long as connections become free, but only for `connectMs` if none does, because then the database
 * is not responding. If a connection can't be opened, everything in the queue fails at once with
 * the same 503.
 */
export function openConnections(options: ConnectionsOptions): Connections {
  const { connectMs, onError, onRefused, max = 10, ...config } = options
  const pool = new pg.Pool({
    ...config,
    max,
    connectionTimeoutMillis: connectMs,
    maxLifetimeSeconds: CONNECTION_LIFE_SECONDS,
  })
  const urgentWaiters = openTurns<Waiter>()
  const waiters = openTurns<Waiter>()
  let taken = 0
  let movedAt = performance.now()
  let isClosing = false
  let generation = 0
  let look: NodeJS.Timeout | undefined
  const generationOf = new WeakMap<pg.PoolClient, number>()
  const openedAt = new WeakMap<pg.PoolClient, number>()
  const onLost = (error: Error) => {
    if (!isClosing) onError(error)
  }
  pool.on('error', onLost)
  pool.on('connect', (client) => {
    openedAt.set(client, performance.now())
    // A checked-out client emits 'error' itself when its connection is lost. Without a listener,
    // that would end the process.
    client.on('error', (error) => {
      openedAt.delete(client)
      onLost(error)
    })
  })

  async function take(): Promise<pg.PoolClient> {
    const handedOver = taken < max ? void taken++ : await turn()
    if (handedOver) return handedOver
    try {
      return await connected()
    } catch (error) {
      onRefused()
      const problem = databaseDown(error)
      for (const queue of [urgentWaiters, waiters]) {
        for (const { fail } of queue.remove(() => true)) fail(problem)
      }
      leave()
      throw problem
    }
  }

  async function connected(): Promise<pg.PoolClient> {
    const client = await pool.connect()
    const isOutdated = (generationOf.get(client) ?? generation) < generation
    generationOf.set(client, generation)
    try {
      if (isOutdated) await client.query(DISCARD)
    } catch (error) {
      client.release(true)
      throw error
    }
    return lend(client, client.release)
  }

  /**
   * Makes `release` hand the client directly to the next caller in the queue. Giving it back to the
   * pool and taking it out again would cost two timers and two promises for each statement.
   */
  function lend(client: pg.PoolClient, giveBack: pg.PoolClient['release']): pg.PoolClient {
    let isLent = true
    client.release = (broken) => {
      if (!isLent) throw new Error('The connection has already been released')
      isLent = false
      const next = !broken && isCurrent(client) && (urgentWaiters.shift() ?? waiters.shift())
      if (!next) {
        giveBack.call(client, broken)
        return leave()
      }
      movedAt = performance.now()
      next.go(lend(client, giveBack))
    }
    return client
  }

  function isCurrent(client: pg.PoolClient): boolean {
    const ageMs = performance.now() - (openedAt.get(client) ?? Number.NEGATIVE_INFINITY)
    return (
      ageMs < CONNECTION_LIFE_SECONDS * 1000 &&
      generationOf.get(client) === generation &&
      !isClosing
    )
  }

  /** Resolves to a client, or to `undefined` if the caller can open a new one. */
  function turn(): Promise<pg.PoolClient | undefined> {
    const isUrgent = urgent.getStore() === true
    const queue = isUrgent ? urgentWaiters : waiters
    const mostMs = Math.max(isUrgent ? WAIT_URGENT_MS : WAIT_MS, connectMs)
    // After a pause of this process, it first reads what the database has sent meanwhile.
    look ??= setInterval(() => setImmediate(failLate), connectMs / LOOKS)
    return new Promise((go, fail) =>
      queue.push(turnOwner(), { since: performance.now(), mostMs, go, fail }),
    )
  }

  /** Rejects callers that have waited too long. One timer serves the whole queue. */
  function failLate(): void {
    const now = performance.now()
    const isLate = ({ since, mostMs }: Waiter) => now >= since + mostMs
    const isStalled = ({ since }: Waiter) => now >= Math.max(movedAt, since) + connectMs
    for (const queue of [urgentWaiters, waiters]) {
      for (const waiter of queue.remove((one) => isLate(one) || isStalled(one))) {
        waiter.fail(
          isLate(waiter) ? serverBusy() : databaseDown(new Error('No connection came free')),
        )
      }
    }
    if (urgentWaiters.size() + waiters.size() > 0) return
    clearInterval(look)
    look = undefined
  }

  function leave(): void {
    movedAt = performance.now()
    const next = urgentWaiters.shift() ?? waiters.shift()
    if (next) next.go(undefined)
    else taken--
  }

  return {
    take,
    stats: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: urgentWaiters.size() + waiters.size(),
    }),
    replan: () => void generation++,
    generation: () => generation,
    close() {
      isClosing = true
      return pool.end()
    },
  }
}

/** Returns the 503 for a request that has waited too long for its turn. */
export const serverBusy = () =>
  unavailable('server_busy', 'The server is busy. Nothing was done; try again in a moment.')

/** Returns the 503 for a database failure. Its message names the kind of failure but no details. */
export function databaseDown(cause: unknown): Problem {
  return unavailable('database_unavailable', messageOf(cause), cause)
}

function messageOf(cause: unknown): string {
  if (isReadOnly(cause)) return 'The database is currently read-only. Nothing was changed.'
  if (isDiskFull(cause)) return 'The database has run out of disk space. Nothing was changed.'
  if (isTimeout(cause)) return 'The database took too long. Nothing was changed.'
  return 'The database is currently unreachable. Nothing was changed.'
}
