import type pg from 'pg'
import { CONNECTION_LIFE_SECONDS } from './connections.ts'
import type { Database, Statement } from './database.ts'
import { isReadOnly } from './failures.ts'

/**
 * One connection kept for a batch: the statement is prepared on it once, nothing else waits in its
 * queue, and its lock timeout is short, because waiting for a lock makes the whole batch wait.
 */
export interface Writer {
  query(statement: Statement): Promise<pg.QueryResult>
}

const LOCK_TIMEOUT_MS = 100

/**
 * Connects on first use, and again when its connection has broken, is old or has outdated plans.
 */
export function openWriter(db: Database): Writer {
  let client: pg.PoolClient | undefined
  let openedAt = 0
  let generation = 0

  async function connected(): Promise<pg.PoolClient> {
    const isOld = performance.now() - openedAt > CONNECTION_LIFE_SECONDS * 1000
    if (client && (isOld || generation !== db.generation())) drop(client)
    if (client) return client
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
        // Only an error from the server leaves the connection usable, and not even that if the
        // server is read-only, because it won't become the primary again on this connection.
        if ((error as { severity?: string }).severity !== 'ERROR' || isReadOnly(error)) drop(opened)
        throw error
      }
    },
  }
}
