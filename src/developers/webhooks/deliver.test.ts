import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openReceiver, type Received } from '../../../test/webhook-receiver.ts'
import { appendEvents } from '../../events/append.ts'
import { RETRY_AFTER_MS } from './jobs.ts'
import {
  attemptsOf,
  deliveriesOf,
  disable,
  endpointAt,
  sendDue,
  tellEvents,
} from './webhooks.fixture.ts'

// Jitter always subtracts a fifth.
const webhooks = { allowsLoopback: true, random: () => 0 }
const server = await startServer({ jobs: false, webhooks })
const receiver = await openReceiver()

const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const EVENTS = '/api/user-service/external/v1/events'
const CREATED = ['invoice.created']

/** A new business with a new endpoint. */
async function merchant({ events = CREATED as string[] | null } = {}) {
  const { businessId, keys } = await server.newBusiness()
  const path = `/${businessId}`
  const endpoint = await endpointAt(server, { url: receiver.url + path, businessId, events })
  const caller = server.as(keys.testSecret)
  const advance = async (seconds: number) => {
    const { status } = await caller.post('/api/simulator/clock', { advanceSeconds: seconds })
    expect(status).toBe(200)
  }
  return { ...caller, keys, businessId, path, endpoint, advance, received: () => receiver.at(path) }
}

/** Verifies as a receiver does; throws if the signature is wrong. */
const verify = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

const answerWith = (status: number, headers: Record<string, string> = {}) => {
  receiver.answer = (response) => response.writeHead(status, headers).end()
}

test('200 sends the event as stored, signed as in Standard Webhooks', async () => {
  answerWith(200)
  const one = await merchant()
  const [invoice] = await tellEvents(one)
  await sendDue(server)
  const [received, ...more] = one.received()
  expect(more).toEqual([])
  const { body } = await one.get(`${EVENTS}?type=invoice.created`)
  const [event] = body.data
  expect(verify(one.endpoint.secret, received!)).toEqual({
    id: event.id,
    type: 'invoice.created',
    timestamp: event.timestamp,
    mode: 'test',
    businessId: one.businessId,
    sequence: 1,
    data: event.data,
  })
  expect(event.data.reference).toBe(invoice!.reference)
  expect(received!.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(received!.body)),
    'webhook-id': event.id,
  })
  const [attempt] = await attemptsOf(server, one.endpoint)
  expect(JSON.parse(attempt!.headers)).toMatchObject({
    'webhook-signature': received!.headers['webhook-signature'],
  })
})

test('200 sends only to subscribed endpoints of the event’s business and mode', async () => {
  answerWith(200)
  const [one, other] = [await merchant(), await merchant()]
  const at = async (name: string, rest: object) => {
    const url = `${receiver.url}${one.path}/${name}`
    await endpointAt(server, { url, businessId: one.businessId, ...rest })
  }
  await at('all', { events: null })
  await at('sent', { events: ['invoice.sent'] })
  await at('neither', { events: ['transfer.failed'] })
  await at('live', { live: true })
  await tellEvents(one)
  await sendDue(server)
  const got = (path: string) => receiver.at(path).map(({ body }) => JSON.parse(body).type)
  expect(got(one.path)).toEqual(['invoice.created'])
  expect(got(`${one.path}/all`)).toEqual(['invoice.created', 'invoice.sent'])
  expect(got(`${one.path}/sent`)).toEqual(['invoice.sent'])
  expect([got(`${one.path}/neither`), got(`${one.path}/live`)]).toEqual([[], []])
  expect(other.received()).toEqual([])
})

test('500 is tried ten times by the test clock, with the same bytes, and then fails', async () => {
  answerWith(500)
  const one = await merchant()
  await tellEvents(one)
  await sendDue(server)
  for (const [i, ms] of RETRY_AFTER_MS.entries()) {
    const [before] = await deliveriesOf(server, one.endpoint)
    expect(before).toMatchObject({ status: 'Pending', attempt_count: i + 1, lease_until: null })
    // Some time before and some time after; the test's own duration lies between.
    const seconds = (ms * 0.8) / 1000
    if (seconds > 60) {
      await one.advance(Math.floor(seconds) - 60)
      await sendDue(server)
      expect(one.received()).toHaveLength(i + 1)
    }
    await one.advance(61)
    await sendDue(server)
    expect(one.received()).toHaveLength(i + 2)
  }
  const [delivery] = await deliveriesOf(server, one.endpoint)
  expect(delivery).toMatchObject({ status: 'Failed', attempt_count: 10, last_status: 500 })
  expect(delivery!.finished_at).toBeInstanceOf(Date)
  expect((await attemptsOf(server, one.endpoint)).map(({ number }) => number)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ])
  await one.advance(60 * 24 * 3600)
  await sendDue(server)
  const received = one.received()
  expect(received).toHaveLength(10)
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  // An attempt has the real time, or no receiver would accept it.
  for (const request of received) verify(one.endpoint.secret, request)
})

const HOUR = 3600

test.each([
  ['429 waits as long as requested', 429, String(HOUR), HOUR],
  ['503 waits until the requested time', 503, 'in two hours', 2 * HOUR],
  ['500 waits at least as long as the schedule', 500, '1', 4],
  ['429 waits at most a day', 429, '999999999', 24 * HOUR],
  ['429 with a past date follows the schedule', 429, 'Sun, 06 Nov 1994 08:49:37 GMT', 4],
  ['429 with an invalid value follows the schedule', 429, 'soon', 4],
])('%s', async (_title, status, asked, seconds) => {
  const at = new Date(server.clock.now().getTime() + 2 * HOUR * 1000)
  answerWith(status, { 'retry-after': asked === 'in two hours' ? at.toUTCString() : asked })
  const one = await merchant()
  await tellEvents(one)
  const before = server.clock.now().getTime()
  await sendDue(server)
  await disable(server, one.endpoint)
  const [delivery] = await deliveriesOf(server, one.endpoint)
  expect(delivery).toMatchObject({ status: 'Pending', attempt_count: 1, last_status: status })
  const waits = (delivery!.due_at.getTime() - before) / 1000
  const took = (server.clock.now().getTime() - before) / 1000
  expect(waits).toBeGreaterThanOrEqual(seconds - 2)
  expect(waits).toBeLessThanOrEqual(seconds + took + 1)
})

test('200 at a later attempt ends it; one success clears earlier failures', async () => {
  answerWith(500)
  const one = await merchant()
  await tellEvents(one)
  await sendDue(server)
  const failing = await one.get(`${WEBHOOKS}/${one.endpoint.reference}`)
  expect(failing.body.data.failingSince).toEqual(expect.any(String))
  answerWith(204)
  await one.advance(60)
  await sendDue(server)
  const { body } = await one.get(`${WEBHOOKS}/${one.endpoint.reference}`)
  expect(body.data).toMatchObject({ failingSince: null, lastSuccessAt: expect.any(String) })
  expect(await deliveriesOf(server, one.endpoint)).toMatchObject([
    { status: 'Delivered', attempt_count: 2, last_status: 204, last_error: null },
  ])
})

test('200 goes to the current URL, signed with both secrets while both are valid', async () => {
  answerWith(500)
  const one = await merchant()
  const webhook = `${WEBHOOKS}/${one.endpoint.reference}`
  await tellEvents(one)
  await sendDue(server)
  const rotated = await one.post(`${webhook}/rotate-secret`)
  const { secret } = rotated.body.data
  expect(secret).not.toBe(one.endpoint.secret)
  await one.put(webhook, { url: `${receiver.url}${one.path}/moved` })
  await one.advance(60)
  await sendDue(server)
  await one.advance(25 * HOUR)
  await sendDue(server)
  const [first] = one.received()
  const [second, third, ...more] = receiver.at(`${one.path}/moved`)
  expect(more).toEqual([])
  const signatures = [first, second, third].map((request) =>
    String(request!.headers['webhook-signature']).split(' '),
  )
  expect(signatures.map(({ length }) => length)).toEqual([1, 2, 1])
  verify(one.endpoint.secret, first!)
  verify(one.endpoint.secret, second!)
  verify(secret, second!)
  verify(secret, third!)
  expect(() => verify(one.endpoint.secret, third!)).toThrow('No matching signature')
  expect(third!.body).toBe(first!.body)
  const attempts = await attemptsOf(server, one.endpoint)
  expect(attempts.map(({ url }) => url.endsWith('/moved'))).toEqual([false, true, true])
  await disable(server, one.endpoint)
})

test('nothing is sent for a rolled-back transaction', async () => {
  answerWith(200)
  const one = await merchant({ events: null })
  const told = server.db.transaction(async (tx) => {
    await appendEvents(tx, server.ids, [
      {
        businessId: one.businessId,
        live: false,
        type: 'invoice.created',
        objectType: 'invoice',
        objectId: 1,
        sequence: 1,
        data: {},
        at: server.clock.now(),
      },
    ])
    const queued = await tx.many`
      select from webhook_deliveries where webhook_id = ${one.endpoint.id}`
    expect(queued).toHaveLength(1)
    throw new Error('rolled back')
  })
  await expect(told).rejects.toThrow('rolled back')
  await sendDue(server)
  expect(await deliveriesOf(server, one.endpoint)).toEqual([])
  expect(one.received()).toEqual([])
})

test('200 activates a disabled endpoint: sends waiting deliveries, but not events since', async () => {
  answerWith(200)
  const one = await merchant()
  const webhook = `${WEBHOOKS}/${one.endpoint.reference}`
  await tellEvents(one)
  await one.put(webhook, { status: 'Disabled' })
  await tellEvents(one)
  await sendDue(server)
  expect(one.received()).toEqual([])
  await one.put(webhook, { status: 'Active' })
  await sendDue(server)
  expect(one.received()).toHaveLength(1)
})

test('200 counts attempts by outcome in /metrics', async () => {
  const { status, text } = await server.get('/metrics')
  expect(status).toBe(200)
  expect(text).toMatch(/tradepost_webhook_attempts_total\{outcome="delivered"\} [1-9]/)
  expect(text).toMatch(/tradepost_webhook_attempts_total\{outcome="failed"\} [1-9]/)
  expect(text).toContain('tradepost_webhook_deliveries{state="under_way"} 0')
})

describe('after an endpoint has recovered', () => {
  /** Waiting deliveries, each with its own delay, at an endpoint that failed `failures` times. */
  async function recovering(failures: number, { count = 3, failingMs = 60_000 } = {}) {
    answerWith(500)
    const one = await merchant()
    await tellEvents(one, count)
    await sendDue(server)
    const since = new Date(server.clock.now().getTime() - failingMs)
    await server.db.run`
      update webhooks set failure_count = ${failures}, failing_since = ${since}
      where id = ${one.endpoint.id}`
    const order = await server.db.many<{ event_id: number }>`
      select event_id from webhook_deliveries where webhook_id = ${one.endpoint.id}
      order by event_at, event_id`
    // The newest would be sent first.
    for (const [i, { event_id }] of order.entries()) {
      await server.db.run`
        update webhook_deliveries
        set due_at = ${new Date(server.clock.now().getTime() + (count - i) * 3_600_000)}
        where webhook_id = ${one.endpoint.id} and event_id = ${event_id}`
    }
    answerWith(200)
    const before = one.received().length
    const waiting = async () =>
      (await deliveriesOf(server, one.endpoint)).filter(({ status }) => status === 'Pending')
    return { ...one, before, order, waiting }
  }

  test('200 sends what waited at once, the oldest events first', async () => {
    const { before, order, received, waiting, post, endpoint, get } = await recovering(5)
    const { status } = await post(`${WEBHOOKS}/${endpoint.reference}/test`, {
      type: 'invoice.created',
    })
    expect(status).toBe(200)
    const due = (await waiting()).toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime())
    for (const { due_at } of due) expect(due_at <= server.clock.now()).toBe(true)
    const inOrder = await server.db.many<{ event_id: number }>`
      select event_id from webhook_deliveries
      where webhook_id = ${endpoint.id} and status = 'Pending' order by due_at, event_id`
    expect(inOrder).toEqual(order)
    await sendDue(server)
    expect(await waiting()).toEqual([])
    expect(received()).toHaveLength(before + 1 + order.length)
    expect((await get(`${WEBHOOKS}/${endpoint.reference}`)).status).toBe(200)
  })

  test('200 leaves what a receiver asked for later with 429', async () => {
    const { order, waiting, post, endpoint } = await recovering(5)
    const [{ event_id }] = order as [{ event_id: number }]
    await server.db.run`
      update webhook_deliveries set last_status = 429
      where webhook_id = ${endpoint.id} and event_id = ${event_id}`
    await post(`${WEBHOOKS}/${endpoint.reference}/test`, { type: 'invoice.created' })
    await sendDue(server)
    expect((await waiting()).map((one) => one.event_id)).toEqual([event_id])
    await disable(server, endpoint)
  })

  test('200 leaves an event that fails by itself to its own schedule', async () => {
    const { order, waiting, post, endpoint } = await recovering(4)
    await post(`${WEBHOOKS}/${endpoint.reference}/test`, { type: 'invoice.created' })
    await sendDue(server)
    expect(await waiting()).toHaveLength(order.length)
    await disable(server, endpoint)
  })

  test('200 brings nothing forward if the endpoint has failed for less than a minute', async () => {
    const { order, waiting, post, endpoint } = await recovering(5, { failingMs: 50_000 })
    await post(`${WEBHOOKS}/${endpoint.reference}/test`, { type: 'invoice.created' })
    await sendDue(server)
    expect(await waiting()).toHaveLength(order.length)
    await disable(server, endpoint)
  })

  test('500 to what was brought forward leaves it its schedule and all its attempts', async () => {
    const { waiting, post, endpoint } = await recovering(5)
    const schedule = async () =>
      (await waiting()).map(({ event_id, round_count, due_at }) => ({
        event_id,
        round_count,
        due_at,
      }))
    const planned = await schedule()
    await post(`${WEBHOOKS}/${endpoint.reference}/test`, { type: 'invoice.created' })
    expect(await schedule()).not.toEqual(planned)
    answerWith(500)
    await sendDue(server)
    expect(await schedule()).toEqual(planned)
    const attempts = (await deliveriesOf(server, endpoint)).map((one) => one.attempt_count)
    expect(attempts).toEqual([2, 2, 2, 1])
    // The next attempt counts again.
    server.clock.advance(3 * 3_600_000)
    await sendDue(server)
    expect((await schedule()).map(({ round_count }) => round_count)).toEqual([2, 2, 2])
    await disable(server, endpoint)
  })
})
