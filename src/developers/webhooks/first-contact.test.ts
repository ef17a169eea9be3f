import { afterAll, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { attemptsOf, disable, endpointAt, sendDue, tellEvents } from './webhooks.fixture.ts'

const BASE = '/api/user-service/external/v1/webhooks'
const TELL = '/api/simulator/events'

const server = await startServer({ jobs: false, webhooks: { allowsLoopback: true } })
const receiver = await openReceiver()
const { db } = server
const fresh = { proved: false } as const

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

/** Counts the requests that the receiver has open at once; `answer` responds to each. */
function watch(status: number) {
  const seen = { most: 0 }
  let open = 0
  receiver.answer = async (response) => {
    open++
    seen.most = Math.max(seen.most, open)
    // Others would get through here, if anything let them.
    for (let i = 0; i < 50; i++) await new Promise(setImmediate)
    open--
    response.writeHead(status).end()
  }
  return seen
}

async function shop() {
  const made = await server.newBusiness()
  return { ...made, ...server.as(made.keys.testSecret) }
}

test('500 gets one request at a time from fifty endpoints at one host', async () => {
  const own = await shop()
  const endpoints = []
  for (let i = 0; i < 50; i++) {
    const url = `${receiver.url}/cannon?${i}`
    const events = ['invoice.created']
    endpoints.push(await endpointAt(server, { ...fresh, url, businessId: own.businessId, events }))
  }
  const seen = watch(500)
  const before = receiver.received.length
  await tellEvents(own, 4)
  await sendDue(server)
  // All were tried; on a slow machine, some twice.
  expect(receiver.received.length - before).toBeGreaterThanOrEqual(200)
  expect(seen.most).toBe(1)
  expect((await attemptsOf(server, endpoints[0]!)).length).toBeGreaterThanOrEqual(4)
  for (const one of endpoints) await disable(server, one)
})

test('503 at a URL of two businesses gets one request at a time', async () => {
  const [one, other] = [await shop(), await shop()]
  const url = `${receiver.url}/shared`
  const endpoints = [
    await endpointAt(server, { ...fresh, url, businessId: one.businessId }),
    await endpointAt(server, { ...fresh, url: `${url}#again`, businessId: other.businessId }),
  ]
  const seen = watch(503)
  await Promise.all([tellEvents(one, 3), tellEvents(other, 3)])
  await sendDue(server)
  expect(seen.most).toBe(1)
  for (const endpoint of endpoints) await disable(server, endpoint)
})

test('200 once, and several run at once; one at a time again at another URL', async () => {
  const own = await shop()
  const endpoint = await endpointAt(server, {
    ...fresh,
    url: `${receiver.url}/honest`,
    businessId: own.businessId,
  })
  watch(200)
  await tellEvents(own)
  await sendDue(server)
  const proved = () =>
    db.one<{ url_proved_at: Date | null }>`
      select url_proved_at from webhooks where id = ${endpoint.id}`
  expect((await proved()).url_proved_at).not.toBeNull()
  const fast = watch(200)
  await tellEvents(own, 20)
  await sendDue(server)
  expect(fast.most).toBeGreaterThan(1)

  const moved = { url: `${receiver.url}/moved` }
  expect((await own.put(`${BASE}/${endpoint.reference}`, moved)).status).toBe(200)
  expect((await proved()).url_proved_at).toBeNull()
  const seen = watch(500)
  await tellEvents(own, 20)
  await sendDue(server)
  expect(seen.most).toBe(1)
  await disable(server, endpoint)
})

test('200 of simultaneous manual tests take turns at a URL that never responded', async () => {
  const own = await shop()
  const paths = []
  for (let i = 0; i < 4; i++) {
    const { body } = await own.post(BASE, { url: `${receiver.url}/tried/${i}` })
    paths.push(`${BASE}/${body.data.reference}/test`)
  }
  const seen = watch(500)
  const replies = await Promise.all(paths.map((path) => own.post(path)))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(seen.most).toBe(1)
})

test('201 for one of many simultaneous equal URLs; 409 names it to the others', async () => {
  const own = await shop()
  const spelt = [
    'https://Example.com/hook',
    'https://example.com:443/hook',
    'https://example.com/hook#a',
  ]
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => untilDone(() => own.post(BASE, { url: spelt[i % 3] }))),
  )
  const [made, ...more] = replies.filter(({ status }) => status === 201)
  expect(more).toEqual([])
  const { reference } = made!.body.data
  for (const { status, body } of replies.filter((reply) => reply !== made)) {
    expect([status, body.errorCode]).toEqual([409, 'webhook_exists'])
    expect(body.message).toContain(reference)
  }
  const other = (await own.post(BASE, { url: 'https://example.com/other' })).body.data
  const taken = await own.put(`${BASE}/${other.reference}`, { url: spelt[0] })
  expect([taken.status, taken.body.errorCode]).toEqual([409, 'webhook_exists'])
  const same = await own.put(`${BASE}/${reference}`, { url: made!.body.data.url, events: ['*'] })
  expect(same.status).toBe(200)
  expect((await own.post(`${BASE}/${reference}/delete`)).status).toBe(200)
  expect((await own.post(BASE, { url: spelt[1] })).status).toBe(201)
  // Another business, and the other mode, have their own endpoints.
  const stranger = await shop()
  expect((await stranger.post(BASE, { url: spelt[1] })).status).toBe(201)
  const live = server.as(own.keys.liveSecret)
  expect((await live.post(BASE, { url: spelt[1] })).status).toBe(201)
})

test.each([
  'https://8.8.8.8/hook',
  'https://[2606:4700::1111]/hook',
  'https://134744072/hook',
  'https://example.com:22/hook',
  'http://example.com:6379/hook',
])('400 for %s in live mode, and 201 in test mode', async (url) => {
  const own = await shop()
  const live = server.as(own.keys.liveSecret)
  expect(await live.post(BASE, { url })).toMatchObject({
    status: 400,
    body: { errorCode: 'url_refused' },
  })
  expect((await own.post(BASE, { url })).status).toBe(201)
  const { body } = await live.post(BASE, { url: 'https://example.com:8443/hook' })
  expect((await live.put(`${BASE}/${body.data.reference}`, { url })).status).toBe(400)
})

test('200 changes the events of a live endpoint from before the rules', async () => {
  const own = await shop()
  const url = 'https://8.8.8.8:9000/hook'
  const old = await endpointAt(server, { url, businessId: own.businessId, live: true })
  const live = server.as(own.keys.liveSecret)
  const changed = await live.put(`${BASE}/${old.reference}`, { url, events: ['invoice.paid'] })
  expect([changed.status, changed.body.data.url]).toEqual([200, url])
})

test('400 for the URL of the server itself, in both modes', async () => {
  const own = await startServer({ jobs: false, publicUrl: 'https://pay.example.com' })
  for (const key of [own.business.keys.testSecret, own.business.keys.liveSecret]) {
    for (const url of ['https://pay.example.com/hook', 'http://PAY.example.com:8443/']) {
      const { status, body } = await own.as(key).post(BASE, { url })
      expect([status, body.errorCode]).toEqual([400, 'url_refused'])
    }
    expect((await own.as(key).post(BASE, { url: 'https://shop.example.com/' })).status).toBe(201)
  }
})

test('429 for many simultaneous simulated events; other businesses are not affected', async () => {
  const limited = await startServer({ jobs: false, rateLimit: 1_000 })
  const { post } = limited.as(limited.business.keys.testSecret)
  const tell = () => post(TELL, { type: 'invoice.paid' })
  let told = 0
  let refused: Awaited<ReturnType<typeof tell>> | undefined
  while (!refused) {
    const replies = await Promise.all(Array.from({ length: 100 }, tell))
    told += replies.filter(({ status }) => status === 200).length
    refused = replies.find(({ status }) => status !== 200)
  }
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(told).toBeGreaterThanOrEqual(100)
  const other = await limited.newBusiness()
  const next = await limited.as(other.keys.testSecret).post(TELL, { type: 'invoice.paid' })
  expect(next.status).toBe(200)
})
