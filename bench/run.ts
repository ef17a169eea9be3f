import { parseArgs } from 'node:util'
import { measureConnections } from './connections.ts'
import { measureDistributed } from './distributed.ts'
import type { Figure, Options } from './figures.ts'
import { measureHostile } from './hostile.ts'
import { measureInstall } from './install.ts'
import { measureList } from './lists.ts'
import { INVOICE_LIST } from './lists-invoices.ts'
import { MONEY_LISTS } from './lists-money.ts'
import { PRODUCT_LIST } from './lists-products.ts'
import { TRANSACTION_LIST } from './lists-transactions.ts'
import { measurePages } from './pages.ts'
import { measurePeers, RECORDED_PEERS } from './peers.ts'
import { measureProcesses } from './processes.ts'
import { writeResults } from './results.ts'
import { measureRoutes, measureSoak } from './routes.ts'
import { measureSettle } from './settle.ts'
import { measureStart } from './start.ts'
import { measureWebhooks } from './webhooks.ts'

interface Part {
  what: string
  /** Takes longer than all others together. */
  isLong?: boolean
  /** Absent for routes, which are measured together on one server. */
  measure?(options: Options): Promise<Figure[]>
}

const PARTS: Record<string, Part> = {
  health: { what: 'GET /health/live, which reads nothing' },
  get: { what: 'a product, an invoice, a transaction by id' },
  list: { what: '20 of 10,000 products, invoices, transactions' },
  create: { what: 'products' },
  invoices: { what: 'POST invoices, with and without a database' },
  checkout: { what: 'checkouts of one hot product, and of 100 products in turn' },
  ussd: { what: 'USSD charges, from call to settled' },
  settle: { what: 'charges into one wallet, beside row locks', measure: measureSettle },
  transfers: { what: 'transfers from one wallet, beside row locks' },
  refunds: { what: 'refunds of many payments of one business, beside row locks' },
  webhooks: { what: 'deliveries while another endpoint hangs', measure: measureWebhooks },
  processes: { what: '--workers 2, --web and --worker', measure: measureProcesses },
  start: { what: 'first and second start, idle memory', measure: measureStart },
  connections: { what: 'memory with idle and slow connections', measure: measureConnections },
  install: { what: 'time and size of a release from npm pack', measure: measureInstall },
  pages: { what: 'weight and first paint of payer pages', measure: measurePages },
  soak: { what: 'memory while routes are loaded', isLong: true, measure: measureSoak },
  peers: {
    what: 'installs Medusa and Vendure, for get, list, create and checkout',
    isLong: true,
  },
  distributed: {
    what: 'a Citus cluster (CITUS_URL) with 1 and 100 businesses',
    isLong: true,
    measure: measureDistributed,
  },
  hostile: {
    what: 'how long costly refused requests block others',
    isLong: true,
    measure: measureHostile,
  },
  ...Object.fromEntries(
    Object.entries({
      'lists-invoices': INVOICE_LIST,
      'lists-transactions': TRANSACTION_LIST,
      'lists-products': PRODUCT_LIST,
      'lists-money': MONEY_LISTS,
    }).map(([name, list]) => [
      name,
      {
        what: `${list.things}, at 1,000 and 1,000,000 rows`,
        isLong: true,
        measure: (options: Options) => measureList(list, options),
      },
    ]),
  ),
}

/** Our routes that `peers` measures too. */
const COMPARED_ROUTES = ['get product', 'list products', 'create', 'checkout']

const measureOf = (name: string) => PARTS[name.split(' ')[0]!]?.measure

const HELP = `npm run bench              everything but the long parts; writes bench/RESULTS.md
npm run bench all          everything; writes bench/RESULTS.md
npm run bench -- NAME…     these parts

${Object.entries(PARTS)
  .map(([name, { what, isLong }]) => `  ${name.padEnd(20)} ${what}${isLong ? ' (long)' : ''}`)
  .join('\n')}

  --seconds 5         how long each measurement takes
  --rounds 3          of how many rounds to take the median
  --statements 8      print the 8 most expensive statements of each route
  --profile DIR       write a CPU profile of the server for each route
  --rows 1000000      the rows of the large shop of the lists
  --soak 30           how many minutes to load every route in turn
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    statements: { type: 'string', default: '0' },
    profile: { type: 'string' },
    rows: { type: 'string', default: '1000000' },
    soak: { type: 'string', default: '30' },
    help: { type: 'boolean' },
  },
})
if (values.help) process.stdout.write(HELP)
else await run()

async function run(): Promise<void> {
  const options: Options = {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    statements: Number(values.statements),
    profile: values.profile,
    rows: Number(values.rows),
    soakMinutes: Number(values.soak),
  }
  const names = namesOf(positionals)
  const peers = names.includes('peers') ? await measurePeers(options) : RECORDED_PEERS
  const routes = names.filter((name) => !measureOf(name) && name !== 'peers')
  if (names.includes('peers')) routes.push(...COMPARED_ROUTES)
  const figures = routes.length > 0 ? await measureRoutes(routes, options, peers) : []
  for (const name of names) figures.push(...((await measureOf(name)?.(options)) ?? []))
  const isWhole = positionals.length === 0 || positionals[0] === 'all'
  if (isWhole) await writeResults(figures, options)
}

/** The parts to run. `get product` runs one case of `get`. */
function namesOf(asked: string[]): string[] {
  const all = Object.keys(PARTS)
  if (asked[0] === 'all') return all
  if (asked.length === 0) return all.filter((name) => !PARTS[name]!.isLong)
  const unknown = asked.filter((name) => !PARTS[name.split(' ')[0]!])
  if (unknown.length === 0) return asked
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}.\n\n${HELP}`)
  return process.exit(2)
}
