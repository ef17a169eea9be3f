import { type Config, readConfig, storageOf } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Ids, openIds } from '../db/ids.ts'
import type { Log } from '../db/log.ts'
import { openConfigured } from '../db/open.ts'
import { systemClock } from '../lib/clock.ts'
import { type Files, openFiles, storeOf } from '../storage/blobs.ts'
import { openStorage } from '../storage/storage.ts'

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

/** Some for a command, and those that the batches of a server in it keep. */
const CONNECTIONS = 8

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

/** Runs `work` on the files of the settings. What it gives up a running server removes. */
export async function withFiles<T>(
  { config, db }: Pick<Opened, 'config' | 'db'>,
  work: (files: Files) => Promise<T>,
): Promise<T> {
  const { directory, bucket } = storageOf(config)
  const storage = await openStorage(storeOf(directory), bucket)
  try {
    return await work(openFiles({ db, clock: systemClock, directory, storage, nudge: () => {} }))
  } finally {
    storage.close()
  }
}
