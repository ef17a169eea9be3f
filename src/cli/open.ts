import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { type Config, readConfig } from '../config.ts'
import { KEEP_ALIVE } from '../db/client.ts'
import { openConfigured } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { findCluster, prepareClusterDirectory } from '../db/embedded/cluster.ts'
import { primaryOf } from '../db/hosts.ts'
import { type Ids, openIds } from '../db/ids.ts'
import type { Log } from '../db/log.ts'
import { openReplicas } from '../db/replicas.ts'
import { type Keyring, openKeyring } from '../encryption/keyring.ts'
import { serverKeysOf } from '../encryption/server-keys.ts'
import { NoDatabase, terminal } from './output.ts'

export interface CommandContext {
  config: Config
  db: Database
  ids: Ids
  /** Only commands that need it fail without the server's key. */
  keyring: Keyring
  now: Date
}

/** A log that contains only errors, for commands. */
export const quietLog: Log = {
  info: () => {},
  warn: () => {},
  error: (_fields, message) => void terminal().stderr.write(`${message}\n`),
}

/** Enough for the command and for the batches, which keep their connections. */
const CONNECTIONS = 8

interface Opening {
  mayCreate?: boolean
  /** Connects as the owner of the tables, who can also delete what is append-only. */
  asOwner?: boolean
  lockMs?: number
  /** Opens the replicas of the settings, for `reading`. */
  readsReplicas?: boolean
}

/**
 * Runs `work` on the configured database, even if no server is running. Migrates the schema first,
 * and afterwards stops an embedded database that nothing else uses. Throws NoDatabase if there is
 * no database, unless the command can create one.
 */
export async function withDatabase<T>(
  work: (opened: CommandContext) => Promise<T>,
  { mayCreate = false, asOwner = false, lockMs, readsReplicas = false }: Opening = {},
): Promise<T> {
  const config = readConfig(terminal().env)
  if (!mayCreate) await refuseMissing(config)
  const opened = await openConfigured(config, quietLog)
  const primary = openDatabase({
    // A command may need a lock for a whole session.
    connection: asOwner || opened.isPooled ? opened.owner : opened.app,
    connectionsMax: CONNECTIONS,
    prepare: config.DATABASE_PREPARE,
    ...(lockMs && { lockMs }),
  })
  const db = readsReplicas ? openReplicas(config, primary, quietLog) : primary
  try {
    const keyring = openKeyring(serverKeysOf(config))
    if (mayCreate) await keyring.load(db)
    return await work({ config, db, ids: openIds(db), keyring, now: new Date() })
  } finally {
    await db.close()
    await opened.stop()
  }
}

/** Prevents a typo in a setting from creating an empty database in which everything looks fine. */
export async function refuseMissing({ DATABASE_URL, DATA_DIR }: Config): Promise<void> {
  if (!DATABASE_URL) {
    if (isInitialised(DATA_DIR)) return
    throw new NoDatabase(`there is no database in ${resolve(DATA_DIR)} (DATA_DIR)`)
  }
  const connection = await primaryOf({ connectionString: DATABASE_URL.reveal() })
  const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...KEEP_ALIVE, ...connection })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query("select to_regclass('schema_migrations') as made")
    if (rows[0].made === null) {
      throw new NoDatabase('the database in DATABASE_URL contains no Tradepost tables')
    }
  } catch (error) {
    if ((error as { code?: string }).code !== NO_SUCH_DATABASE) throw error
    throw new NoDatabase(`the database in DATABASE_URL does not exist`)
  } finally {
    await client.end().catch(() => {})
  }
}

const NO_SUCH_DATABASE = '3D000'

/** Only checks the directory, and never creates it. */
export function isInitialised(dataDir: string): boolean {
  return (
    existsSync(join(dataDir, 'postgres')) &&
    findCluster(prepareClusterDirectory(dataDir)) !== undefined
  )
}
