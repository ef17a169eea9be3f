import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { startBenchServer } from './server.ts'

/** How many rows of a kind the two shops have that a bench of lists compares. */
export const SMALL_ROWS = 1_000
const LARGE_ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = Number(process.env.BENCH_RUNS ?? 101)
/** Asked before anything is measured. */
const WARM_UP_RUNS = 10
/** The queries whose names match; all of them without it. */
const ONLY = new RegExp(process.env.BENCH_ONLY ?? '')

const DAY_MS = 86_400_000

/** The day so many days ago, as lists are asked for it: `2026-11-21`. */
export const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10)

/** What a shop is filled with. */
export interface Filling {
  businessId: number
  rows: number
  /** Ids from here on are free. */
  firstId: number
}

export interface Shop extends Filling {
  key: string
}

/** What stands behind the path of a list, if need be by what a shop has or answers before. */
export type Query = string | ((of: Shop) => string | Promise<string>)

interface Filled {
  /** For people: `products`. */
  things: string
  fill(client: pg.Client, filling: Filling): Promise<void>
  /** The table of what they are searched by. */
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
  // A GIN index is filled a tenth as fast as it is made afterwards.
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

/** Answers the statement that makes it again. */
async function dropIndex(owner: pg.Client, name: string): Promise<string> {
  const { rows } = await owner.query('select indexdef from pg_indexes where indexname = $1', [name])
  await owner.query(`drop index ${name}`)
  return rows[0].indexdef
}

/** Prints how large tables and indexes are whose names begin so. */
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
 * Prints of each query the median of both shops and their ratio. They are asked in turns, so that
 * whatever else the machine does meets both alike. `count` says how many rows an answer is about.
 */
export async function compare(
  shops: Shops,
  queries: Record<string, Query>,
  { path = '', counted, count }: { path?: string; counted: string; count(body: string): number },
): Promise<void> {
  const { small, large } = shops
  console.log(`\nmedians of ${RUNS} answers, ms\n`)
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

/** One answer, and how many milliseconds it took. Throws for any but a 200. */
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

/** Prints how fast the large shop is exported, and with how much more memory at most. */
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
