import { createHmac } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startProxy } from '../../../test/db-proxy.ts'
import { startSecond, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import {
  addSecret as addSecretTo,
  connect,
  routesApply,
  setRoutes,
} from '../../providers/providers.fixture.ts'
import { moveSimulatedOrder } from '../../providers/simulator/orders.ts'
import { memberOf } from '../people/people.fixture.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const SECRET = 'sk_test_the_secret_of_these_tests'
const connectors = (simulator: object) => ({ paystack: simulator as never })
const server = await startServer({ jobs: false, connectors })
const { db, clock, runJob } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

/** How often a hundred notifications arrive at once. */
const FLOODS = process.env.FAULTS === '1' ? 100 : 10
const FLOOD_TIMEOUT_MS = 300_000

const addSecret = (connectionId: number, secret: string, version: number, until?: Date) =>
  addSecretTo(server, connectionId, secret, version, until)

async function account(secret = SECRET) {
  const made = await server.newBusiness()
  const connectionId = await connect(server, made.businessId)
  await addSecret(connectionId, secret, 1)
  return { ...made, connectionId, key: server.as(made.keys.testSecret) }
}

const signed = (body: string | Buffer, secret: string) =>
  createHmac('sha512', secret).update(body).digest('hex')

interface Sent {
  signature?: string | null
  url?: string
  type?: string
}

/** Sends a notification as Paystack does. */
async function notify(connectionId: number, body: string | Buffer, sent: Sent = {}) {
  const { signature = signed(body, SECRET), url = server.url, type = 'application/json' } = sent
  const response = await fetch(`${url}/providers/notices/token-${connectionId}`, {
    method: 'POST',
    body: body as string,
    headers: {
      'content-type': type,
      ...(signature !== null && { 'x-paystack-signature': signature }),
    },
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const charge = (reference: string, id = 1) =>
  JSON.stringify({ event: 'charge.success', data: { id, reference, customer: { pin: '1234' } } })

interface Row {
  id: number
  status: string
  deliveries: number
  tries: number
  body_encrypted: Buffer
}

const notices = (connectionId: number) =>
  db.many<Row>`
    select id, status, deliveries, tries, body_encrypted from provider_notices
    where connection_id = ${connectionId} order by id`

const refusals = (connectionId: number) =>
  db.many<{ reason: string; count: number }>`
    select reason, sum(count)::integer as count from provider_notice_refusals
    where connection_id = ${connectionId} group by reason order by reason`

/** Starts a payment through the connection. */
async function started({ businessId, connectionId, key }: Awaited<ReturnType<typeof account>>) {
  await setRoutes(server, businessId, [{ service: 'USSD', connectionId }])
  await routesApply()
  const { body } = await key.post(USSD, { channel: 'USSD', amount: 500 })
  const id = body.data.transactionId as number
  const order = await db.one<{ sent_reference: string }>`
    select sent_reference from provider_orders
    where business_id = ${businessId} and subject_id = ${id} and kind = 'charge'`
  const status = async () =>
    (
      await db.one<{ status: string }>`
      select status from transactions where business_id = ${businessId} and id = ${id}`
    ).status
  const approve = () =>
    moveSimulatedOrder(db, { businessId, live: false }, order.sent_reference, 'approved')
  return { sent: order.sent_reference, status, approve }
}

test('200 stores an event once, however often and in whatever order it comes, and looks it up', async () => {
  const one = await account()
  const { sent, status, approve } = await started(one)
  const early = charge(sent, 1)
  expect(await notify(one.connectionId, early)).toMatchObject({ status: 200 })
  await runJob('provider-notices')
  // Nothing is believed: the provider says that it is pending.
  expect(await status()).toBe('Pending')
  await approve()
  const late = charge(sent, 2)
  const all = Array.from({ length: 20 }, (_, i) => notify(one.connectionId, i % 2 ? early : late))
  for (const response of await Promise.all(all)) expect(response.status).toBe(200)
  await Promise.all([runJob('provider-notices'), runJob('provider-notices')])
  expect(await status()).toBe('Successful')
  const rows = await notices(one.connectionId)
  expect(rows.map((row) => [row.status, row.deliveries])).toEqual([
    ['Unchanged', 11],
    ['Applied', 10],
  ])
  for (const row of rows) expect(row.body_encrypted.includes(sent)).toBe(false)
})

test('401 unless it is signed with a present key of this connection; only counts are stored', async () => {
  const [one, other] = [await account(), await account('sk_test_another')]
  const body = charge('trf-x')
  const flipped = Buffer.from(body)
  flipped[3]! ^= 1
  const id = one.connectionId
  expect(await notify(id, body, { signature: null })).toMatchObject({ status: 401 })
  const forged = [
    await notify(id, flipped, { signature: signed(body, SECRET) }),
    await notify(id, body, { signature: signed(body, 'sk_test_another') }),
    await notify(id, body, { signature: 'x' }),
    await notify(other.connectionId, body),
  ]
  for (const { status } of forged) expect(status).toBe(401)
  expect((await notify(id, Buffer.alloc(300 * 1024), {})).status).toBe(413)
  expect((await notify(0, body)).status).toBe(404)
  for (const token of ['%00', '%F0%9F%92%A9', 'a%2F..%2Fb', 'x'.repeat(1_000)]) {
    const url = `${server.url}/providers/notices/${token}`
    expect((await fetch(url, { method: 'POST', body })).status).toBe(404)
  }
  await runJob('provider-notice-refusals')
  expect(await refusals(id)).toEqual([
    { reason: 'forged', count: 3 },
    { reason: 'too_large', count: 1 },
    { reason: 'unsigned', count: 1 },
  ])
  expect(await notices(id)).toEqual([])
  await db.run`update provider_connections set status = 'Removed' where id = ${id}`
  await routesApply()
  expect((await notify(id, body)).status).toBe(410)
})

test('200 for the key that is being rotated out, 401 for one that no longer counts', async () => {
  const { connectionId: id } = await account()
  const until = (ms: number) => new Date(clock.now().getTime() + ms)
  await addSecret(id, 'sk_test_former', 2, until(60_000))
  await addSecret(id, 'sk_test_retired', 3, until(-1_000))
  const body = charge('trf-rotated')
  expect((await notify(id, body, { signature: signed(body, 'sk_test_former') })).status).toBe(200)
  expect((await notify(id, body, { signature: signed(body, 'sk_test_retired') })).status).toBe(401)
})

test(
  '401 for each of many forgeries: they are one row, and no notification',
  async () => {
    const { connectionId: id } = await account()
    const body = charge('trf-flood')
    for (let i = 0; i < FLOODS; i++) {
      const some = Array.from({ length: 100 }, () => notify(id, body, { signature: 'forged' }))
      for (const { status } of await Promise.all(some)) expect(status).toBe(401)
    }
    await runJob('provider-notice-refusals')
    expect(await refusals(id)).toEqual([{ reason: 'forged', count: 100 * FLOODS }])
    expect(await notices(id)).toEqual([])
  },
  FLOOD_TIMEOUT_MS,
)

test(
  '200 for each of many notifications, of which half are repeated, with no limit',
  async () => {
    const { connectionId: id } = await account()
    for (let i = 0; i < FLOODS; i++) {
      const some = Array.from({ length: 100 }, (_, n) => notify(id, charge(`trf-${i >> 1}-${n}`)))
      for (const { status } of await Promise.all(some)) expect(status).toBe(200)
    }
    const { n, deliveries } = await db.one<{ n: number; deliveries: number }>`
    select count(*)::integer as n, sum(deliveries)::integer as deliveries
    from provider_notices where connection_id = ${id}`
    expect({ n, deliveries }).toEqual({ n: 50 * FLOODS, deliveries: 100 * FLOODS })
  },
  FLOOD_TIMEOUT_MS,
)

test('429 after 60 refusals from one network, before the body is read', async () => {
  const { connectionId: id } = await account()
  const limited = await startSecond(server, { rateLimit: 100, connectors })
  const began = clock.now().getTime()
  const statuses: number[] = []
  do {
    statuses.push((await notify(id, 'x', { signature: 'forged', url: limited.url })).status)
  } while (statuses.at(-1) === 401)
  expect(statuses.at(-1)).toBe(429)
  // One more is allowed for each second that has passed meanwhile.
  const seconds = (clock.now().getTime() - began) / 1_000
  expect(statuses.length - 1).toBeGreaterThanOrEqual(60)
  expect(statuses.length - 1).toBeLessThanOrEqual(60 + seconds)
})

test('503 while the database is down, and stored when it is sent again', async () => {
  const { connectionId: id } = await account()
  const proxy = await startProxy(server.connection)
  const second = await startSecond(server, { connection: proxy.connection, connectors })
  const { url } = second
  expect((await notify(id, charge('trf-before'), { url })).status).toBe(200)
  proxy.cut()
  const during = await notify(id, charge('trf-during'), { url })
  expect(during.status).toBe(503)
  expect(during.headers.get('retry-after')).not.toBe(null)
  proxy.restore()
  const again = async () => (await notify(id, charge('trf-during'), { url })).status
  await expect.poll(again).toBe(200)
  expect(await notices(id)).toHaveLength(2)
  await second.close()
})

test('200 keeps what it cannot read or match; people list and replay it; it goes after 90 days', async () => {
  const { businessId, connectionId: id } = await account()
  expect((await notify(id, Buffer.from([0xff, 0, 0x7b]), { type: 'text/x' })).status).toBe(200)
  expect((await notify(id, charge('trf-nobody'))).status).toBe(200)
  for (let i = 0; i < 4; i++) {
    await runJob('provider-notices')
    clock.advance(3_600_000)
  }
  const owner = await memberOf(server, 'owner', businessId)
  const path = `/console/providers/${id}/notices`
  const { body } = await owner.get(path)
  expect(body.data).toMatchObject([
    { status: 'Unmatched', type: 'charge.success', tries: 4, nextTryAt: null },
    { status: 'Unreadable', type: null },
  ])
  const [unmatched, unreadable] = body.data
  expect((await owner.get(`${path}?status=Unreadable`)).body.data).toHaveLength(1)
  const shown = await owner.get(`${path}/${unmatched.id}`)
  expect(shown.body.data.body).toContain('trf-nobody')
  expect(shown.body.data.body).not.toContain('1234')
  const { n } = await db.one<{ n: number }>`
    select count(*)::integer as n from provider_differences
    where business_id = ${businessId} and class = 'missing_here' and source = 'notice'`
  expect(n).toBe(1)

  const viewer = await memberOf(server, 'viewer', businessId)
  const finance = await memberOf(server, 'finance', businessId)
  expect((await viewer.get(path)).status).toBe(403)
  expect((await finance.get(path)).status).toBe(200)
  expect((await finance.post(`${path}/${unmatched.id}/replay`, {})).status).toBe(403)
  expect((await owner.post(`${path}/${unreadable.id}/replay`, {})).status).toBe(409)
  const replayed = await owner.post(`${path}/${unmatched.id}/replay`, {})
  expect(replayed.body.data).toMatchObject({ status: 'Received', tries: 0 })
  const stranger = await memberOf(server, 'owner', (await account()).businessId)
  expect((await stranger.get(path)).status).toBe(404)
  expect((await stranger.get(`${path}/${unmatched.id}`)).status).toBe(404)

  clock.advance(91 * 24 * 3_600_000)
  await runJob('provider-notice-expiry')
  expect(await notices(id)).toEqual([])
})
