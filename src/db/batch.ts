import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../lib/problem.ts'
import { databaseDown } from './connections.ts'
import { isLostConnection, isRetryable, isUnavailable } from './failures.ts'

/** Many small writes as few large ones. */
export interface Batch<Item, Result> {
  /** Resolves when the item is durable; rejects with the error of this item alone. */
  add(item: Item): Promise<Result>
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Rows in one statement. More gain nothing, and one caller's wait grows with it. */
const SIZE_MAX = 256
/** A statement of more would hold the event loop, and the others in it, too long. */
const BYTES_MAX = 1024 * 1024
const ATTEMPTS_MAX = 6

/**
 * Collects what is added while a statement is under way into the next one: no timer, so that an
 * idle server adds no delay, and one statement in flight, since on two cores a second makes both
 * slower (15,900/s against 17,700/s, p99 15 ms against 7.5).
 *
 * `write` does all items in one statement and answers a result for each, in their order; what is to
 * be expected (a key used, a reference taken) is a result. When it throws for a row's sake the
 * batch is halved until the bad row stands alone: one bad row of 256 costs 16 statements, and its
 * caller alone gets its error. A lost connection fails all of them, since nobody knows what became
 * of the statement.
 */
export function openBatch<Item, Result>(
  write: (items: readonly Item[]) => Promise<Result[]>,
  bytesOf: (item: Item) => number = () => 0,
): Batch<Item, Result> {
  const waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, sizeOf(waiting))
      await settle(batch)
    }
    isRunning = false
  }

  /** How many of those that wait go together: by number, and by what they weigh. */
  function sizeOf(items: Waiting<Item, Result>[]): number {
    const most = Math.min(items.length, SIZE_MAX)
    let bytes = 0
    for (let i = 0; i < most; i++) {
      bytes += bytesOf(items[i]!.item)
      if (bytes > BYTES_MAX) return Math.max(1, i)
    }
    return most
  }

  async function settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await retried(() => write(batch.map(({ item }) => item)))
      for (let i = 0; i < batch.length; i++) batch[i]!.resolve(results[i]!)
    } catch (error) {
      await divide(batch, error)
    }
  }

  async function divide(batch: Waiting<Item, Result>[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isOfOneRow(error)) {
      for (const { reject } of batch) reject(error)
      return
    }
    const middle = batch.length >> 1
    await settle(batch.slice(0, middle))
    await settle(batch.slice(middle))
  }

  return {
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (isRunning) return
        isRunning = true
        // What else arrived in this turn of the event loop goes along.
        setImmediate(() => void run())
      }),
  }
}

/** Data and integrity errors, and a lock that one row waits for. All others are everybody's. */
function isOfOneRow(error: unknown): boolean {
  const code = String((error as { code?: unknown })?.code ?? '')
  return /^(21|22|23)/.test(code) || code === '55P03'
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isRetryable(error)) throw forCaller(error)
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** A connection lost under way leaves the outcome open, and a 503 would deny it. */
function forCaller(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (isLostConnection(error)) {
    const message = 'The connection was lost while writing; the outcome is not known.'
    return new Problem('internal', 'outcome_unknown', message, { cause: error })
  }
  if (isUnavailable(error) && !isOfOneRow(error)) return databaseDown(error)
  return error
}
