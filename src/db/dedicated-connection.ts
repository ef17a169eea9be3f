import type pg from 'pg'
import { perDatabase } from './batch.ts'
import { CONNECTION_LIFE_SECONDS } from './connections.ts'
import type { Database, Statement } from './database.ts'
import { isReadOnly } from './failures.ts'

/**
 * A connection reserved for batches. Their statements are prepared on it only once, and nothing
 * else queues for it. Its lock timeout is short, because waiting for a lock delays the whole batch.
 */
export interface Writer {
  query(statement: Statement): Promise<pg.QueryResult>
}

const LOCK_TIMEOUT_MS = 100

/**
 * The maximum share of the pool that writers keep, so that other work can always get a connection.
 */
const POOL_SHARE = 1 / 4

const kept = perDatabase((db) => {
  const most = Math.max(1, Math.floor(db.connectionsMax * POOL_SHARE))
  return { next: 0, writers: Array.from({ length: most }, () => keepConnection(db)) }
})

/** Returns a writer for one batch. In a small pool, several batches share a connection. */
export function openWriter(db: Database): Writer {
  const ours = kept(db)
  return ours.writers[ours.next++ % ours.writers.length]!
}

/**
 * Connects on first use, and reconnects if the connection is broken or old, or has outdated plans.
 */
function keepConnection(db: Database): Writer {
  let client: pg.PoolClient | undefined
  let opening: Promise<pg.PoolClient> | undefined
  let openedAt = 0
  let generation = 0

  async function connected(): Promise<pg.PoolClient> {
    const isOld = performance.now() - openedAt > CONNECTION_LIFE_SECONDS * 1000
    if (client && (isOld || generation !== db.generation())) drop(client)
    if (client) return client
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }

  async function open(): Promise<pg.PoolClient> {
    const opened = await db.connect()
    try {
      await opened.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    } catch (error) {
      // If the connection were kept, the pool would wait for it when shutting down.
      opened.release(true)
      throw error
    }
    opened.once('error', () => drop(opened))
    opened.once('end', () => drop(opened))
    client = opened
    openedAt = performance.now()
    generation = db.generation()
    return opened
  }

  function drop(lost: pg.PoolClient): void {
    if (client !== lost) return
    client = undefined
    lost.release(true)
  }

  db.beforeClose(() => {
    if (client) drop(client)
  })
  return {
    async query(statement) {
      const opened = await connected()
      try {
        return await opened.query(statement)
      } catch (error) {
        Error.captureStackTrace(error as Error)
        // After an error from the server, the connection remains usable, unless the server is
        // read-only: on this connection, it won't become the primary again.
        if ((error as { severity?: string }).severity !== 'ERROR' || isReadOnly(error)) drop(opened)
        throw error
      }
    },
  }
}
