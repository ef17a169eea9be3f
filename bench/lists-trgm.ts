import pg from 'pg'
import { throwAwayCluster } from './cluster.ts'
import { DOMAINS, FIRST, LAST, pick } from './lists-data.ts'

/**
 * Measures what searching lists would cost with `pg_trgm`: docs/decisions/0063-one-list-engine.md.
 */
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = 5
const MORE = 20_000
const TEXTS = ['xylophone', 'ngozi okafor', 'okafor', 'okeke4444', 'gmail', 'ad', 'qq', 'z']

const cluster = await throwAwayCluster({ fsync: 'off', synchronous_commit: 'off' })
const client = new pg.Client({ ...cluster.owner, statement_timeout: 0 })
await client.connect()

/** The median, in ms. */
async function time(what: string, statement: string, runs = RUNS): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < runs; i++) {
    const began = performance.now()
    await client.query(statement)
    times.push(performance.now() - began)
  }
  const median = times.toSorted((a, b) => a - b)[runs >> 1]!
  console.log(`${what.padEnd(44)} ${median.toFixed(1).padStart(9)}`)
}

const insert = (from: number, rows: number) => `
  insert into names
  select n, now() - interval '1 minute' * (${ROWS} - n),
    lower(first || ' ' || last || e'\\n' || first || '.' || last || n * 31 % 9973 || '@')
      || ${pick(DOMAINS, 'n * 13 / 7')}
  from (
    select n, ${pick(FIRST, 'n * 7919 % 10007')} as first,
      ${pick(LAST, 'n * 104729 % 10009')} as last
    from generate_series(${from}::bigint, ${from + rows - 1}) n
  ) described`

await client.query('create extension pg_trgm')
await client.query('create table names (id bigint primary key, created_at timestamptz, text text)')
await client.query(insert(1, ROWS))
await client.query('create index on names (created_at desc, id desc)')
await time(`insert ${MORE} without the index`, insert(ROWS + 1, MORE), 1)
await time('make the index', 'create index on names using gin (text gin_trgm_ops)', 1)
await client.query('vacuum analyze names')
for (const text of TEXTS) {
  const found = `from names where text like '%${text}%'`
  await time(`${text}: total`, `select count(*) from (select ${found} limit 10001) found`)
  await time(`${text}: page`, `select * ${found} order by created_at desc, id desc limit 21`)
}
await time(`insert ${MORE} with the index`, insert(ROWS + MORE + 1, MORE), 1)

await client.end()
await cluster.stop()
