import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { type Problem, unavailable } from '../lib/problem.ts'
import { isDiskFull, isReadOnly } from './failures.ts'

/** A pool of connections behind a first-come-first-served queue. */
export interface Connections {
  /** Waits for a free connection and returns it; the caller must release it. Throws 503. */
  take(): Promise<pg.PoolClient>
  /** Makes every connection plan its statements again before its next use. */
  replan(): void
  /**
   * The number of calls to `replan`; connections that stay checked out compare it to tell whether
   * they are outdated.
   */
  generation(): number
  stats(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export interface ConnectionsOptions extends pg.PoolConfig {
  /** How long to wait for a new connection, or for the queue to move. */
  connectMs: number
  onError(error: Error): void
}

interface Waiter {
  timer: NodeJS.Timeout
  go(): void
  fail(error: Problem): void
}

/**
 * The longest wait in a queue that is moving. A request needs several connections, one after
 * another, within its 30 s.
 */
const WAIT_MS = 5_000
/**
 * A request that has started something outside the database waits longer, because giving up would
 * leave the outcome open.
 */
const WAIT_URGENT_MS = 15_000
/**
 * Connections are replaced after this time, so that a server whose host name or IP address has
 * changed is found again.
 */
export const CONNECTION_LIFE_SECONDS = 1_800

/** Plans each statement again the next time it is used. */
const DISCARD = 'discard plans'

const urgent = new AsyncLocalStorage<true>()

/**
 * Runs work that must not give up early, by putting it at the front of the queue for connections.
 */
export const withPriority = <T>(work: () => Promise<T>): Promise<T> => urgent.run(true, work)

/**
 * Opens the pool. When more requests arrive than there are connections, they wait for up to 5 s as
 * long as connections become free, but only `connectMs` if none does, because in that case the
 * database hangs. If a connection can't be opened, everything in the queue fails at once with the
 * same 503.
 */
export function openConnections(options: ConnectionsOptions): Connections {
  const { connectMs, onError, max = 10, ...config } = options
  const pool = new pg.Pool({
    ...config,
    max,
    connectionTimeoutMillis: connectMs,
    maxLifetimeSeconds: CONNECTION_LIFE_SECONDS,
  })
  const urgentWaiters: Waiter[] = []
  const waiters: Waiter[] = []
  let taken = 0
  let movedAt = performance.now()
  let isClosing = false
  let generation = 0
  const generationOf = new WeakMap<pg.PoolClient, number>()
  const onLost = (error: Error) => {
    if (!isClosing) onError(error)
  }
  pool.on('error', onLost)
  // A checked-out client emits 'error' itself when its connection is lost. Without a listener, that
  // would end the process.
  pool.on('connect', (client) => client.on('error', onLost))

  async function take(): Promise<pg.PoolClient> {
    if (taken < max) taken++
    else await turn()
    let client: pg.PoolClient
    try {
      client = await connected()
    } catch (error) {
      const problem = databaseDown(error)
      for (const { fail } of [...urgentWaiters.splice(0), ...waiters.splice(0)]) fail(problem)
      leave()
      throw problem
    }
    const { release } = client
    client.release = (broken) => {
      release.call(client, broken)
      leave()
    }
    return client
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
    return client
  }

  function turn(): Promise<void> {
    const isUrgent = urgent.getStore() === true
    const queue = isUrgent ? urgentWaiters : waiters
    const mostMs = Math.max(isUrgent ? WAIT_URGENT_MS : WAIT_MS, connectMs)
    return new Promise((resolve, reject) => {
      const since = performance.now()
      const look = () => {
        const now = performance.now()
        const stalledIn = Math.max(movedAt, since) + connectMs - now
        const lateIn = since + mostMs - now
        const leftMs = Math.min(stalledIn, lateIn)
        if (leftMs > 0) waiter.timer = setTimeout(look, Math.ceil(leftMs))
        else {
          queue.splice(queue.indexOf(waiter), 1)
          reject(lateIn <= 0 ? serverBusy() : databaseDown(new Error('No connection came free')))
        }
      }
      const waiter: Waiter = {
        timer: setTimeout(look, connectMs),
        go: () => {
          clearTimeout(waiter.timer)
          resolve()
        },
        fail: (error) => {
          clearTimeout(waiter.timer)
          reject(error)
        },
      }
      queue.push(waiter)
    })
  }

  function leave(): void {
    movedAt = performance.now()
    const next = urgentWaiters.shift() ?? waiters.shift()
    if (next) next.go()
    else taken--
  }

  return {
    take,
    stats: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: urgentWaiters.length + waiters.length,
    }),
    replan: () => void generation++,
    generation: () => generation,
    close() {
      isClosing = true
      return pool.end()
    },
  }
}

const serverBusy = () =>
  unavailable('server_busy', 'The server is busy. Nothing was done; try again in a moment.')

/** Returns the 503 for a database failure. Its message says what is wrong, without details. */
export function databaseDown(cause: unknown): Problem {
  return unavailable('database_unavailable', messageOf(cause), cause)
}

function messageOf(cause: unknown): string {
  if (isReadOnly(cause)) return 'The database is currently read-only. Nothing was changed.'
  if (isDiskFull(cause)) return 'The database has run out of disk space. Nothing was changed.'
  return 'The database is currently unreachable. Nothing was changed.'
}
