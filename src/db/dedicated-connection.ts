import type pg from 'pg'
import { perDatabase } from './batch.ts'
import { CONNECTION_LIFE_SECONDS } from './connections.ts'
import type { Database, Statement, Tx } from './database.ts'
import { isReadOnly } from './failures.ts'

/**
 * A connection reserved for batches. Their statements are prepared on it only once, and only
 * batches queue for it. Its lock timeout is short, because waiting for a lock delays the whole
 * batch.
 */
interface Writer {
  query(statement: Statement): Promise<pg.QueryResult>
}

const LOCK_TIMEOUT_MS = 100

/**
 * The maximum share of the pool that writers keep, so that other work can always get a connection.
 */
const POOL_SHARE = 1 / 4

const writersOf = perDatabase((db) => {
  if (db.isPooled || db.isDivided) return { next: 0, writers: [writeInTransactions(db)] }
  const most = Math.max(1, Math.floor(db.connectionsMax * POOL_SHARE))
  return { next: 0, writers: Array.from({ length: most }, () => keepConnection(db)) }
})

/** Returns a writer for one batch. If there are more batches than writers, several share one. */
export function openWriter(db: Database): Writer {
  const ours = writersOf(db)
  return ours.writers[ours.next++ % ours.writers.length]!
}

/**
 * Gives a transaction that writes a batch a short lock timeout, by default the one that writers
 * have.
 */
export const shortenLockTimeout = (tx: Tx, ms = LOCK_TIMEOUT_MS) =>
  tx.query({ text: `set local lock_timeout = ${ms}`, values: [] })

/**
 * Behind a pooler, a lock timeout lasts only as long as a transaction, and nothing is prepared. On
 * several machines, many batches write at once, which would queue for one connection.
 */
function writeInTransactions(db: Database): Writer {
  return {
    query: ({ text, values }) =>
      db.transaction(async (tx) => {
        await shortenLockTimeout(tx)
        return tx.query({ text, values })
      }),
  }
}

/** A connection, and the number of statements on it that have not ended yet. */
interface Kept {
  client: pg.PoolClient
  openedAt: number
  generation: number
  running: number
  isReleased: boolean
}

/**
 * Connects on first use, and reconnects if the connection is broken or old, or has outdated plans.
 */
function keepConnection(db: Database): Writer {
  let current: Kept | undefined
  let opening: Promise<Kept> | undefined

  async function take(): Promise<Kept> {
    if (current && isOutdated(current)) retire(current)
    opening ??= current ? undefined : open().finally(() => (opening = undefined))
    const kept = current ?? (await opening!)
    kept.running++
    return kept
  }

  const isOutdated = ({ openedAt, generation }: Kept): boolean =>
    performance.now() - openedAt > CONNECTION_LIFE_SECONDS * 1000 || generation !== db.generation()

  async function open(): Promise<Kept> {
    const client = await db.connect()
    try {
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    } catch (error) {
      // If the connection were kept, the pool would wait for it when shutting down.
      client.release(true)
      throw error
    }
    const state = { openedAt: performance.now(), generation: db.generation() }
    const opened = { client, ...state, running: 0, isReleased: false }
    client.once('error', () => drop(opened))
    client.once('end', () => drop(opened))
    current = opened
    return opened
  }

  /** Closing the connection at once would end the statement of another batch that shares it. */
  function retire(old: Kept): void {
    if (old === current) current = undefined
    if (old.running === 0) drop(old)
  }

  function drop(lost: Kept): void {
    if (lost === current) current = undefined
    if (lost.isReleased) return
    lost.isReleased = true
    lost.client.release(true)
  }

  db.beforeClose(() => {
    if (current) drop(current)
  })
  return {
    async query(statement) {
      const kept = await take()
      try {
        return await kept.client.query(statement)
      } catch (error) {
        Error.captureStackTrace(error as Error)
        // After an error from the server, the connection remains usable. A read-only server is the
        // exception, because it never becomes the primary again on an open connection.
        if ((error as { severity?: string }).severity !== 'ERROR' || isReadOnly(error)) drop(kept)
        throw error
      } finally {
        kept.running--
        if (kept !== current) retire(kept)
      }
    },
  }
}
