import type { ClientConfig } from 'pg'
import { type Config, storageOf } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { examine } from '../db/replicas.ts'
import { openStorage } from '../files/storage.ts'
import { hostOf, urlsOf } from '../lib/service-urls.ts'

/** One check of `tradepost doctor`. */
export interface Check {
  name: string
  level: 'ok' | 'warn' | 'bad'
  says: string
  fix?: string
  /** True if there is no database to check. */
  isMissing?: true
}

export const ok = (name: string, says: string): Check => ({ name, level: 'ok', says })

export const warn = (name: string, says: string, fix: string): Check => ({
  name,
  level: 'warn',
  says,
  fix,
})

export const bad = (name: string, says: string, fix: string): Check => ({
  name,
  level: 'bad',
  says,
  fix,
})

/** A replica that has replayed less than this of the last commits is worth a warning. */
const CATCH_UP_MS = 1_000

/**
 * Checks each replica. No problem makes the check fail, because the server then reads from the
 * primary.
 */
export async function* checkReplicas(
  primary: ClientConfig,
  { DATABASE_REPLICA_URL: url }: Pick<Config, 'DATABASE_REPLICA_URL'>,
): AsyncGenerator<Check> {
  if (!url) return
  const db = openDatabase({ connection: primary, connectionsMax: 1 })
  try {
    for (const connectionString of urlsOf(url.reveal())) {
      const replica = openDatabase({ connection: { connectionString }, connectionsMax: 1 })
      const host = hostOf(connectionString)
      try {
        const { problem, lagMs } = await examine(db, replica, CATCH_UP_MS)
        if (problem === undefined) yield ok('replica', `${host} has every commit of the primary`)
        else yield warn('replica', `${host}: ${problem}${behind(lagMs)}`, FIX)
      } catch (error) {
        yield warn('replica', `${host} cannot be used: ${(error as Error).message}`, FIX)
      } finally {
        await replica.close()
      }
    }
  } finally {
    await db.close()
  }
}

const behind = (lagMs: number | undefined): string =>
  lagMs === undefined ? '' : ` by ${Math.round(lagMs)} ms`

const FIX =
  'repair the standby, or remove it from DATABASE_REPLICA_URL; until then, reads use the primary'

/** No file has this key. */
const NO_KEY = 'tradepost-doctor'

/** Checks that the bucket in STORAGE_URL responds and can be read. */
export async function* checkBucket(config: Config): AsyncGenerator<Check> {
  const { bucket } = storageOf(config)
  if (!bucket) return
  const storage = await openStorage('', bucket)
  const where = `the bucket ${bucket.bucket} at ${bucket.endpoint}`
  try {
    const found = await storage.get(NO_KEY).catch((error: Error) => {
      if (error.name === 'NoSuchKey') return undefined
      throw error
    })
    found?.destroy()
    yield ok('bucket', `${where} can be read`)
  } catch (error) {
    const { name, message } = ((error as Error).cause ?? error) as Error
    yield bad('bucket', `${where} cannot be read: ${message || name}`, BUCKET_FIX)
  } finally {
    storage.close()
  }
}

const BUCKET_FIX = 'correct STORAGE_URL; the key must be able to get, put, delete and list objects'
