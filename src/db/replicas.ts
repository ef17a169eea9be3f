import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../lib/problem.ts'
import { hostOf, urlsOf } from '../lib/service-urls.ts'
import type { Secret } from '../lib/tokens.ts'
import { type Database, openDatabase, type Reading } from './database.ts'
import { isRetryable, isTimeout, isUnavailable } from './failures.ts'
import type { Log } from './log.ts'
import { type Sql, sql } from './sql.ts'

/** What is known about a replica. */
export interface ReplicaState {
  host: string
  /** Why it cannot be used at the moment. */
  problem: string | undefined
  /** How far it is behind the primary; undefined if it does not respond. */
  lagMs: number | undefined
}

interface Replica {
  host: string
  db: Database
  isReady: boolean
  /** The last problem that was logged. */
  problem: string | undefined
  search: Promise<void> | undefined
}

/**
 * How long a list waits for a replica to replay the latest commit. A replica that takes longer is
 * not used again until it has caught up.
 */
const CATCH_UP_MS = 100
/** How often a replica that is not used is tried. */
const TRY_MS = 1_000
/** How long to wait for a replica's response, besides the wait for what it has not replayed. */
const ANSWER_MS = 500

/** Returns the database with the replicas of the settings, or unchanged if there are none. */
export function openReplicas(
  {
    DATABASE_REPLICA_URL: url,
    DATABASE_PREPARE: prepare,
  }: { DATABASE_REPLICA_URL: Secret | undefined; DATABASE_PREPARE: boolean | undefined },
  primary: Database,
  log: Log,
): Database {
  if (!url) return primary
  const { connectionsMax, isDivided } = primary
  return withReplicas(
    primary,
    urlsOf(url.reveal()),
    (connectionString, onError) =>
      openDatabase({
        connection: { connectionString, isDivided },
        connectionsMax,
        prepare,
        onError,
      }),
    log,
  )
}

/**
 * Sends the work of `reading` to one of the replicas, each of which has its own pool. The other
 * methods use the primary. docs/design/replicas.md explains why a caller sees its own writes.
 */
function withReplicas(
  primary: Database,
  urls: readonly string[],
  open: (url: string, onError: (error: Error) => void) => Database,
  log: Log,
): Database {
  const replicas = urls.map((url): Replica => {
    const host = hostOf(url)
    const onError = (error: Error) => void stopUsing(replica, error.message)
    const replica: Replica = {
      host,
      isReady: false,
      problem: undefined,
      search: undefined,
      db: { ...open(url, onError), replica: host, reading: (work) => work(replica.db) },
    }
    return replica
  })
  const served = { replica: 0, primary: 0 }
  let turn = 0
  let isClosing = false

  function stopUsing(replica: Replica, problem: string): void {
    const { host } = replica
    if (!isClosing && replica.problem !== problem) {
      log.warn({ host, problem }, 'the replica is not used; reads go to the primary')
    }
    replica.isReady = false
    replica.problem = problem
  }

  /** Uses the replica if it has everything that is committed now. */
  function tryAgain(replica: Replica): Promise<void> {
    replica.search ??= examine(primary, replica.db, CATCH_UP_MS)
      .then(({ problem }) => {
        if (problem !== undefined) return stopUsing(replica, problem)
        if (!replica.isReady) log.info({ host: replica.host }, 'the replica is used for reads')
        replica.isReady = true
        replica.problem = undefined
      })
      .catch((error) => stopUsing(replica, (error as Error).message))
      .finally(() => {
        replica.search = undefined
      })
    return replica.search
  }

  const tryAll = () =>
    Promise.all(replicas.filter(({ isReady }) => !isReady).map((replica) => tryAgain(replica)))
  const timer = setInterval(() => void tryAll(), TRY_MS)
  timer.unref()
  void tryAll()

  async function ready(waitMs: number): Promise<Replica[]> {
    const until = performance.now() + waitMs
    for (;;) {
      const found = replicas.filter(({ isReady }) => isReady)
      // A list does not wait for a replica that is not used.
      if (found.length > 0 || waitMs <= CATCH_UP_MS || performance.now() >= until) return found
      await tryAll()
      const hasHope = replicas.some(({ isReady, problem }) => isReady || problem === BEHIND)
      if (!hasHope) return []
      await sleep(1)
    }
  }

  /** Returns a replica that has everything that was committed when this was called. */
  async function current(waitMs: number): Promise<Replica | undefined> {
    const found = await ready(waitMs)
    const replica = found[turn++ % found.length]
    if (!replica) return undefined
    const { position } = await primary.one<{ position: string }>`select ${POSITION} as position`
    try {
      if (await hasReplayed(replica.db, position, waitMs)) return replica
      stopUsing(replica, BEHIND)
    } catch (error) {
      stopUsing(replica, (error as Error).message)
    }
    return undefined
  }

  const reading: Reading = async (work, { waitMs = CATCH_UP_MS } = {}) => {
    const replica = await current(waitMs)
    if (replica) {
      try {
        const result = await work(replica.db)
        served.replica++
        return result
      } catch (error) {
        if (!isOfReplica(error)) throw error
        stopUsing(replica, (error as Error).message)
      }
    }
    served.primary++
    return work(all)
  }

  const all: Database = {
    ...primary,
    reading,
    replan() {
      for (const { replan } of [primary, ...replicas.map(({ db }) => db)]) replan()
    },
    replicas: async () => ({
      served,
      states: await Promise.all(
        replicas.map(async ({ host, db, problem }) => {
          const found = await examine(primary, db, 0).catch(() => undefined)
          return { host, problem, lagMs: found?.lagMs }
        }),
      ),
    }),
    async close() {
      isClosing = true
      clearInterval(timer)
      await Promise.all([primary.close(), ...replicas.map(({ db }) => db.close())])
    },
  }
  return all
}

const BEHIND = 'it is behind the primary'

/**
 * Returns whether to read from the primary instead. A replica also cancels statements that would
 * hold up its replay. A statement that was too slow would be too slow there as well.
 */
function isOfReplica(error: unknown): boolean {
  if (error instanceof Problem) return error.kind === 'unavailable' && !isTimeout(error.cause)
  return (isUnavailable(error) && !isTimeout(error)) || isRetryable(error)
}

/**
 * The position in the log up to which everything that a client knows to be committed is there. With
 * `synchronous_commit = off`, commits are confirmed before they are flushed.
 */
const POSITION: Sql = sql`case when current_setting('synchronous_commit') = 'off'
  then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end::text`

/** True on a replica that is connected to its primary. */
const IS_FOLLOWING: Sql = sql`(pg_is_in_recovery() and exists (select from pg_stat_wal_receiver))`

/** Two servers with the same identity have the same history. */
const IDENTITY: Sql = sql`(select system_identifier from pg_control_system())::text || ' '
  || (select oid from pg_database where datname = current_database())::text`

/** Waits until the replica has replayed the log up to this position. Returns whether it has. */
async function hasReplayed(replica: Database, position: string, waitMs: number): Promise<boolean> {
  const until = performance.now() + waitMs
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, CATCH_UP_MS)) {
    const { hasAll } = await inTime(
      replica.one<{ hasAll: boolean }>`
        select ${IS_FOLLOWING}
          and coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false) as "hasAll"`,
    )
    if (hasAll) return true
    const leftMs = until - performance.now()
    if (leftMs <= 0) return false
    await sleep(Math.min(pauseMs, leftMs))
  }
}

interface Standing {
  isFollowing: boolean
  identity: string
  lagMs: number | null
}

/**
 * Finds out whether a server is a replica of the primary, and how far it is behind. A replica that
 * is still behind after `waitMs` has a problem. Throws if one of them does not respond.
 */
export async function examine(
  primary: Database,
  replica: Database,
  waitMs: number,
): Promise<{ problem: string | undefined; lagMs: number | undefined }> {
  const { position, identity } = await primary.one<{ position: string; identity: string }>`
    select ${POSITION} as position, ${IDENTITY} as identity`
  const found = await inTime(replica.one<Standing>`
    select ${IS_FOLLOWING} as "isFollowing", ${IDENTITY} as identity,
      extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000
        as "lagMs"`)
  const says = (problem: string, lagMs?: number) => ({ problem, lagMs })
  if (found.identity !== identity) return says('it is not a copy of this database')
  if (!found.isFollowing) return says('it is not following a primary')
  if (await hasReplayed(replica, position, waitMs)) return { problem: undefined, lagMs: 0 }
  return says(BEHIND, Math.max(0, found.lagMs ?? 0))
}

/** Rejects if a replica does not respond, so that nobody waits for the connection to time out. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('it did not respond in time')), ANSWER_MS)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
