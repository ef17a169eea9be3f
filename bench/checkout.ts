import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Loaded, load } from './load.ts'
import { oneByOne, type Reference } from './pgbench.ts'
import { startBenchServer } from './server.ts'

/**
 * Starts checkouts of one product over HTTP with its stock reserved, compared with writing the same
 * rows without the server. All checkouts are for the same product, so they all wait for one row.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const CONNECTIONS = 16
const PATH = '/api/payment-service/external/v1'

const server = await startBenchServer({ max_connections: '60' })
const { db, port, key, businessId, cluster } = server
const scratchDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
const rounds: { http: Loaded; sql: Reference }[] = []
try {
  const productId = await product()
  await run(productId, 1)
  await db.withClient((client) => client.query('analyze'))
  for (let round = 1; round <= ROUNDS; round++) rounds.push(await run(productId, SECONDS))
  await check(productId)
  print()
} finally {
  await server.stop()
  await rm(scratchDir, { recursive: true })
}

function headers(path: string): string {
  return (
    `POST ${PATH}${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n` +
    'content-type: application/json\r\n'
  )
}

async function product(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}/products/create-product`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ankara shirt', price: 15_000, quantity: 900_000_000 }),
  })
  const { data } = (await response.json()) as { data: { productId: string } }
  return Number(data.productId)
}

async function run(productId: number, seconds: number) {
  const statements = statementsOf(productId)
  const sql = await oneByOne({ statements, seconds, connection: cluster.app, scratchDir })
  const products = [{ productId, quantity: 1 }]
  const http = await load({
    port,
    connections: CONNECTIONS,
    seconds,
    head: headers('/initialize-checkout'),
    body: JSON.stringify({ customerEmail: 'ada@example.com', products }),
    unique: false,
  })
  return { http, sql }
}

/** The server's reads and writes for one checkout, which has its own number to derive ids from. */
function statementsOf(productId: number): string[] {
  const own = `business_id = ${businessId} and live = false`
  const tenant = `${businessId}, false`
  const [checkout, order, transaction, event] = [
    ':id::bigint',
    ':id::bigint + 1',
    ':id::bigint + 2',
    ':id::bigint + 3',
  ]
  // Of the same length, but without colons, which pgbench would treat as variables.
  const record = `'${'x'.repeat(1000)}'`
  const pieces = `array(
    select (:id::bigint % 100000007)::int + n * 7919 from generate_series(1, 40) n)`
  return [
    `select name, currency, time_zone, fee_bearer, fee_rules from businesses
     join business_settings on business_id = id where id = ${businessId} and live = false`,
    `select p.id, p.name, p.price_minor, p.status, exists (select from product_variants o
       where o.${own.replace(' and ', ' and o.')} and o.product_id = p.id) as has_variants
     from products p where p.${own.replace(' and ', ' and p.')} and p.id = ${productId}`,
    `insert into checkouts (business_id, live, id, reference, secret, status, order_id,
       transaction_id, amount_minor, currency, fee_bearer, channels, customer_email, expires_at,
       created_at, updated_at)
     values (${tenant}, ${checkout}, 'CHK_' || md5(:id::bigint::text), 'abcdefghijklmnopqrstuv',
       'Open', ${order}, ${transaction}, 1500000, 'NGN', 'business',
       array['BANK_TRANSFER', 'USSD'], 'ada@example.com',
       now() + interval '30 minutes', now(), now())`,
    `insert into orders (business_id, live, id, reference, status, checkout_id, transaction_id,
       customer_email, subtotal_minor, amount_minor, currency, event_sequence, created_at,
       updated_at)
     values (${tenant}, ${order}, 'ORD_' || md5(:id::bigint::text), 'Pending', ${checkout},
       ${transaction}, 'ada@example.com', 1500000, 1500000, 'NGN', 1, now(), now())`,
    `insert into order_lines (business_id, live, order_id, position, product_id, name, quantity,
       unit_price_minor, amount_minor)
     values (${tenant}, ${order}, 1, ${productId}, 'Ankara shirt', 1, 1500000, 1500000)`,
    `insert into search_texts (business_id, live, id, kind, text, pieces)
     values (${tenant}, ${order}, 'order', 'ada@example.com', ${pieces})`,
    `with inserted as (
       insert into transactions (business_id, live, id, reference, purpose, purpose_id, status,
         channel, amount_minor, fee_minor, fee_bearer, payable_minor, currency, customer_email,
         order_id, provider, expires_at, timeline, event_sequence, created_at, updated_at)
       values (${tenant}, ${transaction}, 'TRX_' || md5(:id::bigint::text), 'checkout', ${checkout},
         'Pending', 'BANK_TRANSFER', 1500000, 32500, 'business', 1500000, 'NGN',
         'ada@example.com', ${order}, 'none', now() + interval '30 minutes',
         '[{"status" "Pending","at" "2026-11-21T10.00.00.000Z","message" null}]', 1, now(), now())
       returning id
     )
     insert into transaction_texts_due (business_id, live, id)
     select ${tenant}, id from inserted`,
    `insert into events (business_id, live, id, reference, type, object_type, object_id, sequence,
       data, created_at)
     values (${tenant}, ${event}, 'evt_' || md5(:id::bigint::text), 'order.created', 'order',
         ${order}, 1, ${record}, now()),
       (${tenant}, ${event} + 1, 'evt_' || md5((:id::bigint + 1)::text), 'transaction.pending',
         'transaction', ${transaction}, 1, ${record}, now())`,
    `with put_aside as (
       insert into stock_reservations (business_id, live, cause_id, item_id, product_id, quantity,
         status, expires_at, created_at, updated_at)
       values (${tenant}, ${checkout}, ${productId}, ${productId}, 1, 'Reserved',
         now() + interval '15 minutes', now(), now())
       returning item_id, quantity
     )
     update stock_items s set reserved = s.reserved + p.quantity from put_aside p
     where s.${own.replace(' and ', ' and s.')} and s.id = p.item_id
       and (not s.tracked or s.on_hand - s.reserved >= p.quantity)`,
  ]
}

/** Checks that no request was refused and that every checkout started reserved its item. */
async function check(productId: number): Promise<void> {
  const refused = rounds.reduce((sum, { http }) => sum + http.refused, 0)
  const found = await db.one<{ reserved: number; begun: number }>`
    select reserved, (select count(*) from checkouts where business_id = ${businessId}) as begun
    from stock_items where id = ${productId}`
  if (refused > 0 || found.reserved !== found.begun) {
    throw new Error(`${refused} refused, ${found.reserved} reserved for ${found.begun} checkouts`)
  }
}

function print(): void {
  const middle = (of: (round: (typeof rounds)[number]) => number) =>
    rounds.map(of).sort((a, b) => a - b)[rounds.length >> 1]!
  const row = (name: string, value: string) => console.log(`  ${name.padEnd(52)} ${value}`)
  console.log(`Checkouts of the same product, medians of ${ROUNDS} rounds\n`)
  row(
    `over HTTP, ${CONNECTIONS} connections, started/s`,
    middle((r) => r.http.perSecond).toFixed(0),
  )
  row('  median, ms', middle((r) => r.http.p50Ms).toFixed(1))
  row('  99th percentile, ms', middle((r) => r.http.p99Ms).toFixed(1))
  row(`the same SQL, ${rounds[0]!.sql.tool}, /s`, middle((r) => r.sql.perSecond).toFixed(0))
  console.log('')
  const ratio = middle((r) => r.http.perSecond / r.sql.perSecond)
  row('× the same SQL without the server', ratio.toFixed(2))
}
