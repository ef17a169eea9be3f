import { Agent, get } from 'node:http'
import pg from 'pg'
import { createBusiness } from '../src/resources/businesses/create.ts'
import { fillMoney } from './lists-money-data.ts'
import { startBenchServer } from './server.ts'

/**
 * The lists of transfers, refunds, subaccounts, split pages and settlements and the wallet's ledger
 * by their real routes, at 1,000 and at 1,000,000 rows in one database. Both are asked in turns, so
 * that whatever else the machine does meets both alike.
 */
const SMALL = 1_000
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000)
const RUNS = Number(process.env.BENCH_RUNS ?? 51)
const MONEY = '/api/transaction-service/external/v1'
const DAY_MS = 86_400_000

const server = await startBenchServer({ fsync: 'off', synchronous_commit: 'off' })

interface Shop {
  key: string
  businessId: number
  rows: number
}

async function shop(rows: number, firstId: number): Promise<Shop> {
  const { keys, businessId } = await server.db.transaction((tx) =>
    createBusiness(tx, server.ids, { name: `Shop of ${rows}`, now: new Date() }),
  )
  await asOwner((client) => fillMoney(client, { businessId, rows, firstId }))
  return { key: keys.testSecret, businessId, rows }
}

async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...server.cluster.owner, statement_timeout: 0 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

console.log(`filling ${SMALL} and ${LARGE} rows of each …`)
const began = performance.now()
const small = await shop(SMALL, 100_000_000)
const large = await shop(LARGE, 200_000_000)
await asOwner((client) => client.query('vacuum analyze'))
console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)

const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10)
const aDay = `startDate=${day(100)}&endDate=${day(100)}`

const TRANSFERS = ({ businessId }: Shop) =>
  `${MONEY}/transfer/get-transfer-list?businessId=${businessId}&limit=20`
const SUBACCOUNTS = `${MONEY}/subaccounts/all?limit=20`
const SPLIT_PAGES = `${MONEY}/split-page/all?limit=20&sort=desc`

const PATHS: Record<string, string | ((of: Shop) => string)> = {
  transfers: (of) => `${TRANSFERS(of)}&page=1`,
  'transfers, page 40': (of) => `${TRANSFERS(of)}&page=40`,
  'transfers, Successful': (of) => `${TRANSFERS(of)}&page=1&status=Successful`,
  'transfers, Failed': (of) => `${TRANSFERS(of)}&page=1&status=Failed`,
  'transfers, reference': (of) => `${TRANSFERS(of)}&page=1&transferReference=pay-500`,
  refunds: `${MONEY}/refunds`,
  'refunds, Processed': `${MONEY}/refunds?status=Processed`,
  'refunds, a day': `${MONEY}/refunds?${aDay}`,
  'subaccounts, newest': `${SUBACCOUNTS}&page=1&sort=desc&sortKey=createdAt`,
  'subaccounts, by name': `${SUBACCOUNTS}&page=1&sort=asc&sortKey=business_name`,
  'subaccounts, by charge': `${SUBACCOUNTS}&page=1&sort=asc&sortKey=percentage_charge`,
  'subaccounts, by id': `${SUBACCOUNTS}&page=20&sort=asc&sortKey=id`,
  'split pages': `${SPLIT_PAGES}&page=1`,
  'split pages, active': `${SPLIT_PAGES}&page=1&status=true`,
  'split pages, fixed': `${SPLIT_PAGES}&page=1&splitType=fixed`,
  settlements: `${MONEY}/settlements`,
  'settlements, Paid': `${MONEY}/settlements?status=Paid`,
  'settlements, a day': `${MONEY}/settlements?${aDay}`,
  "wallet's ledger": '/api/user-service/external/v1/wallet/ledger',
  "wallet's ledger, debits": '/api/user-service/external/v1/wallet/ledger?type=debit',
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Milliseconds of one answer, and how many rows it has. */
function ask(path: string, { key }: Shop): Promise<{ ms: number; rows: number }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port: server.port, path, agent, headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece) => (body += piece))
      answer.on('end', () => {
        if (answer.statusCode !== 200) reject(new Error(`${answer.statusCode} ${path}: ${body}`))
        else resolve({ ms: performance.now() - started, rows: JSON.parse(body).data.length })
      })
    }).on('error', reject)
  })
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!

console.log(`\nmedians of ${RUNS} answers, ms\n`)
console.log(`${''.padEnd(26)} ${`${SMALL}`.padStart(9)} ${`${LARGE}`.padStart(9)}  ratio   rows`)
for (const [name, path] of Object.entries(PATHS)) {
  const pathOf = (of: Shop) => (typeof path === 'string' ? path : path(of))
  const times = { small: [] as number[], large: [] as number[] }
  let rows = ''
  for (let i = -10; i < RUNS; i++) {
    const a = await ask(pathOf(small), small)
    const b = await ask(pathOf(large), large)
    if (i < 0) rows = `${a.rows}`.padStart(5) + `${b.rows}`.padStart(5)
    else times.small.push(a.ms) && times.large.push(b.ms)
  }
  const [s, l] = [median(times.small), median(times.large)]
  const cells = [s.toFixed(2).padStart(9), l.toFixed(2).padStart(9), (l / s).toFixed(2).padStart(6)]
  console.log(`${name.padEnd(26)} ${cells.join(' ')}  ${rows}`)
}
agent.destroy()
await server.stop()
