import pg from 'pg'
import { timeLimit } from '../lib/time-limit.ts'
import { timed } from '../tracing/tracing.ts'
import type { Statement } from './database.ts'
import { forOneMachine } from './distributed/rewrite.ts'
import { restoreFailure } from './failures.ts'
import type { Hosts } from './hosts.ts'
import { rowReader } from './rows.ts'
import { inline } from './sql.ts'

/**
 * For connections on which a statement can take as long as it needs. If the other machine has
 * vanished, only these probes notice it.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }

type Settle = (error: Error | null, result: pg.QueryResult) => void
interface RowDescription {
  fields: pg.FieldDef[]
}

/**
 * A query object, which pg accepts in place of a configuration. pg's types omit most of it: the
 * name, the callback, and how it handles the server's messages.
 */
const PgQuery = pg.Query as unknown as new (
  text: string,
  values: unknown[] | undefined,
  settle: Settle,
) => pg.Submittable & {
  name: string | undefined
  query_timeout?: number | undefined
  _result: pg.QueryResult & { parseRow: ReturnType<typeof rowReader> }
  _accumulateRows: boolean
  _checkForMultirow(): void
}

class Query extends PgQuery {
  /** Instead of pg's own, which looks for the parser of each column every time. */
  handleRowDescription({ fields }: RowDescription): void {
    this._checkForMultirow()
    this._accumulateRows = true
    this._result.fields = fields
    this._result.parseRow = rowReader(fields)
  }
}

const submit = pg.Client.prototype.query as unknown as (this: pg.Client, query: Query) => void

interface Config extends Omit<Statement, 'values'> {
  values?: unknown[]
  query_timeout?: number
}

/** Citus cannot plan some of these with parameters. */
const COPIES_ROWS = /\binsert\s+into\b[\s\S]*\bselect\b|\bselect\b[\s\S]*\binsert\s+into\b/i

/**
 * Returns a client class that reads rows as `Db` describes, and waits at most `waitMs` for each
 * statement, if given: pg's own limit starts a timer for each one. Calls `onFailure` for each
 * statement that fails. With several hosts, connects to the last known primary. If the tables are
 * divided among machines, names the business for each table where it is known.
 */
export function clientWith(
  waitMs: number | undefined,
  onFailure: (error: unknown) => void,
  { hosts, isDivided = false }: { hosts?: Hosts | undefined; isDivided?: boolean } = {},
): typeof pg.Client {
  const watch = waitMs === undefined ? () => () => {} : timeLimit(waitMs)

  function run(client: pg.Client, { name, text, values, query_timeout }: Config) {
    const send = () =>
      new Promise<pg.QueryResult>((resolve, reject) => {
        const fail = (error: Error) => {
          if (isDivided) restoreFailure(error)
          onFailure(error)
          reject(error)
        }
        // pg itself watches a statement that has its own limit.
        const late = () => fail(new Error('Query read timeout'))
        const ended = query_timeout ? undefined : watch(late)
        const query = new Query(text, values, (error, result) => {
          ended?.()
          if (error) fail(error)
          else resolve(result)
        })
        query.name = name
        query.query_timeout = query_timeout
        submit.call(client, query)
      })
    return timed(text, send)
  }

  function forMachines(config: Statement): Statement {
    const { name, text, values } = forOneMachine(config)
    if (!COPIES_ROWS.test(text)) return { ...config, text, values, ...(name && { name }) }
    const { name: _, ...rest } = config
    return { ...rest, text: inline(text, values), values: [] }
  }

  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super(hosts ? { ...config, connectionString: hosts.primary() } : config)
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg declares many forms
    override query(...args: any[]): any {
      let [config] = args
      if (args.length > 1 || config.submit) return super.query(...(args as [string]))
      if (isDivided && config.values) config = forMachines(config)
      return run(this, typeof config === 'string' ? { text: config } : config)
    }
  }
}
