import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'

/** A server in its own process. */
export interface BareServer {
  port: number
  pid: number
  stop(): Promise<void>
}

const FILE = fileURLToPath(import.meta.url)
export const BARE_ROWS = 10_000

/** As wide as a product, for one business. */
const TABLE = `
  create table bench_items (
    id bigint generated always as identity primary key,
    business_id bigint not null,
    name text not null,
    description text,
    price bigint not null,
    currency text not null,
    status text not null,
    quantity bigint not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index bench_items_list on bench_items (business_id, id desc);
  insert into bench_items (business_id, name, description, price, currency, status, quantity)
  select 1, 'Ankara shirt ' || n, 'Two metres of cotton, dyed with indigo, in one size.',
    1500050, 'NGN', 'Active', 25
  from generate_series(1, ${BARE_ROWS}) n;
  analyze bench_items;`

/** Starts K, the limit of the framework: `GET /` on a bare Fastify returns a small JSON object. */
export const startKernel = (): Promise<BareServer> => start('kernel', {})

/**
 * Starts B1, what someone would write who wanted only the result: a bare Fastify with pg. `GET
 * /get/1` runs one indexed select, `GET /list` selects 20 rows and counts up to 10,000, and `POST
 * /create` inserts one row.
 */
export async function startBare(owner: pg.ClientConfig): Promise<BareServer> {
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(TABLE)
  await client.end()
  return start('bare', owner)
}

const start = (role: 'kernel' | 'bare', connection: pg.ClientConfig) =>
  forkServer(FILE, [role, JSON.stringify(connection)])

/** Runs a file that sends the port on which it listens. */
export function forkServer(file: string, args: string[]): Promise<BareServer> {
  const child = fork(file, args)
  const { promise, resolve, reject } = Promise.withResolvers<BareServer>()
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = () => {
    child.kill()
    return ended
  }
  child.once('error', reject)
  child.once('exit', (code) => code && reject(new Error(`${file} ended with ${code}`)))
  child.once('message', (port) => resolve({ port: port as number, pid: child.pid!, stop }))
  return promise
}

interface NewItem {
  name: string
  description?: string
  price: number
  quantity: number
}

const NEW_ITEM = {
  type: 'object',
  required: ['name', 'price', 'quantity'],
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    price: { type: 'number' },
    quantity: { type: 'integer' },
  },
}

if (process.argv[1] === FILE && process.send) {
  const [role, connection] = process.argv.slice(2)
  const fastify = Fastify()
  if (role === 'kernel') fastify.get('/', () => ({ status: 'success', data: { id: 1 } }))
  else addRoutes(fastify, new pg.Pool({ ...JSON.parse(connection!), max: 16 }))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  process.send((fastify.server.address() as { port: number }).port)
}

function addRoutes(fastify: FastifyInstance, pool: pg.Pool): void {
  const query = async (name: string, text: string, values: unknown[]) =>
    (await pool.query({ name, text, values })).rows

  fastify.get('/get/:id', async ({ params }) => {
    const { id } = params as { id: string }
    const [item] = await query('get', 'select * from bench_items where id = $1', [id])
    return { data: item }
  })

  fastify.get('/list', async () => {
    const page = 'select * from bench_items where business_id = $1 order by id desc limit 20'
    const data = await query('list', page, [1])
    const matches = 'select from bench_items where business_id = $1 limit 10000'
    const [count] = await query('count', `select count(*) from (${matches}) matches`, [1])
    return { data, total: Number(count.count) }
  })

  fastify.post('/create', { schema: { body: NEW_ITEM } }, async ({ body }) => {
    const { name, description, price, quantity } = body as NewItem
    const insert = `
      insert into bench_items (business_id, name, description, price, currency, status, quantity)
      values (1, $1, $2, $3, 'NGN', 'Active', $4) returning *`
    const values = [name, description, Math.round(price * 100), quantity]
    const [item] = await query('create', insert, values)
    return { data: item }
  })
}
