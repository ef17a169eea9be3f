import pg from 'pg'
import { timeLimit } from '../lib/time-limit.ts'
import type { Statement } from './database.ts'
import type { Hosts } from './hosts.ts'

/**
 * A query object, which pg accepts in place of a configuration. pg's types omit `name` and the
 * callback.
 */
type Query = pg.Submittable & { name: string | undefined }
type Settle = (error: Error | null, result: pg.QueryResult) => void
const Query = pg.Query as unknown as new (
  text: string,
  values: unknown[] | undefined,
  settle: Settle,
) => Query

const submit = pg.Client.prototype.query as unknown as (this: pg.Client, query: Query) => void

/**
 * Returns a client class that waits at most `waitMs` for each statement. pg's own limit starts a
 * timer and copies the statement's properties for each one. Calls `onFailure` for each statement
 * that fails. With several hosts, connects to the last known primary.
 */
export function clientWith(
  waitMs: number,
  onFailure: (error: unknown) => void,
  hosts?: Hosts,
): typeof pg.Client {
  const watch = timeLimit(waitMs)

  function run(
    client: pg.Client,
    { name, text, values }: Omit<Statement, 'values'> & { values?: unknown[] },
  ) {
    return new Promise<pg.QueryResult>((resolve, reject) => {
      const fail = (error: Error) => {
        onFailure(error)
        reject(error)
      }
      const ended = watch(() => fail(new Error('Query read timeout')))
      const query = new Query(text, values, (error, result) => {
        ended()
        if (error) fail(error)
        else resolve(result)
      })
      query.name = name
      submit.call(client, query)
    })
  }

  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super(hosts ? { ...config, connectionString: hosts.primary() } : config)
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg declares many forms
    override query(...args: any[]): any {
      const [config] = args
      if (args.length > 1 || config.submit || config.query_timeout) {
        return super.query(...(args as [string]))
      }
      return run(this, typeof config === 'string' ? { text: config } : config)
    }
  }
}
