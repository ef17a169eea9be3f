import type pg from 'pg'
import { type Database, type Db, dbOn, type Statement, type Tx } from '../db/database.ts'
import { isRetryable } from '../db/failures.ts'

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
