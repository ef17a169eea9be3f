import type { Database, Db } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Sql } from '../db/sql.ts'
import type { Job } from '../jobs/jobs.ts'
import { addMs } from '../lib/clock.ts'
import type { Connection, Outcome, Provider, Providers } from './connector/types.ts'
import { selectConnectionsWithOldList } from './queries-lists.ts'

/** Which provider's list: that of its sandbox can differ, and that of another address. */
export type ListKey = Pick<Connection, 'provider' | 'environment' | 'baseUrl'>

export const nameOf = ({ provider, environment, baseUrl }: ListKey): string =>
  JSON.stringify([provider, environment, baseUrl])

/**
 * A list of a provider's that is the same for all of its connections to one address, and is read
 * once a day.
 */
export interface DailyList<Listed, Row extends { is_active: boolean }> {
  job: string
  /** What it lists, for the log. */
  of: string
  table: Sql
  /** Reads the whole list; returns undefined if the provider has none. */
  read(provider: Provider): Promise<Outcome<readonly Listed[]>> | undefined
  selectRows(db: Db, key: ListKey): Promise<Row[]>
  rowsOf(listed: readonly Listed[]): Row[]
  /** Stores a whole list. A row that is no longer in it stays, but is not active. */
  replaceRows(db: Db, key: ListKey, rows: readonly Row[], now: Date): Promise<unknown>
  /** Names the rows that match nothing in our lists, for the log. */
  unmatchedIn(rows: readonly Row[]): string[]
}

interface ListDeps {
  providers: Providers
  log: Log
}

const DAY_MS = 24 * 3_600_000

/** A list with fewer than this share of the rows that were active is taken for an error. */
const LEAST_SHARE = 0.5

/**
 * Returns the job that reads a list of each provider once a day. If a connection does not answer,
 * it asks the next one of that provider and address, and again after an hour.
 */
export function dailyListJob<Listed, Row extends { is_active: boolean }>(
  deps: ListDeps,
  list: DailyList<Listed, Row>,
): Job {
  return {
    name: list.job,
    everyMs: 3_600_000,
    async run(db, now, only) {
      if (only !== undefined) return 0
      const done = new Set<string>()
      for (const due of await selectConnectionsWithOldList(db, list.table, addMs(now, -DAY_MS))) {
        const name = nameOf(due)
        if (done.has(name)) continue
        if (await refresh(db, deps, list, due, now)) done.add(name)
      }
      // Everything due has been tried, so the job does not run again at once.
      return 0
    },
  }
}

async function refresh<Listed, Row extends { is_active: boolean }>(
  db: Database,
  { providers, log }: ListDeps,
  list: DailyList<Listed, Row>,
  {
    connection_id: connection,
    provider,
    environment,
    baseUrl,
  }: ListKey & { connection_id: number },
  now: Date,
): Promise<boolean> {
  const about = { connection, provider, environment, baseUrl }
  try {
    const outcome = await list.read(await providers.holder(connection))
    if (!outcome) return false
    if (outcome.kind !== 'done') {
      log.warn({ ...about, outcome }, `the list of ${list.of} was not read`)
      return false
    }
    const rows = list.rowsOf(outcome.value)
    if (!isPlausible(await list.selectRows(db, about), rows)) {
      log.warn({ ...about, rows: rows.length }, `the list of ${list.of} is too short`)
      return false
    }
    await list.replaceRows(db, about, rows, now)
    const unmatched = list.unmatchedIn(rows)
    log.info({ ...about, rows: rows.length, unmatched }, `read the list of ${list.of}`)
    return true
  } catch (error) {
    log.warn({ ...about, err: error }, `the list of ${list.of} was not read`)
    return false
  }
}

type Active = { is_active: boolean }

function isPlausible(before: readonly Active[], rows: readonly Active[]): boolean {
  const wasActive = before.filter((row) => row.is_active).length
  const isActive = rows.filter((row) => row.is_active).length
  return isActive > 0 && isActive >= wasActive * LEAST_SHARE
}
