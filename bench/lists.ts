import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { type Figure, median, type Options, report } from './figures.ts'
import type { Filling } from './lists-filling.ts'
import { type Server, startServer } from './server.ts'

/** The row counts of the two shops that are compared. */
export const SMALL_ROWS = 1_000
const RUNS = 101
const WARM_UP_RUNS = 10
/** A query that takes longer is measured three times. */
const SLOW_MS = 1_000
const DAY_MS = 86_400_000

/** The day this many days ago, in the form of a list parameter: `2026-11-21`. */
export const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10)

export interface Shop extends Filling {
  key: string
  /**
   * Sends a request with the shop's key. Throws unless the status is 200, or 503 because the query
   * takes too long.
   */
  ask(path: string): Promise<{ ms: number; body: string }>
}

/** A list, or several, to be compared in a small and a large shop. */
export interface List {
  things: string
  path: string
  /** What follows the path, which can depend on the shop's data or an earlier response. */
  queries: Record<string, string | ((of: Shop) => string | Promise<string>)>
  exportPath?: string
  fill(client: pg.Client, filling: Filling): Promise<void>
  /** The table that search uses. */
  texts?: string
}

/**
 * Measures each query of a list in a shop with 1,000 rows and in one with `rows`, in one database.
 * Queries alternate between the shops, so that other load on the machine affects both equally.
 */
export async function measureList(list: List, { rows }: Options): Promise<Figure[]> {
  const server = await startServer({ settings: { fsync: 'off', synchronous_commit: 'off' } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const { small, large } = await openShops(server, agent, list, rows)
    const figures: Figure[] = []
    for (const name of Object.keys(list.queries)) {
      figures.push(...report([await compare(list, name, small, large)]))
    }
    if (list.exportPath)
      figures.push(...report(await measureExport(server, large, list.exportPath)))
    return figures
  } finally {
    agent.destroy()
    await server.stop()
  }
}

async function openShops(
  server: Server,
  agent: Agent,
  { things, fill, texts }: List,
  rows: number,
) {
  const owner = new pg.Client({ ...server.cluster.owner, statement_timeout: 0 })
  // If filling fails, the database stops before this connection ends.
  owner.on('error', () => {})
  await owner.connect()
  async function shop(rows: number, firstId: number): Promise<Shop> {
    const { keys, businessId } = await server.db.transaction((tx) =>
      createBusiness(tx, server, { name: `Shop of ${rows}`, now: new Date() }),
    )
    await fill(owner, { businessId, rows, firstId })
    const key = keys.testSecret
    const send = (path: string) => ask(server.port, agent, key, path)
    return { businessId, rows, firstId, key, ask: send }
  }

  console.log(`filling ${SMALL_ROWS} and ${rows} ${things} …`)
  // Filling a GIN index is ten times slower than creating it afterwards.
  const makeIndex = texts && (await dropIndex(owner, `${texts}_pieces`))
  const small = await shop(SMALL_ROWS, 100_000_000)
  const large = await shop(rows, 200_000_000)
  if (makeIndex) await owner.query(`set maintenance_work_mem = '512MB'; ${makeIndex}`)
  await owner.query('vacuum analyze')
  await owner.end()
  return { small, large }
}

/** Drops an index. Returns the statement that recreates it. */
async function dropIndex(owner: pg.Client, name: string): Promise<string> {
  const { rows } = await owner.query('select indexdef from pg_indexes where indexname = $1', [name])
  await owner.query(`drop index ${name}`)
  return rows[0].indexdef
}

function ask(
  port: number,
  agent: Agent,
  key: string,
  path: string,
): Promise<{ ms: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => (body += piece))
      response.on('end', () => {
        const ms = performance.now() - started
        const { statusCode } = response
        if (statusCode === 200 || (statusCode === 503 && ms > SLOW_MS)) resolve({ ms, body })
        else reject(new Error(`${response.statusCode} for ${path}: ${body}`))
      })
    }).on('error', reject)
  })
}

/** A search is judged by its time, every other query by its ratio, and totals not at all. */
async function compare(list: List, name: string, small: Shop, large: Shop): Promise<Figure> {
  const query = list.queries[name]!
  const pathOf = async (of: Shop) =>
    list.path + (typeof query === 'string' ? query : await query(of))
  const paths = [await pathOf(small), await pathOf(large)] as const
  const times: { small: number; large: number }[] = []
  const isSlow = (await large.ask(paths[1])).ms > SLOW_MS
  const [warmUpRuns, runs] = isSlow ? [0, 3] : [WARM_UP_RUNS, RUNS]
  for (let i = -warmUpRuns; i < runs; i++) {
    const a = await small.ask(paths[0])
    const b = await large.ask(paths[1])
    if (i >= 0) times.push({ small: a.ms, large: b.ms })
  }
  const smallMs = median(times.map((t) => t.small))
  const value = median(times.map((t) => t.large))
  const about = { goal: 8, what: `${list.things}: ${name}`, value, unit: ' ms' }
  if (name.startsWith('search')) return { ...about, atMost: 50 }
  const reference = { name: `${SMALL_ROWS} rows`, value: smallMs }
  const isJudged = !name.startsWith('totals')
  return { ...about, reference, ratio: value / smallMs, ...(isJudged && { atMost: 1.3 }) }
}

/** Measures how long the export of the large shop takes, and the server's memory meanwhile. */
async function measureExport(server: Server, large: Shop, path: string): Promise<Figure[]> {
  await server.resetPeak()
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    headers: { authorization: `Bearer ${large.key}` },
  })
  for await (const _piece of response.body!);
  const value = (performance.now() - started) / 1000
  const { peakMb } = await server.memory()
  const what = `export of ${large.rows} rows`
  return [
    { goal: 8, what, value, unit: ' s' },
    { goal: 9, what: `memory, ${what}`, value: peakMb, unit: ' MB', atMost: 300 },
  ]
}
