import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/resources/businesses/create.ts'
import { fillProducts } from './lists-products-data.ts'
import { startBenchServer } from './server.ts'

/**
 * The list of products by the real route, at 1,000 and at 1,000,000 rows in one database. Both are
 * asked in turns, so that whatever else the machine does meets both alike.
 */
const SMALL = 1_000
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = Number(process.env.BENCH_RUNS ?? 101)
const PATH = '/api/payment-service/external/v1/products/get-products'

const server = await startBenchServer({ fsync: 'off', synchronous_commit: 'off' })
const owner = server.cluster.owner

async function shop(rows: number, firstId: number) {
  const { keys, businessId } = await server.db.transaction((tx) =>
    createBusiness(tx, server.ids, { name: `Shop of ${rows}`, now: new Date() }),
  )
  await fillProducts(owner, { businessId, rows, firstId })
  return { key: keys.testSecret }
}
type Shop = Awaited<ReturnType<typeof shop>>

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client({ ...owner, statement_timeout: 0 })
  await client.connect()
  await client.query(statement)
  await client.end()
}

console.log(`filling ${SMALL} and ${LARGE} products …`)
const began = performance.now()
// A GIN index is filled a tenth as fast as it is made afterwards.
await asOwner('drop index search_texts_pieces')
const small = await shop(SMALL, 10_000_000)
const large = await shop(LARGE, 20_000_000)
await asOwner(`set maintenance_work_mem = '512MB';
  create index search_texts_pieces on search_texts using gin (pieces) with (fastupdate = off)`)
await asOwner('vacuum analyze')
console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Milliseconds of one answer. */
function ask(path: string, { key }: Shop): Promise<{ ms: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port: server.port, path: PATH + path, agent, headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece) => {
        body += piece
      })
      answer.on('end', () => {
        if (answer.statusCode !== 200) {
          reject(new Error(`${answer.statusCode} for ${path}: ${body}`))
        } else resolve({ ms: performance.now() - started, body })
      })
    }).on('error', reject)
  })
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!

const QUERIES: Record<string, string> = {
  'page 1': '',
  'page 1, oldest first': '?sort=ASC',
  'page 50': '?page=50',
  'one row': '?limit=1',
  'status Draft': '?status=Draft',
  'status Active': '?status=Active',
  'status Active, page 20': '?status=Active&page=20',
  'type digital': '?type=digital',
  'type service': '?type=service',
  'Active and digital': '?status=Active&type=digital',
  'Archived and service': '?status=Archived&type=service',
  'search nothing has': '?search=xylophone',
  'search whole name': '?search=ankara%20gown%2012',
  'search a common word': '?search=ankara',
  'search part of a word': '?search=nkar',
  'search a number': '?search=4711',
  'search SKU': '?search=sku-00500',
  'search two letters': '?search=qu',
  'search two rare letters': '?search=qq',
  'search one letter': '?search=x',
  'search a word, Draft': '?search=gown&status=Draft',
  'search a number, digital': '?search=471&type=digital',
}

console.log(`\nmedians of ${RUNS} answers, ms\n`)
console.log(`${''.padEnd(26)} ${`${SMALL}`.padStart(9)} ${`${LARGE}`.padStart(9)}  ratio   totals`)
for (const [name, query] of Object.entries(QUERIES)) {
  const times = { small: [] as number[], large: [] as number[] }
  let totals = ''
  for (let i = -10; i < RUNS; i++) {
    const a = await ask(query, small)
    const b = await ask(query, large)
    if (i < 0) {
      totals = [a, b].map((one) => `${JSON.parse(one.body).meta.total}`.padStart(6)).join('')
    } else {
      times.small.push(a.ms)
      times.large.push(b.ms)
    }
  }
  const [s, l] = [median(times.small), median(times.large)]
  const cells = [s.toFixed(2).padStart(9), l.toFixed(2).padStart(9), (l / s).toFixed(2).padStart(6)]
  console.log(`${name.padEnd(26)} ${cells.join(' ')}  ${totals}`)
}
agent.destroy()
await server.stop()
