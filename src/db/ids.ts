import type { Db } from './database.ts'

/** Where the numeric ids of all tables come from: one sequence, taken in blocks by each process. */
export interface Ids {
  /**
   * The next id; waits for the database only when the stock is empty. Inside a transaction, hand
   * over its `tx`: when every connection is in a transaction that waits for an id, none is left to
   * fetch one with.
   */
  next(tx?: Db): Promise<number>
  /** The next id if there is one in stock, for the hot path. */
  take(): number | undefined
}

/** As the sequence `ids` is declared: each `nextval` gives this many ids. */
const BLOCK = 100
const BLOCKS_MAX = 64

/**
 * Small numbers that no two resources share. Gaps are normal: a process that stops leaves the rest
 * of its block unused. The stock is filled up again before it is empty, and by more at a time when
 * it was soon empty again.
 */
export function openIds(db: Db): Ids {
  const stock: { from: number; to: number }[] = []
  let blocks = 1
  let filling: Promise<void> | undefined

  async function fill(through: Db, count: number): Promise<void> {
    const rows = await through.many<{ first: number }>`
      select nextval('ids') as first from generate_series(1, ${count}::int)`
    for (const { first } of rows) stock.push({ from: first, to: first + BLOCK })
  }

  function refill(): Promise<void> {
    filling ??= fill(db, blocks).finally(() => {
      blocks = Math.min(blocks * 2, BLOCKS_MAX)
      filling = undefined
    })
    return filling
  }

  function take(): number | undefined {
    const [block] = stock
    if (!block) return undefined
    const id = block.from++
    if (block.from === block.to) stock.shift()
    // A failed refill ahead of need is met again, and then reported, by whoever really waits.
    if (stock.length <= blocks / 4) refill().catch(() => {})
    return id
  }

  async function next(tx?: Db): Promise<number> {
    for (;;) {
      const id = take()
      if (id !== undefined) return id
      await (tx ? fill(tx, 1) : refill())
    }
  }

  return { next, take }
}
