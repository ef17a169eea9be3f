import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/resources/businesses/create.ts'
import { fillTransactions } from './lists-transactions-data.ts'
import { startBenchServer } from './server.ts'

/**
 * The list of transactions by the real route, at 1,000 and at 1,000,000 rows in one database. Both
 * are asked in turns, so that whatever else the machine does meets both alike.
 */
const SMALL = 1_000
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = Number(process.env.BENCH_RUNS ?? 101)
const PATH = '/api/transaction-service/external/v1/transactions'
const DAY_MS = 86_400_000

const server = await startBenchServer({ fsync: 'off', synchronous_commit: 'off' })
const owner = server.cluster.owner

async function shop(rows: number, firstId: number) {
  const { keys, businessId } = await server.db.transaction((tx) =>
    createBusiness(tx, server.ids, { name: `Shop of ${rows}`, now: new Date() }),
  )
  await fillTransactions(owner, { businessId, rows, firstId })
  return { key: keys.testSecret, firstId, rows }
}
type Shop = Awaited<ReturnType<typeof shop>>

async function asOwner(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...owner, statement_timeout: 0 })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

console.log(`filling ${SMALL} and ${LARGE} transactions …`)
const began = performance.now()
// A GIN index is filled a tenth as fast as it is made afterwards.
await asOwner('drop index transaction_texts_pieces')
const small = await shop(SMALL, 10_000_000)
const large = await shop(LARGE, 20_000_000)
await asOwner(`set maintenance_work_mem = '512MB';
  create index transaction_texts_pieces on transaction_texts using gin (pieces)`)
await asOwner('vacuum analyze')
console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)
const sizes = await asOwner(`
  select relname, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
  where relname like 'transaction%' and relkind in ('r', 'i') and pg_relation_size(oid) > 100000
  order by pg_relation_size(oid) desc`)
for (const { relname, size } of sizes.rows) console.log(`  ${relname.padEnd(44)} ${size}`)

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Milliseconds of one answer. */
function ask(path: string, { key }: Shop): Promise<{ ms: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port: server.port, path: PATH + path, agent, headers }, (answer) => {
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

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!
const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10)
// So long that the small shop fills its pages too.
const someYear = `startDate=${day(400)}&endDate=${day(35)}&limit=10`

type Query = string | ((of: Shop) => string | Promise<string>)

/** The page so many pages on. */
const onward = (filter: string, pages: number) => async (of: Shop) => {
  let query = `?${filter}`
  for (let i = 0; i < pages; i++) {
    const { next } = JSON.parse((await ask(query, of)).body).meta
    query = `?${filter}&cursor=${next}`
  }
  return query
}

/** The page before the tenth. */
const backward = async (of: Shop) => {
  const { previous } = JSON.parse((await ask(await onward('', 9)(of), of)).body).meta
  return `?cursor=${previous}`
}

const QUERIES: Record<string, Query> = {
  'page 1': '',
  'page 20': onward('', 19),
  'back to page 9': backward,
  'one row': '?limit=1',
  '100 rows': '?limit=100',
  'status Successful': '?status=Successful',
  'status Pending': '?status=Pending',
  'status Refunded': '?status=Refunded',
  'status Failed, page 3': onward('status=Failed', 2),
  'channel USSD': '?channel=USSD',
  'channel OFFLINE': '?channel=OFFLINE',
  'channel USSD, page 5': onward('channel=USSD', 4),
  'Successful by USSD': '?status=Successful&channel=USSD',
  'Failed by transfer': '?status=Failed&channel=BANK_TRANSFER',
  'a year': `?${someYear}`,
  'a year, Successful': `?${someYear}&status=Successful`,
  'a year, Failed': `?${someYear}&status=Failed`,
  'a year, USSD': `?${someYear}&channel=USSD`,
  'a year, USSD, Failed': `?${someYear}&channel=USSD&status=Failed`,
  'old, Failed': `?endDate=${day(600)}&status=Failed`,
  reference: '?reference=TRX_500',
  'search id': ({ firstId }) => `?search=${firstId + 500}`,
  'search reference': '?search=TRX_500',
  'search nothing has': '?search=xylophone',
  'search whole name': '?search=Ngozi%20Okafor',
  'search last name': '?search=okafor',
  'search part of a name': '?search=dani',
  'search whole e-mail': '?search=ada.okeke4444%40gmail.com',
  'search e-mail domain': '?search=gmail',
  'search domain, page 3': onward('search=gmail', 2),
  'search two letters': '?search=ad',
  'search two rare letters': '?search=qq',
  'search one letter': '?search=z',
  'search last name, Failed': '?search=okafor&status=Failed',
  'search name, Refunded': '?search=Ngozi%20Okafor&status=Refunded',
  'search last name, OFFLINE': '?search=okafor&channel=OFFLINE',
  'search domain, Pending': '?search=gmail&status=Pending',
  'search last name, a year': `?search=okafor&${someYear}`,
  'totals of 30 days': '/totals',
  'totals of a year': `/totals?startDate=${day(365)}`,
}

console.log(`\nmedians of ${RUNS} answers, ms\n`)
console.log(`${''.padEnd(26)} ${`${SMALL}`.padStart(9)} ${`${LARGE}`.padStart(9)}  ratio   rows`)
for (const [name, query] of Object.entries(QUERIES)) {
  const pathOf = async (of: Shop) => (typeof query === 'string' ? query : await query(of))
  const paths = { small: await pathOf(small), large: await pathOf(large) }
  const times = { small: [] as number[], large: [] as number[] }
  let rows = ''
  for (let i = -10; i < RUNS; i++) {
    const a = await ask(paths.small, small)
    const b = await ask(paths.large, large)
    if (i < 0) rows = [a, b].map(({ body }) => countOf(JSON.parse(body))).join('')
    else times.small.push(a.ms) && times.large.push(b.ms)
  }
  const [s, l] = [median(times.small), median(times.large)]
  const cells = [s.toFixed(2).padStart(9), l.toFixed(2).padStart(9), (l / s).toFixed(2).padStart(6)]
  console.log(`${name.padEnd(26)} ${cells.join(' ')}  ${rows}`)
}

function countOf({ data }: { data: unknown[] | { count: number } }): string {
  return `${Array.isArray(data) ? data.length : data.count}`.padStart(7)
}

agent.destroy()
await exportAll()
await server.stop()

/** The whole export of the large shop: how fast, and with how much more memory at most. */
async function exportAll(): Promise<void> {
  const before = process.memoryUsage().rss
  let [bytes, most] = [0, before]
  const started = performance.now()
  const answer = await fetch(`http://127.0.0.1:${server.port}${PATH}/export`, {
    headers: { authorization: `Bearer ${large.key}` },
  })
  for await (const piece of answer.body!) {
    bytes += piece.length
    most = Math.max(most, process.memoryUsage().rss)
  }
  const seconds = (performance.now() - started) / 1000
  const mega = (count: number) => `${(count / 1e6).toFixed(0)} MB`
  console.log(
    `\nexport of ${LARGE}: ${seconds.toFixed(1)} s, ${mega(bytes)}, memory + ${mega(most - before)}`,
  )
}
