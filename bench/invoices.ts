import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPeople } from '../src/app/console.ts'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import { authenticator } from '../src/business/keys/authenticate.ts'
import { callerOf, sessionVerifier } from '../src/business/people/sessions.ts'
import { openFiles } from '../src/files/files.ts'
import { openStorage } from '../src/files/storage.ts'
import { mount } from '../src/http/route.ts'
import { buildServer } from '../src/http/server.ts'
import { systemClock } from '../src/lib/clock.ts'
import { openPrinter } from '../src/pdf/printer.ts'
import { openProviders } from '../src/provider-orders/providers.ts'
import { openSimulator } from '../src/provider-orders/simulator/simulator.ts'
import { invoiceCreator } from '../src/sales/invoices/create.ts'
import { invoiceRoutes } from '../src/sales/invoices/routes.ts'
import { type Loaded, load } from './load.ts'
import { oneByOne } from './pgbench.ts'
import { benchLog, startBenchServer } from './server.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const CONNECTIONS = 64

const BODY = JSON.stringify({
  customerEmail: 'ada.obi@example.com',
  customerName: 'Ada Obi',
  amount: 15000.5,
  note: 'Two chairs and a table, delivered to Surulere',
  dueDate: '2027-01-31',
})

const server = await startBenchServer()
const scratchDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
const bare = await withoutDatabase()
const head =
  'POST /api/payment-service/external/v1/invoices HTTP/1.1\r\nhost: 127.0.0.1\r\n' +
  `authorization: Bearer ${server.key}\r\ncontent-type: application/json\r\n`
const request = { connections: CONNECTIONS, head, body: BODY, unique: true }

const rounds: { bare: Loaded; real: Loaded; reference: { tool: string; perSecond: number } }[] = []
await load({ ...request, port: server.port, seconds: 2 })
for (let round = 1; round <= ROUNDS; round++) {
  const reference = await oneByOne({
    statements: await statements(),
    seconds: SECONDS,
    connection: server.cluster.app,
    scratchDir,
  })
  const without = await load({ ...request, port: bare.port, seconds: SECONDS })
  const real = await load({ ...request, port: server.port, seconds: SECONDS })
  rounds.push({ bare: without, real, reference })
  if (real.refused > 0) throw new Error(`${real.refused} requests were refused`)
}
print()
await bare.stop()
await server.stop()
await rm(scratchDir, { recursive: true, force: true })

/**
 * The same key check, validation, record, idempotency map, response and log, but without any
 * writes.
 */
async function withoutDatabase() {
  const { db, ids } = server
  const nudge = () => {}
  const log = benchLog()
  const publicUrl = 'http://127.0.0.1:4000'
  const simulator = { db, clock: systemClock, nudge, simulatorDelayMs: 0 }
  const providers = openProviders(openSimulator(simulator))
  const printer = openPrinter()
  const directory = join(tmpdir(), 'tradepost-no-files')
  const storage = await openStorage(directory)
  const files = openFiles({ db, clock: systemClock, nudge, directory, storage })
  const people = openPeople({ ids, clock: systemClock, nudge })
  const events = EVENT_CATALOGUE
  const about = { clock: systemClock, nudge, publicUrl }
  const deps = { ...about, db, ids, providers, printer, files, people, events }
  const fastify = buildServer({ logger: log, trustProxy: [] })
  const kernel = {
    db,
    clock: systemClock,
    publicUrl,
    sessions: { verify: sessionVerifier({ ...deps, log }), callerOf },
    authenticate: authenticator({ ...deps, log }),
    takeToken: () => ({}),
    idempotencyMs: 3_600_000,
    handlerTimeoutMs: 30_000,
    spool: files.spool,
  }
  mount(
    fastify,
    kernel,
    invoiceRoutes(
      deps,
      invoiceCreator(deps, async () => 'INV-000001'),
    ),
  )
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as { port: number }
  return { port, stop: () => fastify.close() }
}

/** The rows of one invoice as the server writes them, without the batch. */
async function statements(): Promise<string[]> {
  const row = await server.db.one<{ data: string }>`
    select data from events where type = 'invoice.created' limit 1`
  // Of the same length, but without colons, which pgbench would treat as variables.
  const record = `'${row.data.replaceAll("'", "''").replaceAll(':', ';')}'`
  const tenant = `${server.businessId}, false`
  return [
    `insert into idempotency_keys (business_id, live, scope, key, fingerprint, status, body,
       created_at, expires_at)
     values (${tenant}, 'POST payment-service/invoices', :id::text, sha256('x'), 201,
       convert_to(${record}, 'UTF8'), now(), now())`,
    `insert into invoices (business_id, live, id, reference, token, status, customer_email,
       customer_name, amount_minor, currency, note, due_date, allow_partial_payment, email_status,
       sent_at, event_sequence, created_at, updated_at)
     values (${tenant}, :id, 'INV_' || md5(:id::text), 'abcdefghijklmnopqrstuv', 'Sent',
       'ada.obi@example.com', 'Ada Obi', 1500050, 'NGN',
       'Two chairs and a table, delivered to Surulere', '2027-01-31', false, 'Queued', now(), 2,
       now(), now())`,
    ...['created', 'sent'].map(
      (what, i) => `insert into events (business_id, live, id, reference, type, object_type,
         object_id, sequence, data, created_at)
       values (${tenant}, :id::bigint + ${i + 1}, 'evt_' || md5(:id::text), 'invoice.${what}', 'invoice',
         :id, ${i + 1}, ${record}, now())`,
    ),
    `insert into mails (business_id, live, id, kind, subject_type, subject_id, to_address, due_at,
       created_at)
     values (${tenant}, :id::bigint + 3, 'invoice', 'invoice', :id, 'ada.obi@example.com',
       now() + interval '1 day', now())`,
  ]
}

function print(): void {
  const middle = (of: (round: (typeof rounds)[number]) => number) =>
    rounds.map(of).sort((a, b) => a - b)[rounds.length >> 1]!
  const real = middle((round) => round.real.perSecond)
  const p50 = middle((round) => round.real.p50Ms)
  const p99 = middle((round) => round.real.p99Ms)
  const row = (name: string, value: string) => console.log(`  ${name.padEnd(44)} ${value}`)
  console.log(`POST invoices, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds\n`)
  row('route without a database, requests/s', middle((r) => r.bare.perSecond).toFixed(0))
  row(
    `${rounds[0]!.reference.tool}, transactions/s`,
    middle((r) => r.reference.perSecond).toFixed(0),
  )
  row('route, all durable before the response', real.toFixed(0))
  row('p50, p99', `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`)
  console.log('')
  row(
    'of the route without a database (goal 0.80)',
    middle((r) => r.real.perSecond / r.bare.perSecond).toFixed(2),
  )
  row(
    '× one transaction per request (goal 2.0)',
    middle((r) => r.real.perSecond / r.reference.perSecond).toFixed(2),
  )
  row('p99 / p50 (goal at most 3)', (p99 / p50).toFixed(1))
}
