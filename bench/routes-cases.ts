import { setTimeout as sleep } from 'node:timers/promises'
import { type Sql, sql } from '../src/db/sql.ts'
import type { Figure } from './figures.ts'
import { invoiceRows } from './invoices-reference.ts'
import { load, type Requests } from './load.ts'
import { type Compared, type Peers, peerName } from './peers.ts'
import { transactionsPerSecond } from './pgbench.ts'
import { BARE_ROWS, type BareServer } from './references.ts'
import type { Server } from './server.ts'

export interface Context {
  server: Server
  kernel: BareServer
  bare: BareServer
  withoutDatabase: BareServer
  peers: Peers
}

export interface Case {
  /** `npm run bench get` runs each case whose name begins with that word. */
  name: string
  what: string
  goal?: number
  /** What must exist: 10,000 of each. */
  needs: Noun[]
  ours(): Requests | Promise<Requests>
  references: Reference[]
  /** The goal for p99 ÷ p50. */
  tailAtMost?: number
  /** Also measures the CPU time of the server and of PostgreSQL. */
  isCosted?: true
  /** Runs after the load of each round, and returns what else was measured. */
  afterwards?(): Promise<Figure | undefined>
}

export interface Reference {
  name: string
  perSecond(seconds: number): Promise<number>
  /** The goal for the ratio. */
  atLeast?: number | undefined
}

const ROWS = 10_000
const SALES = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'

const NEW_PRODUCT = {
  name: 'Ankara shirt ########',
  price: 15_000.5,
  description: 'Two metres of cotton, dyed with indigo, in one size.',
  sku: 'ANK-0042',
  quantity: 900_000,
  lowStockThreshold: 5,
}
export const NEW_INVOICE = {
  customerEmail: 'ada.obi@example.com',
  customerName: 'Ada Obi',
  amount: 15_000.5,
  note: 'Two chairs and a table, delivered to Surulere',
  dueDate: '2027-01-31',
}

interface Row {
  id: number
  reference: string
}

export const NOUNS = {
  product: {
    create: [`${SALES}/products/create-product`, NEW_PRODUCT],
    get: ({ id }: Row) => `${SALES}/products/get-product-details?productId=${id}`,
    list: `${SALES}/products/get-products?limit=20`,
    table: sql`products`,
  },
  invoice: {
    create: [`${SALES}/invoices`, NEW_INVOICE],
    get: ({ reference }: Row) => `${SALES}/invoices/${reference}`,
    list: `${SALES}/invoices?limit=20`,
    table: sql`invoices`,
  },
  /** A charge that the payer pays by USSD, and the simulator pays at once. */
  transaction: {
    create: [`${MONEY}/transaction-with-ussd`, { amount: 4_000, channel: 'USSD' }],
    get: ({ id }: Row) => `${MONEY}/fetch/${id}`,
    list: `${MONEY}/transactions?limit=20`,
    table: sql`transactions`,
  },
} satisfies Record<string, Described>
export type Noun = keyof typeof NOUNS

interface Described {
  create: [path: string, body: object]
  get(row: Row): string
  list: string
  table: Sql
}

/** The requests that create one of these after the other. */
function creating({ server: { port, headers } }: Context, noun: Noun): Requests {
  const [path, body] = NOUNS[noun].create
  const isIdempotent = noun === 'invoice'
  return { port, headers, method: 'POST', paths: [path], bodies: [body], isIdempotent }
}

/**
 * Creates 10,000 of them over HTTP, and no more: lists do not count beyond that, so that more rows
 * would make them faster.
 */
export async function fill(context: Context, noun: Noun): Promise<void> {
  for (let made = 0; made < ROWS; ) {
    const requests = { ...creating(context, noun), seconds: 60, requestsMax: ROWS - made }
    made += (await load(requests)).requests
  }
}

export const casesOf = (context: Context): Case[] => [
  health(context),
  ...getCases(context),
  ...listCases(context),
  createProduct(context),
  ...createInvoice(context),
  ...checkouts(context),
  ussdCharge(context),
]

/** K's request to our server. */
const health = (context: Context): Case => ({
  name: 'health',
  what: 'GET /health/live',
  goal: 1,
  needs: [],
  ours: () => ({ port: context.server.port, method: 'GET', paths: ['/health/live'] }),
  references: [kernel(context)],
})

/** Reads each of the 10,000 in turn. */
function getCases(context: Context): Case[] {
  const { port, headers } = context.server
  return (['product', 'invoice', 'transaction'] as const).map((noun) => ({
    name: `get ${noun}`,
    what: `get ${noun} by id`,
    goal: 2,
    needs: [noun],
    ours: async () => {
      const paths = (await rowsOf(context, noun)).map(NOUNS[noun].get)
      return { port, headers, method: 'GET', paths }
    },
    references: [
      bare(context, 'get', 0.5),
      ...(noun === 'product' ? peers(context, 'get', [100, 25]) : []),
    ],
  }))
}

function listCases(context: Context): Case[] {
  const { port, headers } = context.server
  return (['product', 'invoice', 'transaction'] as const).map((noun) => ({
    name: `list ${noun}s`,
    what: `list 20 of ${noun}s`,
    goal: 3,
    needs: [noun],
    ours: () => ({ port, headers, method: 'GET', paths: [NOUNS[noun].list] }),
    references: [
      bare(context, 'list', 0.8),
      ...(noun === 'product' ? peers(context, 'list', [100, 100]) : []),
    ],
  }))
}

const createProduct = (context: Context): Case => ({
  name: 'create',
  what: 'create product',
  goal: 4,
  needs: ['product'],
  ours: () => creating(context, 'product'),
  references: [bare(context, 'create', 0.5), ...peers(context, 'create', [300, 70])],
})

function createInvoice(context: Context): Case[] {
  const { server, withoutDatabase } = context
  const plain: Reference = {
    name: 'P',
    atLeast: 2.2,
    perSecond: async (seconds) =>
      transactionsPerSecond({
        statements: await invoiceRows(server),
        clients: 16,
        seconds,
        connection: server.cluster.app,
      }),
  }
  return [
    {
      name: 'invoices',
      what: 'POST invoices',
      goal: 1,
      needs: ['invoice'],
      ours: () => creating(context, 'invoice'),
      references: [kernel(context, 0.25), plain],
      tailAtMost: 3,
    },
    {
      name: 'invoices without',
      what: 'its route without a database',
      goal: 1,
      needs: [],
      ours: () => ({ ...creating(context, 'invoice'), port: withoutDatabase.port }),
      references: [kernel(context, 0.4)],
    },
  ]
}

/** Each checkout reserves one item. Medusa and Vendure reserve nothing in a cart. */
function checkouts(context: Context): Case[] {
  const { port, headers } = context.server
  const starting = (products: number) => async (): Promise<Requests> => {
    const bodies = (await rowsOf(context, 'product')).slice(0, products).map(({ id }) => ({
      customerEmail: 'ada@example.com',
      products: [{ productId: id, quantity: 1 }],
    }))
    return { port, headers, method: 'POST', paths: [`${SALES}/initialize-checkout`], bodies }
  }
  const about = { goal: 5, needs: ['product' as const], afterwards: () => requireReserved(context) }
  return [
    {
      ...about,
      name: 'checkout hot',
      what: 'start checkouts of one hot product',
      ours: starting(1),
      references: peers(context, 'cart', [100, 25]),
    },
    {
      ...about,
      name: 'checkout in-turn',
      what: 'start checkouts of 100 products in turn',
      ours: starting(100),
      references: peers(context, 'cart', [150, 37.5]),
    },
  ]
}

/** Throws unless every checkout that was started has reserved its item. */
async function requireReserved({ server: { db, businessId } }: Context): Promise<undefined> {
  const { reserved, started } = await db.one<{ reserved: number; started: number }>`
    select (select sum(reserved)::bigint from stock_items where business_id = ${businessId})
        as reserved,
      (select count(*) from checkouts where business_id = ${businessId}) as started`
  if (reserved !== started) throw new Error(`${reserved} reserved for ${started} checkouts`)
}

const ussdCharge = (context: Context): Case => ({
  name: 'ussd',
  what: 'start USSD charges',
  goal: 7,
  needs: [],
  ours: () => creating(context, 'transaction'),
  references: [kernel(context, 0.05)],
  afterwards: () => untilSettled(context),
})

/** Waits until no charge is pending. */
export async function untilSettled({ server: { db, businessId } }: Context): Promise<Figure> {
  const began = performance.now()
  const pending = async () => {
    const { isPending } = await db.one<{ isPending: boolean }>`
      select exists (select from transactions
        where business_id = ${businessId} and purpose = 'charge' and status = 'Pending')
        as "isPending"`
    return isPending
  }
  while (await pending()) await sleep(50)
  const seconds = (performance.now() - began) / 1000
  return { goal: 7, what: 'all charges settled after', value: seconds, unit: ' s', atMost: 10 }
}

export const rowsOf = ({ server: { db, businessId } }: Context, noun: Noun): Promise<Row[]> =>
  db.many<Row>`
    select id, reference from ${NOUNS[noun].table}
    where business_id = ${businessId} and not live order by id limit ${ROWS}`

export const kernel = ({ kernel: { port } }: Context, atLeast?: number): Reference =>
  measuring('K', { port, method: 'GET', paths: ['/'] }, atLeast)

function bare({ bare: { port } }: Context, what: 'get' | 'list' | 'create', atLeast: number) {
  const requests: Record<typeof what, Requests> = {
    get: {
      port,
      method: 'GET',
      paths: Array.from({ length: BARE_ROWS }, (_, i) => `/get/${i + 1}`),
    },
    list: { port, method: 'GET', paths: ['/list'] },
    create: { port, method: 'POST', paths: ['/create'], bodies: [NEW_PRODUCT] },
  }
  return measuring('B1', requests[what], atLeast)
}

const measuring = (name: string, requests: Requests, atLeast?: number): Reference => ({
  name,
  atLeast,
  perSecond: async (seconds) => (await load({ ...requests, seconds })).perSecond,
})

const peers = ({ peers }: Context, what: Compared, atLeast: [number, number]): Reference[] =>
  (['medusa', 'vendure'] as const).map((peer, i) => ({
    name: peerName(peers, peer),
    atLeast: atLeast[i],
    perSecond: async () => peers[peer][what],
  }))
