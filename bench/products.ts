import Fastify from 'fastify'
import pg from 'pg'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import type { Db, Tx } from '../src/db/database.ts'
import { Sql } from '../src/db/sql.ts'
import type { Caller } from '../src/lib/caller.ts'
import { randomText } from '../src/lib/tokens.ts'
import { createProduct } from '../src/sales/products/catalogue/create.ts'
import { getProduct, listProducts } from '../src/sales/products/catalogue/read.ts'
import { type Loaded, load } from './load.ts'
import { startBenchServer } from './server.ts'

/**
 * Measures creating, getting and listing products over HTTP, compared with a bare Fastify and pg
 * that run the same statements in the same process and return their rows. The difference is the
 * cost of our routes.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const CONNECTIONS = 16
const PRODUCTS = 1_000
const PATH = '/api/payment-service/external/v1/products'

const NEW = {
  name: 'Ankara shirt, hand made in Abeokuta',
  price: 15000.5,
  description: 'Two metres of cotton, dyed with indigo, in one size.',
  sku: 'ANK-0042',
  quantity: 25,
  lowStockThreshold: 5,
}

interface Statement {
  name: string
  text: string
  values: unknown[]
}

const server = await startBenchServer()
const { db, ids } = server
const read = await shop('Read')
const written = await shop('Written')
for (let i = 0; i < PRODUCTS; i++) await db.transaction((tx) => make(tx, read.caller, i))
const { productId } = await db.transaction((tx) => make(tx, read.caller, PRODUCTS))
await analyse()

const deps = { publicUrl: 'http://127.0.0.1:4000' }
const statements = {
  create: await recorded((one) => make(one, written.caller, 0)),
  get: await recorded((one) => getProduct(one, deps, read.caller, { productId })),
  list: await recorded((one) =>
    listProducts(one, deps, read.caller, { page: 1, limit: 20, sort: 'DESC' }),
  ),
}
const bare = await bareServer()

const BODY = JSON.stringify({ ...NEW, name: `${NEW.name} ########` })
const cases = {
  create: { ours: ['POST', `${PATH}/create-product`, written.key], bare: 'POST', body: BODY },
  get: {
    ours: ['GET', `${PATH}/get-product-details?productId=${productId}`, read.key],
    bare: 'GET',
    body: '',
  },
  list: { ours: ['GET', `${PATH}/get-products?limit=20`, read.key], bare: 'GET', body: '' },
} as const
type Case = keyof typeof cases

const rounds: { name: Case; ours: Loaded; bare: Loaded }[] = []
for (let round = 0; round <= ROUNDS; round++) {
  for (const name of Object.keys(cases) as Case[]) {
    const seconds = round === 0 ? 2 : SECONDS
    const pair = { name, bare: await loadBare(name, seconds), ours: await loadOurs(name, seconds) }
    if (pair.ours.refused + pair.bare.refused > 0) throw new Error(`${name} was refused`)
    if (round > 0) rounds.push(pair)
  }
}
print()
await bare.stop()
await server.stop()

async function shop(name: string) {
  const now = new Date()
  const { keys, businessId } = await db.transaction((tx) => createBusiness(tx, ids, { name, now }))
  const caller: Caller = {
    ...{ businessId, live: false, keyId: 0, scopes: null, expiresAt: null },
    ...{ timeZone: 'Africa/Lagos', now },
  }
  return { key: keys.testSecret, caller }
}

function make(one: Tx, caller: Caller, i: number) {
  const request = { ...NEW, name: `${NEW.name} ${i}` }
  const settled = { currency: 'NGN', type: 'physical', status: 'Active' } as const
  return createProduct(one, ids, { ...caller, now: new Date() }, { ...request, ...settled })
}

async function analyse(): Promise<void> {
  const client = new pg.Client({ ...server.cluster.owner, statement_timeout: 0 })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

/** The database statements of the operation. */
async function recorded(work: (one: Tx) => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = []
  const note = (text: string, values: unknown[]) => {
    seen.push({ name: `bare_${randomText(8)}`, text, values })
  }
  const noted =
    (one: Tx, kind: keyof Db) =>
    (strings: TemplateStringsArray, ...args: unknown[]) => {
      const { text, values } = new Sql(strings, args).compile()
      note(text, values)
      return one[kind](strings, ...args)
    }
  await db.transaction((tx) => {
    const kinds = ['one', 'maybe', 'many', 'run'] as const
    const tags = Object.fromEntries(kinds.map((kind) => [kind, noted(tx, kind)]))
    const query: Tx['query'] = (statement) => {
      note(statement.text, [...(statement.values ?? [])])
      return tx.query(statement)
    }
    return work({ ...tx, ...tags, query })
  })
  return seen
}

/** One route each: runs the statements in sequence and returns their rows as JSON. */
async function bareServer() {
  const pool = new pg.Pool({ ...server.cluster.app, max: CONNECTIONS })
  pool.on('error', () => {})
  const fastify = Fastify()
  const run = async (all: Statement[]) => {
    const rows: unknown[] = []
    for (const statement of all) rows.push((await pool.query(statement)).rows)
    return { status: 'success', data: rows }
  }
  const fresh = freshValues(statements.create[0]!)
  fastify.post('/create', () => run([{ ...statements.create[0]!, values: fresh() }]))
  fastify.get('/get', () => run(statements.get))
  fastify.get('/list', () => run(statements.list))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as { port: number }
  return {
    port,
    async stop() {
      await fastify.close()
      await pool.end()
    },
  }
}

/** Values that are new for each product (its ids, references and slug), by position. */
function freshValues({ values }: Statement): () => unknown[] {
  let next = 1_000_000_000_000
  return () => {
    next += 2
    const fresh = [...values]
    fresh[2] = `{${next}}`
    fresh[3] = `{PRD_${randomText(20)}}`
    fresh[4] = `{ankara-shirt-${next}}`
    fresh[20] = `{${next + 1}}`
    fresh[21] = `{evt_${randomText(20)}}`
    return fresh
  }
}

function headOf(method: string, path: string, key?: string): string {
  const bearer = key ? `authorization: Bearer ${key}\r\n` : ''
  const type = method === 'POST' ? 'content-type: application/json\r\n' : ''
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${bearer}${type}`
}

function loadOurs(name: Case, seconds: number): Promise<Loaded> {
  const [method, path, key] = cases[name].ours
  const { body } = cases[name]
  const head = headOf(method, path, key)
  return load({ port: server.port, connections: CONNECTIONS, seconds, head, body, unique: false })
}

function loadBare(name: Case, seconds: number): Promise<Loaded> {
  const { bare: method, body } = cases[name]
  const head = headOf(method, `/${name}`)
  return load({ port: bare.port, connections: CONNECTIONS, seconds, head, body, unique: false })
}

function print(): void {
  const middle = (name: Case, of: (round: (typeof rounds)[number]) => number) => {
    const values = rounds.filter((round) => round.name === name).map(of)
    return values.sort((a, b) => a - b)[values.length >> 1]!
  }
  console.log(`Products, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds\n`)
  console.log(`${''.padEnd(16)} ${'bare/s'.padStart(8)} ${'ours/s'.padStart(8)}  p99 ms   ratio`)
  for (const name of Object.keys(cases) as Case[]) {
    const cells = [
      middle(name, (round) => round.bare.perSecond)
        .toFixed(0)
        .padStart(8),
      middle(name, (round) => round.ours.perSecond)
        .toFixed(0)
        .padStart(8),
      middle(name, (round) => round.ours.p99Ms)
        .toFixed(1)
        .padStart(7),
      middle(name, (round) => round.ours.perSecond / round.bare.perSecond)
        .toFixed(2)
        .padStart(7),
    ]
    console.log(`${name.padEnd(16)} ${cells.join(' ')}`)
  }
  console.log('\nratio: of the bare route with the same statements (goal 0.80)')
}
