import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { aboutSecret, newWebhookSecret } from '../src/developers/webhooks/send.ts'
import { appendEvents } from '../src/events/append.ts'
import { type Figure, median, type Options, report } from './figures.ts'
import { type Server, startServer } from './server.ts'

const FILE = fileURLToPath(import.meta.url)
const DELIVERIES = 10_000
/** Loads code, prepares statements and lets the pace rise. */
const WARM_UP_DELIVERIES = 1_000
/** The number of events created in one statement, as in a busy shop. */
const TOGETHER = 200

/** About as large as an invoice with two items. */
const DATA = { reference: 'INV_', customerEmail: 'ada@example.com', note: 'x'.repeat(900) }

if (process.argv[1] === FILE && process.send) receive()

/** Responds at `/fast`; never responds at `/hung`. */
function receive(): void {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url !== '/hung') response.end('ok')
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

/**
 * Measures deliveries to a receiver that responds at once, in a separate process, while another
 * endpoint never responds.
 */
export async function measureWebhooks({ rounds }: Options): Promise<Figure[]> {
  const child = fork(FILE)
  const port = await new Promise<number>((resolve) => child.once('message', resolve as () => void))
  const server = await startServer()
  try {
    const origin = `http://127.0.0.1:${port}`
    const fast = await insertEndpoint(server, `${origin}/fast`)
    await insertEndpoint(server, `${origin}/hung`)
    await deliver(server, fast, WARM_UP_DELIVERIES)
    const all: Awaited<ReturnType<typeof deliver>>[] = []
    for (let round = 0; round < rounds; round++) all.push(await deliver(server, fast, DELIVERIES))
    const middle = (of: 'perSecond' | 'middleMs' | 'slowestMs') =>
      median(all.map((round) => round[of]))
    return report([
      { goal: 10, what: 'webhooks', value: middle('perSecond'), unit: '/s', atLeast: 3_000 },
      { goal: 10, what: 'half delivered within', value: middle('middleMs'), unit: ' ms' },
      { goal: 10, what: 'slowest delivered within', value: middle('slowestMs'), unit: ' ms' },
    ])
  } finally {
    await server.stop()
    child.disconnect()
  }
}

async function insertEndpoint(
  { db, ids, keyring, businessId }: Server,
  url: string,
): Promise<number> {
  const id = await ids.next()
  const now = new Date()
  await db.transaction(async (tx) => {
    const secret = await keyring.encrypt(tx, aboutSecret(id), newWebhookSecret())
    await tx.run`
      insert into webhooks
        (business_id, live, id, reference, url, secret_encrypted, created_at, updated_at)
      values (${businessId}, false, ${id}, ${`wh_${id}`}, ${url}, ${secret}, ${now}, ${now})`
  })
  return id
}

async function deliver(server: Server, webhookId: number, count: number) {
  const { db } = server
  const began = new Date()
  for (let i = 0; i < count; i += TOGETHER) await append(server, Math.min(TOGETHER, count - i))
  const isDone = async () => {
    const { done } = await db.one<{ done: boolean }>`
      select not exists (select from webhook_deliveries
        where webhook_id = ${webhookId} and status = 'Pending') as done`
    return done
  }
  while (!(await isDone())) await sleep(100)
  const perSecond = (count * 1000) / (Date.now() - began.getTime())
  const late = await db.one<{ slowestMs: number; middleMs: number }>`
    select max(late) as "slowestMs",
      percentile_cont(0.5) within group (order by late) as "middleMs"
    from (
      select extract(epoch from a.at - d.created_at)::float8 * 1000 + a.duration_ms as late
      from webhook_deliveries d
      join webhook_attempts a using (business_id, live, webhook_id, event_id)
      where d.webhook_id = ${webhookId} and d.created_at >= ${began}
    ) lates`
  return { perSecond, ...late }
}

async function append({ db, ids, businessId }: Server, count: number): Promise<void> {
  const one = async () => ({
    businessId,
    live: false,
    type: 'invoice.created',
    objectType: 'invoice',
    objectId: await ids.next(),
    sequence: 1,
    data: DATA,
    at: new Date(),
  })
  const events = await Promise.all(Array.from({ length: count }, one))
  await db.transaction((tx) => appendEvents(tx, ids, events))
}
