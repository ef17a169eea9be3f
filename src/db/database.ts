import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Problem } from '../lib/problem.ts'
import { clientWith, KEEP_ALIVE } from './client.ts'
import { databaseDown, openConnections } from './connections.ts'
import {
  ConcurrentChange,
  isDiskFull,
  isLastOfConnection,
  isLostConnection,
  isRetryable,
  isUnavailable,
} from './failures.ts'
import { openHosts } from './hosts.ts'
import type { ReplicaState } from './replicas.ts'
import { DISTRIBUTED, inline, ONE_PLAN, PLAN_EACH_TIME, Sql } from './sql.ts'

/**
 * Runs queries, inside or outside a transaction. Each method is a template tag, named after the
 * number of rows it expects. If the statement returns another number, the method throws, because
 * that is a bug. A function that only reads takes a `Db`, as every `Tx` and `Database` is one.
 *
 * Columns named `*_minor` are returned as bigint, all other int8 columns (ids, counts and
 * sequences, which stay below 2^53) as numbers, and timestamptz as Date.
 */
export interface Db {
  one<Row>(text: TemplateStringsArray, ...args: unknown[]): Promise<Row>
  maybe<Row>(text: TemplateStringsArray, ...args: unknown[]): Promise<Row | undefined>
  many<Row>(text: TemplateStringsArray, ...args: unknown[]): Promise<Row[]>
  /** For statements that don't return rows; returns how many rows they changed. */
  run(text: TemplateStringsArray, ...args: unknown[]): Promise<number>
  /**
   * Runs `work`, which only reads and can run twice, on a replica that has everything committed so
   * far, if there is one, and otherwise on this. Inside a transaction, always on this.
   */
  reading<T>(work: (from: Db) => Promise<T>): Promise<T>
  /** Whether the tables are divided by business among machines (docs/scaling.md). */
  isDivided: boolean
}

/**
 * A transaction. Every function that writes takes one, so that its caller decides what commits
 * together. It never opens or commits one itself.
 */
export interface Tx extends Db {
  /** Runs a prepared `Statement`, for the few statements that a batch also runs. */
  query(statement: Statement): Promise<pg.QueryResult>
  /**
   * Calls `effect` after a commit, never after a rollback. The call is lost if the process ends
   * first, so use it only to wake jobs and invalidate caches. If it fails, the error is logged.
   */
  after(effect: () => void): void
}

/**
 * A pool of connections, which alone can open a transaction. Only functions that commit by
 * themselves take it: jobs, calls to a provider between two commits, and what starts a request.
 */
export interface Database extends Db {
  /**
   * Runs `work` in one transaction, and again after a serialisation failure, a deadlock or a
   * `ConcurrentChange`. `work` must therefore have no effect outside `tx`. `statementMs` is for
   * exports, whose statements can take longer than others.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { statementMs: number }): Promise<T>
  /** `waitMs` is how long to wait for a replica to catch up; by default only a moment. */
  reading: Reading
  /** The host, if this is a replica. */
  replica?: string
  /** How many times `reading` used each kind of server, and how the replicas are. */
  replicas?(): Promise<{
    served: { replica: number; primary: number }
    states: ReplicaState[]
  }>
  /** Runs `work` on a separate connection, for work that cannot share one (batches, cursors). */
  withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  /** Returns a connection that stays checked out until it is released. Batches keep one. */
  connect(): Promise<pg.PoolClient>
  /**
   * Registers a callback that runs before the pool ends, for example to return a kept connection.
   */
  beforeClose(effect: () => void): void
  stats(): { total: number; idle: number; waiting: number }
  /** How many statements have failed, by SQLSTATE; `none` if PostgreSQL did not respond. */
  failures(): ReadonlyMap<string, number>
  connectionsMax: number
  /** Whether a pooler can give each transaction and each other statement another session. */
  isPooled: boolean
  /** Makes every connection plan its statements again; see `planJob`. */
  replan(): void
  /** The number of calls to `replan`. */
  generation(): number
  /** Returns whether a write failed within the last `ms` milliseconds because the disk was full. */
  wasFullWithin(ms: number): boolean
  close(): Promise<void>
}

export type Reading = <T>(
  work: (from: Database) => Promise<T>,
  options?: { waitMs?: number },
) => Promise<T>

export interface Connection extends pg.ClientConfig {
  /** Whether Citus has divided the tables among machines (docs/scaling.md). */
  isDivided?: boolean
}

interface DatabaseOptions {
  connection: Connection
  connectionsMax: number
  /**
   * Whether the connections go through a pooler in transaction mode. The timeouts must then be
   * defaults of the role.
   */
  isPooled?: boolean
  /** Whether to use named prepared statements. Default: unless the connections are pooled. */
  prepare?: boolean | undefined
  /** How long to wait for a connection. Default: TIMEOUTS.connectMs. */
  connectMs?: number
  /** How long a statement waits for a lock. Default: TIMEOUTS.lockMs. */
  lockMs?: number
  /** Receives errors that nothing else reports, and what they are about. */
  onError?: (error: Error, what: string) => void
}

/** Bounds every wait, because PostgreSQL has no timeouts by default. */
export const TIMEOUTS = {
  connectMs: 2_000,
  lockMs: 2_000,
  statementMs: 10_000,
  idleInTransactionMs: 10_000,
} as const

/** The client waits longer than the server, so that the server gives up first. */
const waitFor = (statementMs: number): number => statementMs + 2_000

const ATTEMPTS_MAX = 6
const SQLSTATE = /^[0-9A-Z]{5}$/

/**
 * Opens a pool of connections. Transactions that fail with a retryable error run up to six times.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { isPooled = false, prepare = !isPooled, onError = () => {} } = options
  const { lockMs = TIMEOUTS.lockMs } = options
  const failures = new Map<string, number>()
  const countFailure = (error: unknown) => {
    const { code = '' } = error as { code?: string }
    const state = SQLSTATE.test(code) ? code : 'none'
    failures.set(state, (failures.get(state) ?? 0) + 1)
    if (isLastOfConnection(error)) void hosts?.find()
  }
  const { isDivided = false, ...connection } = options.connection
  const hosts = openHosts(connection)
  const connections = openConnections({
    ...connection,
    max: options.connectionsMax,
    application_name: 'tradepost',
    connectMs: options.connectMs ?? TIMEOUTS.connectMs,
    ...(!isPooled && {
      options: isDivided ? DISTRIBUTED : ONE_PLAN,
      statement_timeout: TIMEOUTS.statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: TIMEOUTS.idleInTransactionMs,
    }),
    Client: clientWith(waitFor(TIMEOUTS.statementMs), countFailure, { hosts, isDivided }),
    ...KEEP_ALIVE,
    idleTimeoutMillis: 30_000,
    onError(error) {
      void hosts?.find()
      onError(error, 'a database connection was lost')
    },
    onRefused: () => void hosts?.find(),
  })
  const forms = { prepare, isDivided }
  const closers: (() => void)[] = []
  let fullAt = Number.NEGATIVE_INFINITY

  const direct = dbOn(async (statement) => {
    const client = await connections.take()
    let broken = false
    try {
      return await client.query(statement)
    } catch (error) {
      broken = noteFailure(error)
      throw isLostConnection(error) && WRITES.test(statement.text) ? outcomeUnknown(error) : error
    } finally {
      client.release(broken)
    }
  }, forms)

  /** Records when the disk was full. Returns whether the connection is no longer usable. */
  function noteFailure(error: unknown): boolean {
    if (isDiskFull(error)) fullAt = performance.now()
    return isLastOfConnection(error)
  }

  async function transaction<T>(
    work: (tx: Tx) => Promise<T>,
    options?: { statementMs: number },
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(work, options?.statementMs)
      } catch (error) {
        if (!isRetryable(error)) throw error
        if (attempt >= ATTEMPTS_MAX) throw error instanceof ConcurrentChange ? error.cause : error
        await sleep(Math.random() * 10 * 2 ** attempt)
      }
    }
  }

  /** The transaction is committed, so an error here must not look as if it were not. */
  function runEffect(effect: () => void): void {
    try {
      effect()
    } catch (error) {
      onError(error as Error, 'an effect of a commit failed')
    }
  }

  async function attemptOnce<T>(work: (tx: Tx) => Promise<T>, statementMs?: number): Promise<T> {
    const client = await connections.take()
    const effects: (() => void)[] = []
    let broken = false
    // pg supports this option, but its types don't include it.
    const patience = statementMs && { query_timeout: waitFor(statementMs) }
    const run: Run = (statement) =>
      client.query(patience ? ({ ...statement, ...patience } as Statement) : statement)
    try {
      await client.query('begin')
      // The machines do not know the limit of the connection.
      if (isDivided) await client.query(`set local lock_timeout = ${lockMs}`)
      if (statementMs) await client.query(`set local statement_timeout = ${statementMs}`)
      const result = await work({
        ...dbOn(run, forms),
        query: run,
        after: (effect) => effects.push(effect),
      })
      await commit(client)
      for (const effect of effects) runEffect(effect)
      return result
    } catch (error) {
      broken = noteFailure(error) || !(await isRolledBack(client))
      throw isUnavailable(error) ? databaseDown(error) : error
    } finally {
      client.release(broken)
    }
  }

  const self: Database = {
    ...direct,
    reading: (work) => work(self),
    transaction,
    async withClient(work) {
      const client = await connections.take()
      let broken = false
      try {
        return await work(client)
      } catch (error) {
        broken = noteFailure(error)
        throw error
      } finally {
        client.release(broken)
      }
    },
    connect: connections.take,
    stats: connections.stats,
    failures: () => failures,
    connectionsMax: options.connectionsMax,
    isPooled,
    replan: connections.replan,
    generation: connections.generation,
    wasFullWithin: (ms) => performance.now() - fullAt < ms,
    beforeClose: (effect) => void closers.push(effect),
    close() {
      for (const effect of closers) effect()
      return connections.close()
    },
  }
  return self
}

/**
 * If the response to a commit is lost, the commit may have taken effect. This therefore doesn't
 * throw a 503, which would claim that nothing was done. Repeating the request with the same
 * Idempotency-Key returns the outcome.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  try {
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error(`The transaction was rolled back (${command})`)
  } catch (error) {
    throw isLostConnection(error) ? outcomeUnknown(error) : error
  }
}

/** Matches statements that write. Reads can contain `for update`, which doesn't match. */
const WRITES =
  /\b(insert\s+into|update\s+(?!of\b|skip\b|nowait\b)\w+\s|delete\s+from|merge\s+into)/i

function outcomeUnknown(cause: unknown): Problem {
  const message = 'The connection was lost while saving; the outcome is unknown.'
  return new Problem('internal', 'outcome_unknown', message, { cause })
}

async function isRolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}

/** A query with its encoded values and the name for its prepared statement. */
export interface Statement {
  name?: string
  text: string
  values: unknown[]
}
type Run = (query: Statement) => Promise<pg.QueryResult>

interface Forms {
  /** Whether to use named prepared statements. */
  prepare?: boolean
  isDivided?: boolean
}

/** Builds the template tags on top of a function that runs one query. */
export function dbOn(run: Run, { prepare = true, isDivided = false }: Forms = {}): Db {
  async function query(strings: TemplateStringsArray, args: unknown[]) {
    const { text, name, values } = new Sql(strings, args).compile()
    try {
      if (!isDivided && text.startsWith(PLANNED_EACH_TIME))
        return await run({ text: inline(text, values), values: [] })
      return await run(prepare ? { name, text, values } : { text, values })
    } catch (error) {
      // Makes the stack trace point to the statement instead of the socket.
      Error.captureStackTrace(error as Error)
      throw isUnavailable(error) ? databaseDown(error) : error
    }
  }

  async function rows<Row>(
    strings: TemplateStringsArray,
    args: unknown[],
    least: number,
    most: number,
  ): Promise<Row[]> {
    const { rows: found } = await query(strings, args)
    if (found.length < least || found.length > most) {
      throw new Error(`${found.length} rows came back of: ${strings.join('?').slice(0, 200)}`)
    }
    return found as Row[]
  }

  const self: Db = {
    one: async <Row>(strings: TemplateStringsArray, ...args: unknown[]) =>
      (await rows<Row>(strings, args, 1, 1))[0]!,
    maybe: async <Row>(strings: TemplateStringsArray, ...args: unknown[]) =>
      (await rows<Row>(strings, args, 0, 1))[0],
    many: (strings, ...args) => rows(strings, args, 0, Number.POSITIVE_INFINITY),
    run: async (strings, ...args) => (await query(strings, args)).rowCount ?? 0,
    reading: (work) => work(self),
    isDivided,
  }
  return self
}

const PLANNED_EACH_TIME = PLAN_EACH_TIME.strings[0]!
