import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { attemptsOf, endpointAt, sendDue } from './webhooks.fixture.ts'

const BASE = '/api/user-service/external/v1/webhooks'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db } = server

let paths = 0

async function shop(events: string[] = ['*']) {
  const path = `/redeliver-${++paths}`
  const { businessId, keys } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const { body } = await caller.post(BASE, { url: receiver.url + path, events })
  const { reference, id } = body.data as { reference: string; id: number }
  receiver.answer = (response) => response.end('thanks')
  return {
    ...caller,
    businessId,
    keys,
    path,
    id,
    reference,
    at: `${BASE}/${reference}`,
    received: () => receiver.at(path),
    tell: async (type = 'invoice.paid') =>
      (await caller.post('/api/simulator/events', { type })).body.data as { id: string },
  }
}

const answerWith = (status: number, text = '') => {
  receiver.answer = (response) => response.writeHead(status).end(text)
}

describe('sending an event again', () => {
  test('200 sends a failed delivery at once, with the same bytes and id', async () => {
    const { get, post, tell, id, at, received } = await shop()
    const event = await tell()
    answerWith(500)
    await sendDue(server)
    await db.run`
      update webhook_deliveries set status = 'Failed', round_count = 10 where webhook_id = ${id}`
    answerWith(200)
    const { status, body } = await post(`${at}/deliveries/${event.id}/redeliver`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      id: event.id,
      status: 'Delivered',
      attempts: 2,
      lastStatus: 200,
      lastError: null,
      nextAttemptAt: null,
      finishedAt: expect.any(String),
    })
    const [first, second] = received()
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(event.id)
    const log = (await get(`${at}/deliveries/${event.id}`)).body.data.attemptLog
    expect(log.map((one: { status: number }) => one.status)).toEqual([500, 200])
  })

  test('200 sends delivered events again, and pending ones early', async () => {
    const { post, tell, at, received } = await shop()
    const event = await tell()
    await sendDue(server)
    const again = await post(`${at}/deliveries/${event.id}/redeliver`)
    expect(again.body.data).toMatchObject({ status: 'Delivered', attempts: 2 })
    const later = await tell('order.paid')
    answerWith(503)
    await sendDue(server)
    answerWith(204)
    const now = await post(`${at}/deliveries/${later.id}/redeliver`)
    expect(now.body.data).toMatchObject({ status: 'Delivered', attempts: 2, lastStatus: 204 })
    expect(received()).toHaveLength(4)
  })

  test('200 restarts the schedule when it fails again', async () => {
    const { post, tell, id, at } = await shop()
    const event = await tell()
    await db.run`
      update webhook_deliveries set status = 'Failed', round_count = 10, attempt_count = 10
      where webhook_id = ${id}`
    answerWith(500, 'still broken')
    const { status, body } = await post(`${at}/deliveries/${event.id}/redeliver`)
    expect([status, body.data.status]).toEqual([200, 'Pending'])
    expect(body.data).toMatchObject({ attempts: 11, lastStatus: 500, finishedAt: null })
    expect(body.data.nextAttemptAt).not.toBeNull()
    const row = await db.one<object>`
      select status, round_count from webhook_deliveries where webhook_id = ${id}`
    expect(row).toEqual({ status: 'Pending', round_count: 1 })
    await db.run`update webhooks set status = 'Disabled' where id = ${id}`
  })

  test('200 for ten at once, with attempts numbered without gaps', async () => {
    const { post, tell, id, at, received } = await shop()
    const event = await tell()
    await sendDue(server)
    const all = await Promise.all(
      Array.from({ length: 10 }, () => post(`${at}/deliveries/${event.id}/redeliver`)),
    )
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    await sendDue(server)
    const attempts = await attemptsOf(server, { id })
    expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1))
    expect(attempts.length).toBeGreaterThan(1)
    expect(received()).toHaveLength(attempts.length)
    const row = await db.one<object>`
      select status, attempt_count, lease_until from webhook_deliveries where webhook_id = ${id}`
    expect(row).toEqual({
      status: 'Delivered',
      attempt_count: attempts.length,
      lease_until: null,
    })
  })

  test('200 once for an Idempotency-Key', async () => {
    const { post, tell, at, received } = await shop()
    const event = await tell()
    const key = { 'idempotency-key': 'again' }
    const send = () => post(`${at}/deliveries/${event.id}/redeliver`, {}, key)
    const [first, second] = [await send(), await send()]
    expect(first.status).toBe(200)
    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(received()).toHaveLength(1)
  })

  test('409 while the endpoint is disabled, 404 for events it was never sent', async () => {
    const { post, put, tell, at, received } = await shop(['order.paid'])
    const event = await tell('order.paid')
    const other = await tell('invoice.paid')
    expect((await post(`${at}/deliveries/${other.id}/redeliver`)).body.errorCode).toBe(
      'webhook_delivery_not_found',
    )
    await put(at, { status: 'Disabled' })
    const { status, body } = await post(`${at}/deliveries/${event.id}/redeliver`)
    expect([status, body.errorCode]).toEqual([409, 'webhook_state'])
    expect(received()).toEqual([])
  })
})

describe('the test of an endpoint', () => {
  test('200 sends one sample only to it, and returns the result', async () => {
    const { get, post, at, path, received } = await shop(['order.paid'])
    const other = await post(BASE, { url: `${receiver.url}${path}/other` })
    answerWith(202, 'got it')
    const { status, body } = await post(`${at}/test`)
    expect(status).toBe(200)
    const [sent, ...more] = received()
    expect(more).toEqual([])
    expect(JSON.parse(sent!.body)).toMatchObject({
      type: 'webhook.test',
      mode: 'test',
      sequence: 1,
    })
    expect(body.data).toMatchObject({
      status: 'Active',
      delivery: {
        id: sent!.headers['webhook-id'],
        type: 'webhook.test',
        status: 'Delivered',
        attempts: 1,
      },
      attempt: {
        number: 1,
        url: receiver.url + path,
        status: 202,
        error: null,
        response: 'got it',
      },
    })
    await sendDue(server)
    expect(receiver.at(`${path}/other`)).toEqual([])
    const there = `${BASE}/${other.body.data.reference}/deliveries`
    expect((await get(there)).body.data).toEqual([])
    expect((await get(`${at}/deliveries`)).body.data).toEqual([body.data.delivery])
    const events = await get('/api/user-service/v1/events?type=webhook.test')
    expect(events.body.data).toMatchObject([{ object: 'webhook_test', sequence: 1 }])
  })

  test('200 sends the example of any type merged with the given data', async () => {
    const { post, at, received } = await shop()
    const data = { reference: 'INV_mine', customer: { name: 'Ngozi' }, tags: [1, { a: 2 }] }
    expect((await post(`${at}/test`, { type: 'invoice.paid', data })).status).toBe(200)
    const sent = JSON.parse(received()[0]!.body)
    expect(sent.type).toBe('invoice.paid')
    expect(sent.data).toMatchObject({ reference: 'INV_mine', status: 'Paid', tags: [1, { a: 2 }] })
    expect(sent.data.customer).toMatchObject({ name: 'Ngozi' })
  })

  test('200 returns why it failed, without a retry', async () => {
    const { get, post, at, received } = await shop()
    answerWith(500, 'broken')
    const { status, body } = await post(`${at}/test`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      delivery: { status: 'Failed', attempts: 1, lastStatus: 500, nextAttemptAt: null },
      attempt: { status: 500, response: 'broken' },
    })
    expect((await get(`${at}/deliveries`)).body.data).toEqual([body.data.delivery])
    await db.run`update webhook_deliveries set due_at = ${new Date(0)}`
    await sendDue(server)
    expect(received()).toHaveLength(1)
  })

  test('200 if nothing listens, and for an address that is not public', async () => {
    const { businessId, keys, post } = await shop()
    const dead = await endpointAt(server, { url: 'http://127.0.0.1:1/', businessId })
    const inside = await endpointAt(server, { url: `${receiver.url}/live`, businessId, live: true })
    const live = server.as(keys.liveSecret)
    for (const [caller, { reference }] of [
      [{ post }, dead],
      [live, inside],
    ] as const) {
      const { status, body } = await caller.post(`${BASE}/${reference}/test`)
      expect(status).toBe(200)
      expect(body.data.attempt).toMatchObject({ status: null, error: expect.any(String) })
      expect(body.data.delivery).toMatchObject({ status: 'Failed', lastStatus: null })
    }
    expect(receiver.at('/live')).toEqual([])
  })

  test('200 tests a disabled endpoint too, which stays disabled', async () => {
    const { get, post, put, at, received } = await shop()
    await put(at, { status: 'Disabled' })
    const { status, body } = await post(`${at}/test`)
    expect([status, body.data.status]).toEqual([200, 'Disabled'])
    expect(body.data.delivery.status).toBe('Delivered')
    expect(received()).toHaveLength(1)
    expect((await get(at)).body.data.status).toBe('Disabled')
  })

  test('429 for more than four at once, which leaves nothing behind', async () => {
    const { businessId, post, at, id, path, received } = await shop()
    await db.run`update webhooks set url_proved_at = ${new Date(0)} where id = ${id}`
    const hold = Promise.withResolvers<void>()
    receiver.answer = async (response, request) => {
      if (request.path === path) await hold.promise
      response.end()
    }
    const tries = Array.from({ length: 4 }, () => post(`${at}/test`))
    await expect.poll(() => received().length, { timeout: 20_000 }).toBe(4)
    expect((await post(`${at}/test`)).status).toBe(429)
    hold.resolve()
    for (const one of tries) expect((await one).status).toBe(200)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from webhook_deliveries where webhook_id = ${id}`
    expect(n).toBe(4)
    const found = await runAudit(db, allChecks)
    expect(found.filter((finding) => finding.businessId === businessId)).toEqual([])
  })

  test('200 once for an Idempotency-Key; 422 for another request', async () => {
    const { post, at, received } = await shop()
    const key = { 'idempotency-key': 'try' }
    const [first, second] = await Promise.all([
      post(`${at}/test`, {}, key),
      post(`${at}/test`, { type: 'webhook.test' }, key),
    ])
    expect(first.text).toBe(second.text)
    expect(received()).toHaveLength(1)
    expect((await post(`${at}/test`, { type: 'order.paid' }, key)).status).toBe(422)
  })

  test('400 for an unknown type, and for data that is not an object or too large', async () => {
    const { post, at, received } = await shop()
    for (const [body, field] of [
      [{ type: 'invoice.sold' }, 'type'],
      [{ type: '*' }, 'type'],
      [{ data: [1] }, 'data'],
      [{ data: 'text' }, 'data'],
      [{ data: { text: 'a'.repeat(17_000) } }, 'data'],
    ] as const) {
      const reply = await post(`${at}/test`, body)
      expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, [field]])
    }
    expect(received()).toEqual([])
    expect((await post(`${at}/test`, { type: null })).status).toBe(200)
  })
})
