import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/resources/businesses/create.ts'
import { fillInvoices, IDS_EACH } from './lists-data.ts'
import { startBenchServer } from './server.ts'

/**
 * The list of invoices by the real route, at 1,000 and at 1,000,000 rows in one database. Both are
 * asked in turns, so that whatever else the machine does meets both alike.
 */
const SMALL = 1_000
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = Number(process.env.BENCH_RUNS ?? 101)
const PATH = '/api/payment-service/external/v1/invoices'

const server = await startBenchServer({ fsync: 'off', synchronous_commit: 'off' })
const owner = server.cluster.owner

async function shop(rows: number, firstId: number) {
  const { keys, businessId } = await server.db.transaction((tx) =>
    createBusiness(tx, server.ids, { name: `Shop of ${rows}`, now: new Date() }),
  )
  await fillInvoices(owner, { businessId, rows, firstId })
  return { key: keys.testSecret, firstId, rows }
}

async function asOwner(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...owner, statement_timeout: 0 })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

console.log(`filling ${SMALL} and ${LARGE} invoices …`)
const began = performance.now()
// A GIN index is filled a tenth as fast as it is made afterwards.
await asOwner('drop index invoice_texts_pieces')
const small = await shop(SMALL, 10_000_000)
const large = await shop(LARGE, 20_000_000)
await asOwner(`set maintenance_work_mem = '512MB';
  create index invoice_texts_pieces on invoice_texts using gin (pieces)`)
await asOwner('vacuum analyze')
console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)
const sizes = await asOwner(`
  select relname, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
  where relname like 'invoice%' and relkind in ('r', 'i') order by pg_relation_size(oid) desc`)
for (const { relname, size } of sizes.rows) console.log(`  ${relname.padEnd(36)} ${size}`)

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Milliseconds of one answer. */
function ask(path: string, key: string): Promise<{ ms: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port: server.port, path, agent, headers }, (answer) => {
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

const DAY_MS = 86_400_000
const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10)
const someMonth = `startDate=${day(400)}&endDate=${day(370)}`

type Shop = typeof small

/**
 * A month of the small shop, and of a larger one the time in which it makes as many invoices: the
 * same month has a thousand times as many of them, and each that matches is counted, up to 10,000.
 */
function asMany({ rows }: Shop): string {
  const start = Date.parse(day(400))
  const end = start + (31 * DAY_MS * SMALL) / rows
  return `startDate=${new Date(start).toISOString()}&endDate=${new Date(end).toISOString()}`
}

const QUERIES: Record<string, string | ((of: Shop) => string)> = {
  'page 1': '',
  'page 1, oldest first': 'sort=ASC',
  'page 2': 'page=2',
  'page 40': 'page=40',
  'one row': 'limit=1',
  'status Draft': 'status=Draft',
  'status Sent': 'status=Sent',
  'status PartiallyPaid': 'status=PartiallyPaid',
  'status Paid': 'status=Paid',
  'status Void': 'status=Void',
  'status Overdue': 'status=Overdue',
  'Overdue, oldest first': 'status=Overdue&sort=ASC',
  'a month': someMonth,
  'a month, Sent': `${someMonth}&status=Sent`,
  'a month, Overdue': `${someMonth}&status=Overdue`,
  'a month, Draft': `${someMonth}&status=Draft`,
  'as many': asMany,
  'as many, Sent': (of) => `${asMany(of)}&status=Sent`,
  'as many, Overdue': (of) => `${asMany(of)}&status=Overdue`,
  'as many, Draft': (of) => `${asMany(of)}&status=Draft`,
  'search id': ({ firstId }) => `search=${firstId + 500 * IDS_EACH}`,
  'search number': ({ firstId }) => `search=INV-${firstId + 500 * IDS_EACH}`,
  'search nothing has': 'search=xylophone',
  'search whole name': 'search=Ngozi%20Okafor',
  'search last name': 'search=okafor',
  'search part of a name': 'search=dani',
  'search whole e-mail': 'search=ada.okeke4444%40gmail.com',
  'search e-mail domain': 'search=gmail',
  'search two letters': 'search=ad',
  'search two rare letters': 'search=qq',
  'search one letter': 'search=z',
  'search last name, Void': 'search=okafor&status=Void',
  'search last name, Overdue': 'search=okafor&status=Overdue',
  'search domain, Void': 'search=gmail&status=Void',
  'search domain, Sent': 'search=gmail&status=Sent',
}

console.log(`\nmedians of ${RUNS} answers, ms\n`)
console.log(`${''.padEnd(26)} ${`${SMALL}`.padStart(9)} ${`${LARGE}`.padStart(9)}  ratio   totals`)
const only = new RegExp(process.env.BENCH_ONLY ?? '')
for (const [name, query] of Object.entries(QUERIES).filter(([name]) => only.test(name))) {
  const path = (of: Shop) => `${PATH}?${typeof query === 'string' ? query : query(of)}`
  const times = { small: [] as number[], large: [] as number[] }
  let totals = ''
  for (let i = -10; i < RUNS; i++) {
    const a = await ask(path(small), small.key)
    const b = await ask(path(large), large.key)
    if (i < 0)
      totals = [a, b].map((one) => `${JSON.parse(one.body).meta.total}`.padStart(6)).join('')
    else times.small.push(a.ms) && times.large.push(b.ms)
  }
  const [s, l] = [median(times.small), median(times.large)]
  const cells = [s.toFixed(2).padStart(9), l.toFixed(2).padStart(9), (l / s).toFixed(2).padStart(6)]
  console.log(`${name.padEnd(26)} ${cells.join(' ')}  ${totals}`)
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
