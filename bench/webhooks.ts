// Measures deliveries to a receiver that responds at once, in a separate process, while another
// endpoint never responds. BENCH_DELIVERIES sets how many.

import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newWebhookSecret } from '../src/developers/webhooks/send.ts'
import { appendEvents } from '../src/events/append.ts'
import { startBenchServer } from './server.ts'

const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 10_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** The number of events created in one statement, as in a busy shop. */
const TOGETHER = 200

/** About as large as an invoice with two items. */
const DATA = { reference: 'INV_', customerEmail: 'ada@example.com', note: 'x'.repeat(900) }

if (process.argv[2] === 'receiver') receive()
else await measure()

/** Responds at `/fast` and reports the count to its parent; never responds at `/hung`. */
function receive(): void {
  let count = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/hung') return
    count++
    response.end('ok')
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('message', () => process.send!(count))
  process.on('disconnect', () => process.exit())
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['receiver'])
  const port = await new Promise<number>((resolve) => child.once('message', resolve as () => void))
  const server = await startBenchServer()
  const { db, ids, businessId } = server
  const fast = await endpoint('fast')
  await endpoint('hung')
  try {
    // Much of the first round is spent on loading code, preparing statements and getting up to
    // speed.
    await round(1_000)
    for (let i = 0; i < ROUNDS; i++) await round(DELIVERIES)
  } finally {
    await server.stop()
    child.disconnect()
  }

  async function endpoint(path: string): Promise<number> {
    const id = await ids.next()
    const url = `http://127.0.0.1:${port}/${path}`
    await db.run`
      insert into webhooks
        (business_id, live, id, reference, url, secret, created_at, updated_at)
      values (${businessId}, false, ${id}, ${path}, ${url}, ${newWebhookSecret()}, ${new Date()},
        ${new Date()})`
    return id
  }

  async function round(count: number): Promise<void> {
    const told = new Date()
    for (let i = 0; i < count; i += TOGETHER) await tell(Math.min(TOGETHER, count - i))
    const written = performance.now()
    const undone = async () => {
      const { n } = await db.one<{ n: number }>`
        select count(*) as n from webhook_deliveries
        where webhook_id = ${fast} and status = 'Pending'`
      return n
    }
    const left = await undone()
    while ((await undone()) > 0) await sleep(100)
    const seconds = (performance.now() - written) / 1000
    const { latest, middle } = await db.one<{ latest: number; middle: number }>`
      select max(late) as latest, percentile_cont(0.5) within group (order by late) as middle
      from (
        select extract(epoch from a.at - d.created_at)::float8 * 1000 + a.duration_ms as late
        from webhook_deliveries d
        join webhook_attempts a using (business_id, live, webhook_id, event_id)
        where d.webhook_id = ${fast} and d.created_at >= ${told}
      ) lates`
    const took = (Date.now() - told.getTime()) / 1000
    console.log(
      [
        `${count} deliveries, ${Math.round(count / took)}/s from the first event on`,
        `${Math.round(left / seconds)}/s of the ${left} left when the last was written`,
        `half within ${Math.round(middle)} ms, the slowest ${Math.round(latest)} ms`,
      ].join('; '),
    )
  }

  async function tell(count: number): Promise<void> {
    const events = await Promise.all(
      Array.from({ length: count }, async () => ({
        businessId,
        live: false,
        type: 'invoice.created',
        objectType: 'invoice',
        objectId: await ids.next(),
        sequence: 1,
        data: DATA,
        at: new Date(),
      })),
    )
    await db.transaction((tx) => appendEvents(tx, ids, events))
  }
}
