import pg from 'pg'
import { printNumber } from './figures.ts'

/** The settings that `watchStatements` needs the cluster to start with. */
export const STATEMENT_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
}

export type Statements = Awaited<ReturnType<typeof watchStatements>>

/** Counts the executions of each statement and their time, except for the references' table. */
export async function watchStatements(superuser: pg.ClientConfig) {
  const client = new pg.Client({ ...superuser, statement_timeout: 0 })
  await client.connect()
  await client.query('create extension pg_stat_statements')
  return {
    reset: () => client.query('select pg_stat_statements_reset()'),
    /** Prints the most expensive statements since the last reset. */
    async print(count: number, requests: number): Promise<void> {
      const { rows } = await client.query(
        `select calls::float8, plans::float8, mean_plan_time, mean_exec_time,
           total_plan_time + total_exec_time as total,
           left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as query
         from pg_stat_statements where query not like '%bench_items%'
         order by total_plan_time + total_exec_time desc`,
      )
      const calls = rows.reduce((sum, row) => sum + row.calls, 0)
      const ms = rows.reduce((sum, row) => sum + row.total, 0)
      const [each, eachMs] = [calls / requests, ms / requests].map(printNumber)
      console.log(`  per request: ${each} statements of ${eachMs} ms in all`)
      for (const row of rows.slice(0, count)) {
        const { calls, plans, mean_plan_time, mean_exec_time, total, query } = row
        console.log(
          `  ${`${calls}`.padStart(8)} calls of ${mean_exec_time.toFixed(3)} ms, ` +
            `${plans} plans of ${mean_plan_time.toFixed(3)} ms, ${total.toFixed(0)} ms: ${query}`,
        )
      }
    },
    end: () => client.end(),
  }
}
