import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { startBenchServer } from './server.ts'

/** The row counts of the two shops that the list benchmarks compare. */
export const SMALL_ROWS = 1_000
const LARGE_ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = Number(process.env.BENCH_RUNS ?? 101)
/** Set before the measurements. */
const WARM_UP_RUNS = 10
/** Only runs queries whose names match. Runs all of them if absent. */
const ONLY = new RegExp(process.env.BENCH_ONLY ?? '')

const DAY_MS = 86_400_000

/** The day this many days ago, in the form of a list parameter: `2026-11-21`. */
export const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10)

/** What a benchmark puts into a shop. */
export interface Filling {
  businessId: number
  rows: number
  /** The first free id. */
  firstId: number
}

export interface Shop extends Filling {
  key: string
}

/** The query string of a list, which can depend on the shop's data or an earlier response. */
export type Query = string | ((of: Shop) => string | Promise<string>)

interface Filled {
  /** The name shown: `products`. */
  things: string
  fill(client: pg.Client, filling: Filling): Promise<void>
  /** The table that search uses. */
  texts?: string
}

export type Shops = Awaited<ReturnType<typeof openShops>>

/** A server with a small and a large shop in one database. */
export async function openShops({ things, fill, texts }: Filled) {
  const server = await startBenchServer({ fsync: 'off', synchronous_commit: 'off' })
  const owner = new pg.Client({ ...server.cluster.owner, statement_timeout: 0 })
  await owner.connect()

  async function shop(rows: number, firstId: number): Promise<Shop> {
    const { keys, businessId } = await server.db.transaction((tx) =>
      createBusiness(tx, server.ids, { name: `Shop of ${rows}`, now: new Date() }),
    )
    await fill(owner, { businessId, rows, firstId })
    return { key: keys.testSecret, businessId, rows, firstId }
  }

  console.log(`filling ${SMALL_ROWS} and ${LARGE_ROWS} ${things} …`)
  const began = performance.now()
  // Filling a GIN index is ten times slower than creating it afterwards.
  const makeIndex = texts && (await dropIndex(owner, `${texts}_pieces`))
  const small = await shop(SMALL_ROWS, 100_000_000)
  const large = await shop(LARGE_ROWS, 200_000_000)
  if (makeIndex) await owner.query(`set maintenance_work_mem = '512MB'; ${makeIndex}`)
  await owner.query('vacuum analyze')
  console.log(`filled in ${secondsSince(began, 0)} s`)

  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  async function close(): Promise<void> {
    agent.destroy()
    await owner.end()
    await server.stop()
  }
  return { port: server.port, owner, agent, small, large, close }
}

/** Drops an index. Returns the statement that recreates it. */
async function dropIndex(owner: pg.Client, name: string): Promise<string> {
  const { rows } = await owner.query('select indexdef from pg_indexes where indexname = $1', [name])
  await owner.query(`drop index ${name}`)
  return rows[0].indexdef
}

/** Prints the sizes of the tables and indexes whose names have this prefix. */
export async function printSizes({ owner }: Shops, beginning: string): Promise<void> {
  const { rows } = await owner.query(
    `select relname, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
     where relname like $1 and relkind in ('r', 'i') and pg_relation_size(oid) > 100000
     order by pg_relation_size(oid) desc`,
    [`${beginning}%`],
  )
  for (const { relname, size } of rows) console.log(`  ${relname.padEnd(44)} ${size}`)
}

/**
 * Prints the median of both shops and their ratio for each query. Queries alternate between the
 * shops, so that other load on the machine affects both equally. `count` is the number of rows that
 * a response covers.
 */
export async function compare(
  shops: Shops,
  queries: Record<string, Query>,
  { path = '', counted, count }: { path?: string; counted: string; count(body: string): number },
): Promise<void> {
  const { small, large } = shops
  console.log(`\nmedians of ${RUNS} responses, ms\n`)
  console.log(row('', [`${SMALL_ROWS}`, `${LARGE_ROWS}`, 'ratio'], `  ${counted}`))
  for (const [name, query] of Object.entries(queries).filter(([name]) => ONLY.test(name))) {
    const pathOf = async (of: Shop) => path + (typeof query === 'string' ? query : await query(of))
    const paths = { small: await pathOf(small), large: await pathOf(large) }
    const times = { small: [] as number[], large: [] as number[] }
    let counts = ''
    for (let i = -WARM_UP_RUNS; i < RUNS; i++) {
      const a = await ask(shops, small, paths.small)
      const b = await ask(shops, large, paths.large)
      if (i < 0) counts = [a, b].map(({ body }) => `${count(body)}`.padStart(7)).join('')
      else times.small.push(a.ms) && times.large.push(b.ms)
    }
    const [s, l] = [median(times.small), median(times.large)]
    console.log(row(name, [s.toFixed(2), l.toFixed(2), (l / s).toFixed(2)], counts))
  }
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!

const row = (name: string, [small, large, ratio]: [string, string, string], counts: string) =>
  `${name.padEnd(26)} ${small.padStart(9)} ${large.padStart(9)} ${ratio.padStart(6)}  ${counts}`

/** Times one request in milliseconds. Throws unless the status is 200. */
export function ask(
  { port, agent }: Shops,
  { key }: Shop,
  path: string,
): Promise<{ ms: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port, path, agent, headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece) => (body += piece))
      answer.on('end', () => {
        if (answer.statusCode !== 200)
          reject(new Error(`${answer.statusCode} for ${path}: ${body}`))
        else resolve({ ms: performance.now() - started, body })
      })
    }).on('error', reject)
  })
}

/** Prints how fast the large shop is exported, and the peak in additional memory. */
export async function measureExport({ port, large }: Shops, path: string): Promise<void> {
  const before = process.memoryUsage().rss
  let [bytes, most] = [0, before]
  const started = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${large.key}` },
  })
  for await (const piece of answer.body!) {
    bytes += piece.length
    most = Math.max(most, process.memoryUsage().rss)
  }
  const [sent, more] = [bytes, most - before].map((count) => `${(count / 1e6).toFixed(0)} MB`)
  console.log(`\nexport of ${large.rows}: ${secondsSince(started, 1)} s, ${sent}, memory + ${more}`)
}

const secondsSince = (began: number, digits: number) =>
  ((performance.now() - began) / 1000).toFixed(digits)
