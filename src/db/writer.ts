import type pg from 'pg'
import type { Database, Statement } from './database.ts'

/**
 * One connection kept for a batch: the statement is prepared on it once, nothing else waits in its
 * queue, and its lock time-out is short, because whoever waits for a lock makes a whole batch wait.
 */
export interface Writer {
  query(statement: Statement): Promise<pg.QueryResult>
}

const LOCK_TIMEOUT_MS = 100

/** Connects when it is first used, and anew after its connection broke. */
export function openWriter(db: Database): Writer {
  let client: pg.PoolClient | undefined

  async function connected(): Promise<pg.PoolClient> {
    if (client) return client
    const opened = await db.connect()
    try {
      await opened.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    } catch (error) {
      // Kept, it would be waited for when the pool ends.
      opened.release(true)
      throw error
    }
    opened.once('error', () => drop(opened))
    opened.once('end', () => drop(opened))
    client = opened
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
        // An error of the server leaves the connection as it was; any other does not.
        if ((error as { severity?: string }).severity !== 'ERROR') drop(opened)
        throw error
      }
    },
  }
}
