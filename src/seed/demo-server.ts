import type pg from 'pg'
import { pino } from 'pino'
import { Tradepost } from '../../sdk/src/index.ts'
import type { AppOptions } from '../app/shared.ts'
import { buildApp } from '../app.ts'
import { createKey, revokeKey } from '../business/keys/service.ts'
import { type Database, type Db, dbOn, type Statement, type Tx } from '../db/database.ts'
import { isRetryable } from '../db/failures.ts'
import { openIds } from '../db/ids.ts'
import { WEBHOOK_JOB } from '../developers/webhooks/jobs.ts'
import type { Job } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import { type DisagreeingSimulator, openDisagreeing } from './differences.ts'

export interface ServerOptions
  extends Pick<AppOptions, 'keyring' | 'publicUrl' | 'idempotencyMs' | 'storage'> {
  tenant: Tenant
  /** How far ahead the business's test clock is. */
  aheadMs: number
  /** The present time on that clock. */
  today: Date
  /** Whether webhooks are sent, which requires that all endpoints are part of the demo. */
  sendsWebhooks: boolean
}

export interface DemoServer {
  url: string
  api: Tradepost
  db: Database
  ids: AppOptions['ids']
  publicUrl: string
  tenant: Tenant
  simulator: DisagreeingSimulator
  /** The business's clock. */
  clock: Clock
  /** Runs all due work, or only the due work of the given job. */
  runJobs(name?: string): Promise<void>
  /**
   * Plays all scripts at the same time. Each `yield` returns the time at which the script
   * continues.
   */
  play(scripts: readonly Script[]): Promise<void>
}

export type Script = AsyncGenerator<number, void, void>

/** Runs `work` with a server on `db` and a temporary key. */
export async function withServer(
  db: Database,
  { tenant, aheadMs, today: at, sendsWebhooks, ...options }: ServerOptions,
  work: (server: DemoServer) => Promise<void>,
): Promise<void> {
  let nowMs = 0
  const ids = openIds(db)
  const simulator = openDisagreeing()
  const app = await buildApp({
    ...options,
    db,
    ids,
    clock: { now: () => new Date(nowMs - aheadMs) },
    log: pino({ level: 'silent' }),
    nudge: () => {},
    rateLimit: { perSecond: 0, burst: 0 },
    simulatorDelayMs: 0,
    connectors: (own) => ({ simulator: simulator.wrap(own) }),
    trustProxy: [],
    metricsToken: undefined,
    webhooks: { allowsLoopback: true },
  })

  const isDue = ({ name, followsTestClock }: Job) =>
    followsTestClock && (sendsWebhooks || name !== WEBHOOK_JOB)

  async function runJobs(name?: string): Promise<void> {
    const due = app.jobs.filter((one) => (name ? one.name === name : isDue(one)))
    for (const { run } of due) {
      while ((await run(db, new Date(nowMs), tenant.businessId)) > 0);
    }
    await app.deliverer.idle()
  }

  async function play(scripts: readonly Script[]): Promise<void> {
    const waiting = new Map<Script, number>()
    const goOn = async (script: Script) => {
      const { value, done } = await script.next()
      if (done) waiting.delete(script)
      else waiting.set(script, Math.max(value, nowMs))
    }
    for (const script of scripts) await goOn(script)
    while (waiting.size > 0) {
      const [next] = [...waiting].reduce((a, b) => (b[1] < a[1] ? b : a))
      nowMs = waiting.get(next)!
      await goOn(next)
    }
  }

  try {
    const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
    const { key, record } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { label: 'Demo data' }, at),
    )
    const api = new Tradepost({ key, baseUrl: url, mode: 'test' })
    const { publicUrl } = options
    const clock = { now: () => new Date(nowMs) }
    await work({ url, api, db, ids, publicUrl, tenant, simulator, clock, runJobs, play })
    await db.transaction((tx) => revokeKey(tx, ids, tenant, record.id, at))
  } finally {
    for (const job of app.jobs) job.stop?.()
    await app.server.close()
    await db.close()
  }
}

/** Allows for a busy disk, or for rendering images between two statements. */
const PATIENCE_MS = 60_000
const ATTEMPTS_MAX = 6

/**
 * Runs `work` in a single transaction on a single database connection, and commits at the end, so
 * that all of the work becomes visible at once or not at all. Inner transactions are savepoints.
 * They wait for one another, as in a pool with one connection.
 */
export async function inOneTransaction<T>(
  db: Database,
  work: (inside: Database) => Promise<T>,
): Promise<T> {
  const client = await db.connect()
  try {
    // The tables grow too fast for plans that are made only once.
    await client.query(`begin; set local statement_timeout = ${PATIENCE_MS};
      set local idle_in_transaction_session_timeout = ${PATIENCE_MS};
      set local plan_cache_mode = auto`)
    const result = await work(databaseIn(client, db))
    await client.query('commit')
    return result
  } finally {
    // The writers have changed the connection's settings. Closing it also rolls back uncommitted
    // work.
    client.release(true)
  }
}

function databaseIn(client: pg.PoolClient, { isDivided }: Database): Database {
  const run = (statement: Statement) => client.query(statement)
  const closers: (() => void)[] = []
  let last: Promise<unknown> = Promise.resolve()

  /** Runs one at a time, in order of arrival. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }

  async function inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    await client.query('savepoint inside')
    try {
      const result = await work()
      await client.query('release savepoint inside')
      return result
    } catch (error) {
      await client.query('rollback to savepoint inside; release savepoint inside')
      throw error
    }
  }

  async function attempt<T>(work: (tx: Tx) => Promise<T>, left = ATTEMPTS_MAX): Promise<T> {
    const effects: (() => void)[] = []
    const tx = {
      ...dbOn(run, { isDivided }),
      query: run,
      after: (effect: () => void) => effects.push(effect),
    }
    try {
      const result = await inSavepoint(() => work(tx))
      for (const effect of effects) effect()
      return result
    } catch (error) {
      if (!isRetryable(error) || left === 1) throw error
      return attempt(work, left - 1)
    }
  }

  const direct: Db = dbOn((statement) => inTurn(() => run(statement)), { isDivided })
  const connection = Object.assign(Object.create(client), {
    // A batch that fails is written again row by row.
    query: (statement: Statement | string) =>
      inTurn(() => inSavepoint(() => client.query(statement as Statement))),
    release: () => {},
  }) as pg.PoolClient
  const self: Database = {
    ...direct,
    reading: (work) => work(self),
    transaction: (work) => inTurn(() => attempt(work)),
    withClient: (work) => inTurn(() => work(client)),
    connect: async () => connection,
    beforeClose: (effect) => void closers.push(effect),
    stats: () => ({ total: 1, idle: 0, waiting: 0 }),
    connectionsMax: 1,
    isPooled: false,
    replan: () => {},
    generation: () => 0,
    wasFullWithin: () => false,
    failures: () => new Map(),
    async close() {
      for (const effect of closers) effect()
      await last
    },
  }
  return self
}
