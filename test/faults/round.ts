import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { callerWith } from '../harness.ts'
import { startReceiver } from '../webhook-receiver.ts'
import type { Fault, Options } from './catalogue.ts'
import {
  compareEvents,
  compareReplay,
  type Entry,
  type Row,
  reconcile,
  type Violation,
} from './journal.ts'
import { attempt, KINDS, post, SCARCE_PIECES, type Shop, sendNew } from './operations.ts'
import type { Tally } from './promises.ts'
import { type Business, type Rig, statusOf } from './rigs.ts'

/* One fault after the other on a rig under load, with everything that is checked after each. */

const SALES = '/api/payment-service/external/v1'
const USER = '/api/user-service/external/v1'

const CLIENTS = 6
const LOAD_MS = 1_500
const READY_MS = 60_000
const STABLE_MS = 1_000
const DECIDED_MS = 90_000
/** A killed server still holds the deliveries that it has claimed, for a minute. */
const SETTLED_MS = 180_000
const REPLAYS_MAX = 40

/** How often each kind is sent: invoices most often. */
const MIX = [
  ...['invoice', 'invoice', 'invoice', 'charge', 'charge', 'checkout', 'transfer'],
  ...['refund', 'bill', 'account', 'deposit'],
]

export interface Outcome {
  requests: number
  unknown: number
  /** From the end of the fault until `/health/ready` stays 200. */
  readyMs: number
  violations: Violation[]
  /** What the fault itself reports. */
  says: string | undefined
}

/** Opens a business on a rig, with products, an enquiry and a webhook endpoint. */
export async function openSession(rig: Rig, random: () => number, tally: Tally) {
  const { keys, businessId } = await rig.json('business', 'create', 'Ada Ventures')
  const client = { url: rig.url, key: keys.testSecret, agent: new Agent({ keepAlive: true }) }
  const { post: create } = callerWith(rig.url, keys.testSecret)
  const made = async (path: string, body: object) => {
    const { status, body: reply, text } = await create(path, body)
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return reply
  }
  const product = async (quantity: number) => {
    const { data } = await made(`${SALES}/products/create-product`, {
      name: 'Shirt',
      price: 500,
      quantity,
    })
    return data.productId as string
  }
  const { receiver, close: closeReceiver } = await startReceiver()
  const webhook = await made(`${USER}/webhooks`, { url: `${receiver.url}/good` })
  await made(`${SALES}/utility/transactions/customer-enquiry`, {
    customerId: '08031234567',
    packageSlug: 'mtn-airtime-top-up',
  })
  const [{ since }] = (await rig.query(
    'select coalesce(max(id), 0) as since from events where business_id = $1',
    [businessId],
  )) as [{ since: string }]
  const shop: Shop = {
    client,
    random,
    entries: [],
    payments: [],
    accounts: [],
    seenAccounts: new Set(),
    violations: [],
    scarce: await product(SCARCE_PIECES),
    plenty: await product(1_000_000),
    statuses: new Map(),
    races: 0,
  }
  const business: Business = { id: businessId, keys, receiver }
  const verifier = new Webhook(webhook.data.secret)
  const unsigned: Violation[] = []
  // On arrival, because a signature is only good for some minutes.
  receiver.answer = (response, { path, body, headers }) => {
    response.end('thanks')
    if (path !== '/good') return
    try {
      verifier.verify(body, headers as Record<string, string>)
    } catch (error) {
      unsigned.push({ promise: 'P5', what: `${headers['webhook-id']}: ${error}` })
    }
  }

  /** Keeps clients busy until `isOver`. */
  async function load(isOver: () => boolean): Promise<void> {
    const busy = async () => {
      while (!isOver()) {
        await sendNew(shop, MIX[Math.floor(random() * MIX.length)]!)
        await sleep(20 + random() * 80)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, busy))
  }

  async function runFault(fault: Fault, options: Options): Promise<Outcome> {
    const from = shop.entries.length
    shop.violations.length = 0
    let isOver = false
    const loading = load(() => isOver)
    await sleep(LOAD_MS)
    const probe = watchHealth(rig)
    const brokeAt = performance.now()
    const result = await fault.run(rig, random, business, options)
    const healthy = await probe.untilReady(fault.isInstant ? brokeAt : performance.now())
    // A command beside a server under load.
    const audit = await rig.json('audit')
    await sleep(LOAD_MS)
    isOver = true
    await loading
    const entries = shop.entries.slice(from)
    const unknown = entries.filter(({ answer }) => answer === 'unknown').length
    await decide(entries)
    const found: Violation[] = [
      ...(result?.violations ?? []),
      ...shop.violations.splice(0),
      ...health(fault, healthy),
    ]
    tally.add('P17', 1)
    found.push(...count('P2', 1, auditViolations(audit)))
    found.push(...count('P1', entries.length, reconcile(entries, await readRows())))
    found.push(...(await replay(entries)))
    for (const promise of fault.promises) tally.add(promise, result?.checks ?? 1)
    tally.add('P3', shop.races)
    shop.races = 0
    tally.add('P1', 0, found)
    const { readyMs } = healthy
    return { requests: entries.length, unknown, readyMs, violations: found, says: result?.says }
  }

  function count(promise: string, checks: number, violations: Violation[]): Violation[] {
    tally.add(promise, checks)
    return violations
  }

  /** Repeats with their keys what nobody knows, and half of what was not done. */
  async function decide(entries: readonly Entry[]): Promise<void> {
    const open = entries.filter(
      ({ answer }, i) => answer === 'unknown' || (answer === 'unavailable' && i % 2 === 0),
    )
    for (const entry of open) entry.sent = Math.max(entry.sent, 1)
    for (const until = Date.now() + DECIDED_MS; Date.now() < until; await sleep(200)) {
      const left = open.filter(({ answer }) => answer === 'unknown' || answer === 'unavailable')
      if (left.length === 0) return
      for (let i = 0; i < left.length; i += CLIENTS) {
        await Promise.all(left.slice(i, i + CLIENTS).map((entry) => attempt(shop, entry)))
      }
    }
  }

  async function readRows(): Promise<Map<string, Row[]>> {
    const all = Object.entries(KINDS).map(async ([kind, { rows }]) => {
      const found = await rig.query(rows, [businessId])
      return [kind, found as unknown as Row[]] as const
    })
    return new Map(await Promise.all(all))
  }

  /** Repeats a sample of what was done, with the same keys. */
  async function replay(entries: readonly Entry[]): Promise<Violation[]> {
    const done = entries.filter(({ answer, isFinal }) => answer === 'done' && isFinal)
    const step = Math.max(1, Math.floor(done.length / REPLAYS_MAX))
    const sample = done.filter((_, i) => i % step === 0)
    const found: Violation[] = []
    for (const entry of sample) {
      const { status, text } = await post(client, entry)
      found.push(...compareReplay(entry, status, text))
    }
    return count('P3', sample.length, found)
  }

  /** Waits until nothing is left to do, and checks what can only be known then. */
  async function finish(): Promise<Violation[]> {
    const left = await untilSettled()
    const found: Violation[] = left.map((what) => ({ promise: 'P8', what: `still open: ${what}` }))
    tally.add('P8', 1)
    const rows = await rig.query(
      'select reference from events where business_id = $1 and not live and id > $2',
      [businessId, since],
    )
    const committed = new Set(rows.map(({ reference }) => `${reference}`))
    const received = receiver.at('/good')
    const ids = new Set(received.map(({ headers }) => `${headers['webhook-id']}`))
    found.push(...count('P5', committed.size, compareEvents(committed, ids)))
    found.push(...unsigned)
    found.push(...count('P1', shop.entries.length, reconcile(shop.entries, await readRows())))
    found.push(...count('P2', 1, auditViolations(await rig.json('audit'))))
    found.push(...count('P4', shop.entries.length, await oversold()))
    tally.add('P5', 0, found)
    return found
  }

  /**
   * Counts what clients know, as rows could be missing. In a long run, unpaid checkouts give back
   * their pieces, and others reserve these.
   */
  async function oversold(): Promise<Violation[]> {
    const rows = await rig.query(
      `select c.reference from checkouts c join stock_reservations r
         on (r.business_id, r.live, r.cause_id) = (c.business_id, c.live, c.id)
       where c.business_id = $1 and not c.live and r.status = 'Released'`,
      [businessId],
    )
    const released = new Set(rows.map(({ reference }) => reference))
    const sold = shop.entries.filter(({ kind, answer, body, reference }) => {
      const [line] = (body as { products?: { productId: string }[] }).products ?? []
      if (kind !== 'checkout' || answer !== 'done' || line?.productId !== shop.scarce) return false
      return !released.has(reference)
    })
    if (sold.length <= SCARCE_PIECES) return []
    return [{ promise: 'P4', what: `${sold.length} of ${SCARCE_PIECES} pieces were sold` }]
  }

  /** Returns what is still open at the end of a long wait, in test mode, which the load is for. */
  async function untilSettled(): Promise<string[]> {
    let left: string[] = []
    for (const until = Date.now() + SETTLED_MS; Date.now() < until; await sleep(500)) {
      const rows = await rig.query(
        `select 'charge ' || reference as what from transactions
           where business_id = $1 and not live and purpose = 'charge' and status = 'Pending'
         union all select 'transfer ' || reference from transfers
           where business_id = $1 and not live and status = 'Pending'
         union all select 'refund ' || reference from refunds
           where business_id = $1 and not live and status in ('Pending', 'Processing')
         union all select 'bill ' || reference from utility_payments
           where business_id = $1 and not live and status = 'Pending'
         union all select 'delivery of ' || event_id from webhook_deliveries
           where business_id = $1 and not live and webhook_id = $2 and status <> 'Delivered'`,
        [businessId, webhook.data.id],
      )
      left = rows.map(({ what }) => `${what}`)
      if (left.length === 0) return []
    }
    return left.slice(0, 10)
  }

  async function close(): Promise<void> {
    client.agent.destroy()
    closeReceiver()
    await rig.close()
  }
  return { shop, runFault, finish, close, received: () => receiver.received.length }
}

function auditViolations({ findings }: { findings: object[] }): Violation[] {
  return findings.map((one) => ({ promise: 'P2', what: `the audit found ${JSON.stringify(one)}` }))
}

interface Health {
  readyMs: number
  live: Set<number>
  ready: Set<number>
}

/** Asks a server how it is until a fault is over and the server is ready again. */
function watchHealth({ url }: Rig) {
  const live = new Set<number>()
  const ready = new Set<number>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      live.add(await statusOf(`${url}/health/live`))
      ready.add(await statusOf(`${url}/health/ready`))
      await sleep(100)
    }
  })()
  /** A server that has just lost its database may not know it yet, so it must stay ready. */
  async function untilReady(began: number): Promise<Health> {
    let since: number | undefined
    let now = performance.now()
    while ((since === undefined || now - since < STABLE_MS) && now - began < READY_MS) {
      const status = await statusOf(`${url}/health/ready`)
      now = performance.now()
      since = status === 200 ? (since ?? now) : undefined
      await sleep(20)
    }
    isOver = true
    await watching
    const readyMs = since === undefined ? Number.POSITIVE_INFINITY : since - began
    return { readyMs, live, ready }
  }
  return { untilReady }
}

function health(fault: Fault, { readyMs, live, ready }: Health): Violation[] {
  const found: string[] = []
  if (readyMs > READY_MS) found.push(`not ready ${READY_MS / 1_000} s after ${fault.what}`)
  if (fault.isServerUp && [...live].some((status) => status !== 200)) {
    found.push(`/health/live was ${[...live].join(', ')} during ${fault.what}`)
  }
  if (fault.isNoticed && !ready.has(503)) {
    found.push(`/health/ready never was 503 during ${fault.what}`)
  }
  return found.map((what) => ({ promise: 'P8', what }))
}
