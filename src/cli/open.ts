import { type Config, readConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Ids, openIds } from '../db/ids.ts'
import type { Log } from '../db/log.ts'
import { openConfigured } from '../db/open.ts'

/** What a command works with. */
export interface Opened {
  config: Config
  db: Database
  ids: Ids
  now: Date
}

/** A command's own log: what went wrong, and nothing else. */
export const quietLog: Log = {
  info: () => {},
  warn: () => {},
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
}

/** A command does one thing after the other. */
const CONNECTIONS = 2

/**
 * Runs `work` on the database of the settings, beside a running server or without one: its schema
 * is brought up to date first, and an embedded server that nobody else uses is stopped again.
 */
export async function withDatabase<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const opened = await openConfigured(config, quietLog)
  const db = openDatabase({
    connection: opened.app,
    connectionsMax: CONNECTIONS,
    prepare: config.DATABASE_PREPARE,
  })
  try {
    return await work({ config, db, ids: openIds(db), now: new Date() })
  } finally {
    await db.close()
    await opened.stop()
  }
}
