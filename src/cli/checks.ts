import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { examine } from '../db/replicas.ts'
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
