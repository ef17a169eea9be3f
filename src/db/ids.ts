import type { Db, Tx } from './database.ts'

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

/** Ids from the first to before the last. */
interface Block {
  from: number
  to: number
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
  const stock: Block[] = []
  // What a transaction fetched is its own until it commits: a crash of PostgreSQL before that may
  // take the sequence back, and the same ids are then given out again.
  const ownOf = new WeakMap<Db, Block>()
  let blocks = 1
  let filling: Promise<void> | undefined

  async function fill(): Promise<void> {
    for (const block of await fetchBlocks(db, blocks)) stock.push(block)
  }

  function refill(): Promise<void> {
    filling ??= fill().finally(() => {
      blocks = Math.min(blocks * 2, BLOCKS_MAX)
      filling = undefined
    })
    return filling
  }

  async function fillOwn(db: Db): Promise<void> {
    const [block] = await fetchBlocks(db, 1)
    if (!block) return
    if (!isTx(db)) return void stock.push(block)
    ownOf.set(db, block)
    db.after(() => {
      ownOf.delete(db)
      if (block.from < block.to) stock.push(block)
    })
  }

  function takeOwn(db: Db): number | undefined {
    const block = ownOf.get(db)
    return block && block.from < block.to ? block.from++ : undefined
  }

  function take(): number | undefined {
    const [block] = stock
    if (!block) return undefined
    const id = block.from++
    if (block.from === block.to) stock.shift()
    // If an early refill fails, a later caller that has to wait meets and reports the failure.
    if (stock.length <= blocks / 4) refill().catch(() => {})
    return id
  }

  async function next(tx?: Db): Promise<number> {
    for (;;) {
      const id = (tx && takeOwn(tx)) ?? take()
      if (id !== undefined) return id
      await (tx ? fillOwn(tx) : refill())
    }
  }

  return { next, take }
}

async function fetchBlocks(db: Db, count: number): Promise<Block[]> {
  const rows = await db.many<{ first: number }>`
    select nextval('ids') as first from generate_series(1, ${count}::int)`
  return rows.map(({ first }) => ({ from: first, to: first + BLOCK }))
}

const isTx = (db: Db): db is Tx => 'after' in db

/** What the server keeps a key for. */
type SecretName = 'cursor' | 'people'

const known = new WeakMap<object, Map<SecretName, Promise<Buffer>>>()

/** A key of 32 bytes that every process on this database shares; read once by each. */
export function serverSecret(db: Db, name: SecretName): Promise<Buffer> {
  const ours = known.get(db) ?? new Map<SecretName, Promise<Buffer>>()
  known.set(db, ours)
  let secret = ours.get(name)
  if (!secret) {
    secret = read(db, name)
    ours.set(name, secret)
    secret.catch(() => ours.delete(name))
  }
  return secret
}

async function read(db: Db, name: SecretName): Promise<Buffer> {
  const { value } = await db.one<{ value: Buffer }>`
    select value from server_secrets where name = ${name}`
  return value
}
