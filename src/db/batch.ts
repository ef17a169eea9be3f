import { setTimeout as sleep } from 'node:timers/promises'
import { openTurns } from '../lib/fair-queue.ts'
import { Problem } from '../lib/problem.ts'
import { databaseDown, serverBusy } from './connections.ts'
import type { Database } from './database.ts'
import { isLockTimeout, isLostConnection, isRetryable, isUnavailable } from './failures.ts'
import { inTurnsOf, inTurnsOfSeveral, turnOwner } from './turns.ts'

/** Combines many small writes into a few large ones. */
export interface Batch<Item, Result> {
  /** Resolves when the item is durable; rejects only with this item's own error. */
  add(item: Item): Promise<Result>
}

/** Returned by `write` for an item that must go into the next batch, ahead of all others. */
export const AGAIN = Symbol('again')

interface BatchOptions<Item, Result> {
  db: Pick<Database, 'isDivided'>
  businessOf(item: Item): number
  /**
   * Writes all items in one statement or transaction, and returns a result for each, in the same
   * order. If it throws, it must not have written anything, because some of the items are then
   * written again. Expected outcomes, such as a key that has been used or a reference that is
   * taken, are results, not errors.
   */
  write(items: readonly Item[]): Promise<(Result | typeof AGAIN)[]>
  /** By default, the number of items alone limits a batch. */
  bytesOf?(item: Item): number
  /**
   * If given and `write` waits too long for a lock, each group is written on its own instead, and
   * all items of a group that still waits too long fail.
   */
  groupOf?(item: Item): string
}

interface Waiting<Item, Result> {
  item: Item
  /** In milliseconds of `performance.now()`. */
  since: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/** More rows per statement don't increase throughput, and they make each caller wait longer. */
const SIZE_MAX = 256
/** A larger statement would block the event loop, and so all other callers, for too long. */
const BYTES_MAX = 1024 * 1024
const ATTEMPTS_MAX = 6
/** As long as other requests wait for a connection. */
const WAIT_MS = 5_000

/**
 * Collects the items that arrive while a statement is running, and writes them with the next one.
 * Businesses take turns, so that one with thousands of items delays another's by one statement.
 * There is no timer, so an idle server doesn't add any delay. Only one statement runs at a time,
 * because on two cores a second one makes both slower (15,900 instead of 17,700 items/s, with a p99
 * of 15 ms instead of 7.5 ms).
 *
 * If `write` throws because of one row, the batch is halved until the bad row is isolated: one bad
 * row out of 256 costs 16 statements, and only its caller gets the error. If the connection is
 * lost, all items fail, because the statement's outcome is unknown. An item that could not be sent
 * within 5 s fails with 503 `server_busy`, so the queue can't grow forever.
 *
 * If the tables are divided among machines, each business has its own batches, and those of
 * different businesses run at the same time: a statement then writes the rows of one business only.
 */
export function openBatch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { db, businessOf } = options
  if (!db.isDivided) return openQueue(options, inTurnsOfSeveral)
  const opened = new Map<number, { batch: Batch<Item, Result>; waiting: number }>()
  const open = (businessId: number) => openQueue(options, (work) => inTurnsOf(businessId, work))
  return {
    async add(item) {
      const businessId = businessOf(item)
      const own = opened.get(businessId) ?? { batch: open(businessId), waiting: 0 }
      opened.set(businessId, own)
      own.waiting++
      try {
        return await own.batch.add(item)
      } finally {
        own.waiting--
        if (own.waiting === 0) opened.delete(businessId)
      }
    },
  }
}

function openQueue<Item, Result>(
  { write, bytesOf = () => 0, groupOf }: BatchOptions<Item, Result>,
  inTurns: (work: () => Promise<void>) => Promise<void>,
): Batch<Item, Result> {
  const waiting = openTurns<Waiting<Item, Result>>()
  /** Goes into the next batch before everything else. */
  let first: Waiting<Item, Result>[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.size() + first.length > 0) {
      failLate()
      const batch = nextBatch()
      if (batch.length === 0) break
      first = [...(await writeAll(batch)), ...first]
    }
    isRunning = false
  }

  /** Rejects the items that have waited too long. */
  function failLate(): void {
    const late = performance.now() - WAIT_MS
    const isLate = ({ since }: Waiting<Item, Result>) => since <= late
    const tooLate = [...first.filter(isLate), ...waiting.remove(isLate)]
    first = first.filter((one) => !isLate(one))
    for (const { reject } of tooLate) reject(serverBusy())
  }

  function nextBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    let bytes = 0
    while (batch.length < SIZE_MAX) {
      const next = first.shift() ?? waiting.shift()
      if (!next) break
      bytes += bytesOf(next.item)
      if (bytes > BYTES_MAX && batch.length > 0) {
        first.unshift(next)
        break
      }
      batch.push(next)
    }
    return batch
  }

  /** Returns the items whose result is AGAIN. */
  async function writeAll(batch: Waiting<Item, Result>[]): Promise<Waiting<Item, Result>[]> {
    try {
      const results = await retried(() => write(batch.map(({ item }) => item)))
      for (const [i, result] of results.entries()) {
        if (result !== AGAIN) batch[i]!.resolve(result)
      }
      return batch.filter((_, i) => results[i] === AGAIN)
    } catch (error) {
      return divide(batch, error)
    }
  }

  async function divide(
    batch: Waiting<Item, Result>[],
    error: unknown,
  ): Promise<Waiting<Item, Result>[]> {
    const parts = isOfOneRow(error) ? partsOf(batch, error) : [batch]
    if (parts.length === 1) {
      for (const { reject } of batch) reject(error)
      return []
    }
    let again: Waiting<Item, Result>[] = []
    for (const part of parts) again = await writeAll([...again, ...part])
    return again
  }

  function partsOf(batch: Waiting<Item, Result>[], error: unknown): Waiting<Item, Result>[][] {
    if (batch.length === 1) return [batch]
    if (groupOf && isLockTimeout(error)) {
      return [...Map.groupBy(batch, ({ item }) => groupOf(item)).values()]
    }
    const middle = batch.length >> 1
    return [batch.slice(0, middle), batch.slice(middle)]
  }

  return {
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push(turnOwner(), { item, since: performance.now(), resolve, reject })
        if (isRunning) return
        isRunning = true
        // Include everything else that arrives during this turn of the event loop.
        setImmediate(() => void inTurns(run))
      }),
  }
}

/** Returns a function that calls `open` once for each database, on first use. */
export function perDatabase<T>(open: (db: Database) => T): (db: Database) => T {
  const opened = new WeakMap<Database, T>()
  return (db) => {
    const known = opened.get(db)
    if (known !== undefined) return known
    const made = open(db)
    opened.set(db, made)
    return made
  }
}

/**
 * Reads rows for simultaneous callers in one statement. `read` returns each row with `n`, the
 * position of its item, counting from 1 (`with ordinality`).
 */
export const readInBatches = <Item, Row extends object>(
  businessOf: (item: Item) => number,
  read: (db: Database, items: readonly Item[]) => Promise<(Row & { n: number })[]>,
) =>
  perDatabase((db) =>
    openBatch<Item, Row[]>({
      db,
      businessOf,
      async write(items) {
        const rows = Map.groupBy<number, Row & { n: number }>(await read(db, items), ({ n }) => n)
        return items.map((_, i) => rows.get(i + 1) ?? [])
      },
    }),
  )

/**
 * Returns whether the error can concern a single row: a data or integrity error, a lock on the row,
 * or a refusal because other transactions were faster each time, for example in taking the last
 * money from a wallet. All other errors affect the whole batch.
 */
function isOfOneRow(error: unknown): boolean {
  if (isLockTimeout(error)) return true
  if (error instanceof Problem) return error.kind !== 'unavailable' && error.kind !== 'internal'
  return /^(21|22|23)/.test(String((error as { code?: unknown })?.code ?? ''))
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

/**
 * If the connection is lost, the outcome is unknown, so a 503 would wrongly claim that nothing was
 * done.
 */
function forCaller(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (isLostConnection(error)) {
    const message = 'The connection was lost while saving; the outcome is unknown.'
    return new Problem('internal', 'outcome_unknown', message, { cause: error })
  }
  if (isUnavailable(error) && !isOfOneRow(error)) return databaseDown(error)
  return error
}
