import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Db, Tx } from './database.ts'

/**
 * The source of numeric ids for all tables: a single sequence, from which each process takes
 * blocks.
 */
export interface Ids {
  /**
   * Returns the next id. Waits for the database only if the stock is empty. Inside a transaction,
   * pass its `tx`: if every connection is in a transaction that is waiting for an id, none is left
   * to fetch one.
   */
  next(tx?: Db): Promise<number>
  /** Returns the next id if there is one in stock; used on the hot path. */
  take(): number | undefined
}

/** The ids from `from` up to, but not including, `to`. */
interface Block {
  from: number
  to: number
}

/** Each `nextval` on the sequence `ids` returns this many ids, as declared for the sequence. */
const BLOCK = 100
const BLOCKS_MAX = 64

/**
 * Provides small numbers that are unique across all resources. Gaps are normal: a process that
 * stops leaves the rest of its block unused. Ids ascend within a process, unless transactions
 * overlap, but not between processes. The stock is refilled before it is empty, and the faster it
 * empties, the larger the refill.
 */
export function openIds(db: Db): Ids {
  const stock: Block[] = []
  // A block fetched in a transaction belongs to that transaction until it commits. If PostgreSQL
  // crashes before the commit, the sequence can go back and hand out the same ids again.
  const ownOf = new WeakMap<Db, Block>()
  let blocks = 1
  /** The highest id returned so far. */
  let highest = 0
  let filling: Promise<void> | undefined

  function add(added: readonly Block[]): void {
    stock.push(...added)
    stock.sort((a, b) => a.from - b.from)
  }

  const fill = async () => add(await fetchBlocks(db, blocks))

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
    if (!isTx(db)) return add([block])
    ownOf.set(db, block)
    db.after(() => {
      ownOf.delete(db)
      if (block.from < block.to) add([block])
    })
  }

  function takeOwn(db: Db): number | undefined {
    const block = ownOf.get(db)
    return block && block.from < block.to ? idFrom(block) : undefined
  }

  function idFrom(block: Block): number {
    const id = block.from++
    highest = Math.max(highest, id)
    return id
  }

  function take(): number | undefined {
    // A block that another one has overtaken is dropped, so that later calls get higher ids.
    while (stock[0] && stock[0].from < highest) stock.shift()
    const [block] = stock
    if (!block) return undefined
    const id = idFrom(block)
    if (block.from === block.to) stock.shift()
    // If an early refill fails, nobody is waiting for it. A later caller that has to wait gets the
    // same failure and reports it.
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
  const firsts = await sequenceValues(db, count)
  return firsts.map((first) => ({ from: first, to: first + BLOCK }))
}

/** Takes values of the sequence itself: each is an id, and begins a block of ids. */
export async function sequenceValues(db: Db, count: number): Promise<number[]> {
  const rows = await db.many<{ value: number }>`
    select nextval('ids') as value from generate_series(1, ${count}::int)`
  return rows.map(({ value }) => value)
}

const isTx = (db: Db): db is Tx => 'after' in db

type SecretName = 'cursor' | 'people'

const known = new WeakMap<object, Map<SecretName, Promise<KeyObject>>>()

/**
 * Returns a 32-byte key that all processes on this database share. Each process reads it once. Node
 * takes 50 µs longer to use a key that is still in a Buffer.
 */
export function serverSecret(db: Db, name: SecretName): Promise<KeyObject> {
  const ours = known.get(db) ?? new Map<SecretName, Promise<KeyObject>>()
  known.set(db, ours)
  let secret = ours.get(name)
  if (!secret) {
    secret = read(db, name)
    ours.set(name, secret)
    secret.catch(() => ours.delete(name))
  }
  return secret
}

async function read(db: Db, name: SecretName): Promise<KeyObject> {
  const { value } = await db.one<{ value: Buffer }>`
    select value from server_secrets where name = ${name}`
  return createSecretKey(value)
}
