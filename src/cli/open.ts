import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { type Config, readConfig } from '../config.ts'
import { openConfigured } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { findCluster, prepareTop } from '../db/embedded/cluster.ts'
import { type Ids, openIds } from '../db/ids.ts'
import type { Log } from '../db/log.ts'
import { NoDatabase } from './output.ts'
import { terminal } from './terminal.ts'

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
  error: (_fields, message) => void terminal().stderr.write(`${message}\n`),
}

/** Some for a command, and those that the batches of a server in it keep. */
const CONNECTIONS = 8

/**
 * Runs `work` on the database of the settings, beside a running server or without one: its schema
 * is brought up to date first, and an embedded server that nobody else uses is stopped again.
 * Throws NoDatabase where there is none, unless the command may create it.
 */
export async function withDatabase<T>(
  work: (opened: Opened) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const config = readConfig(terminal().env)
  if (!mayCreate) await refuseMissing(config)
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

/** A typing error in a setting must not create an empty database, in which all is well. */
async function refuseMissing({ DATABASE_URL, DATA_DIR }: Config): Promise<void> {
  if (!DATABASE_URL) {
    if (isMade(DATA_DIR)) return
    throw new NoDatabase(`there is no database in ${resolve(DATA_DIR)} (DATA_DIR)`)
  }
  const client = new pg.Client({ connectionString: DATABASE_URL.reveal() })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query("select to_regclass('schema_migrations') as made")
    if (rows[0].made === null) {
      throw new NoDatabase('there is nothing of Tradepost in the database of DATABASE_URL')
    }
  } catch (error) {
    if ((error as { code?: string }).code !== NO_SUCH_DATABASE) throw error
    throw new NoDatabase(`the database of DATABASE_URL does not exist`)
  } finally {
    await client.end().catch(() => {})
  }
}

const NO_SUCH_DATABASE = '3D000'

/** Looks only, and leaves no directory behind. */
export function isMade(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres')) && findCluster(prepareTop(dataDir)) !== undefined
}
