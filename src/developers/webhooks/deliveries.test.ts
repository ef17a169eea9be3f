import { describe, expect, test } from 'vitest'
import { startSecond, startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { sendDue } from './webhooks.fixture.ts'

const BASE = '/api/user-service/external/v1/webhooks'
const PLAIN = '/api/user-service/v1/webhooks'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db } = server

let paths = 0

/** A business with one endpoint at its own path. */
async function shop(events: string[] = ['*']) {
  const path = `/deliveries-${++paths}`
  const { businessId, keys } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const { body } = await caller.post(BASE, { url: receiver.url + path, events })
  const { reference, id } = body.data as { reference: string; id: number }
  return {
    ...caller,
    businessId,
    path,
    keys,
    id,
    reference,
    deliveries: `${BASE}/${reference}/deliveries`,
    received: () => receiver.at(path),
    tell: async (type = 'invoice.paid', data = {}) =>
      (await caller.post('/api/simulator/events', { type, data })).body.data as { id: string },
  }
}

describe('the list of deliveries', () => {
  test('200 lists pending, delivered and failed deliveries, newest first', async () => {
    const { get, tell, id, deliveries, received } = await shop()
    const first = await tell('invoice.paid')
    await sendDue(server)
    const second = await tell('order.paid')
    const failed = await tell('refund.failed')
    await db.run`
      update webhook_deliveries set status = 'Failed', attempt_count = 10, last_error = 'Timed out'
      where webhook_id = ${id} and event_type = 'refund.failed'`
    const { status, body } = await get(deliveries)
    expect(status).toBe(200)
    expect(body.data).toEqual([
      {
        ...names(failed.id),
        type: 'refund.failed',
        status: 'Failed',
        attempts: 10,
        nextAttemptAt: null,
        lastStatus: null,
        lastError: 'Timed out',
        createdAt: expect.any(String),
        finishedAt: null,
      },
      {
        ...names(second.id),
        type: 'order.paid',
        status: 'Pending',
        attempts: 0,
        nextAttemptAt: expect.stringMatching(/Z$/),
        lastStatus: null,
        lastError: null,
        createdAt: expect.any(String),
        finishedAt: null,
      },
      {
        ...names(first.id),
        type: 'invoice.paid',
        status: 'Delivered',
        attempts: 1,
        nextAttemptAt: null,
        lastStatus: 200,
        lastError: null,
        createdAt: expect.any(String),
        finishedAt: expect.any(String),
      },
    ])
    expect(body.meta).toEqual({ limit: 20, next: null, previous: null, hasMore: false })
    expect(received().map(({ headers }) => headers['webhook-id'])).toEqual([first.id])
    const ids = async (query: string) =>
      (await get(`${deliveries}?${query}`)).body.data.map((one: { id: string }) => one.id)
    expect(await ids('status=Pending')).toEqual([second.id])
    expect(await ids('status=Failed')).toEqual([failed.id])
    expect(await ids('status=Delivered&type=order.paid')).toEqual([])
    expect(await ids('type=invoice.paid')).toEqual([first.id])
  })

  test('200 continues by cursor, in both directions', async () => {
    const { get, tell, deliveries } = await shop()
    const told: string[] = []
    for (let i = 0; i < 5; i++) told.unshift((await tell()).id)
    const page = async (query: string) => {
      const { body } = await get(`${deliveries}?limit=2&${query}`)
      return { ids: body.data.map(({ id }: { id: string }) => id), ...body.meta }
    }
    const first = await page('')
    expect(first).toMatchObject({ ids: told.slice(0, 2), previous: null, hasMore: true })
    const second = await page(`cursor=${first.next}`)
    expect(second).toMatchObject({ ids: told.slice(2, 4), hasMore: true })
    await tell()
    const third = await page(`cursor=${second.next}`)
    expect(third).toMatchObject({ ids: told.slice(4), next: null, hasMore: false })
    expect((await page(`cursor=${third.previous}`)).ids).toEqual(told.slice(2, 4))
    expect((await page(`cursor=${second.previous}`)).ids).toEqual(told.slice(0, 2))
  })

  test('200 in the order of the events, whichever process recorded them', async () => {
    const { get, keys, tell, deliveries } = await shop()
    const second = await startSecond(server)
    const told: string[] = []
    for (let i = 0; i < 3; i++) {
      told.unshift((await tell()).id)
      const event = { type: 'invoice.paid', data: {} }
      const own = { authorization: `Bearer ${keys.testSecret}` }
      const { body } = await second.post('/api/simulator/events', event, own)
      told.unshift(body.data.id)
    }
    const listed: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const { body } = await get(`${deliveries}?limit=2${next && `&cursor=${next}`}`)
      listed.push(...body.data.map(({ id }: { id: string }) => id))
      next = body.meta.next
    }
    expect(listed).toEqual(told)
  })

  test('400 for invalid queries, including a cursor of another list', async () => {
    const { get, deliveries } = await shop()
    const other = await shop()
    for (let i = 0; i < 2; i++) await other.tell()
    const { next } = (await other.get(`${other.deliveries}?limit=1`)).body.meta
    for (const [query, field] of [
      ['status=Gone', 'status'],
      ['status=Pending&status=Failed', 'status'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['type=', 'type'],
      ['type=nothing', 'type'],
      ['cursor=abc', 'cursor'],
      [`cursor=${next}`, 'cursor'],
    ]) {
      const { status, body } = await get(`${deliveries}?${query}`)
      expect([query, status, Object.keys(body.errors)]).toEqual([query, 400, [field]])
    }
  })
})

const names = (id: string) => ({ id, reference: id, eventId: id })

describe('one delivery', () => {
  test('200 shows each attempt, and the body as sent', async () => {
    const { get, tell, id, path, reference, received } = await shop()
    const event = await tell('invoice.paid', { note: 'Two chairs' })
    const at = `${PLAIN}/${reference}/deliveries/${event.id}`
    expect((await get(at)).body.data).toMatchObject({ attempts: 0, attemptLog: [] })
    receiver.answer = (response) => response.writeHead(503).end('later')
    await sendDue(server)
    receiver.answer = (response) => response.writeHead(201).end('thanks')
    await db.run`update webhook_deliveries set due_at = ${new Date(0)} where webhook_id = ${id}`
    await sendDue(server)

    const { status, body } = await get(at)
    const sent = received()
    expect(status).toBe(200)
    expect(sent).toHaveLength(2)
    expect(body.data).toMatchObject({ ...names(event.id), status: 'Delivered', attempts: 2 })
    expect(body.data.body).toEqual(JSON.parse(sent[0]!.body))
    expect(Object.keys(body.data.body)).toEqual([
      'id',
      'type',
      'timestamp',
      'mode',
      'businessId',
      'sequence',
      'data',
    ])
    expect(body.data.body.data).toMatchObject({ note: 'Two chairs', status: 'Paid' })
    const url = receiver.url + path
    const common = { url, at: expect.any(String), error: null, durationMs: expect.any(Number) }
    const headers = sent.map(({ headers }) => ({
      'content-type': 'application/json',
      'user-agent': 'Tradepost',
      'webhook-id': event.id,
      'webhook-timestamp': headers['webhook-timestamp'],
      'webhook-signature': headers['webhook-signature'],
    }))
    expect(body.data.attemptLog).toEqual([
      { ...common, number: 1, status: 503, response: 'later', headers: headers[0] },
      { ...common, number: 2, status: 201, response: 'thanks', headers: headers[1] },
    ])
    const listed = (await get(`${BASE}/${reference}/deliveries`)).body.data[0]
    expect(Object.keys(listed)).not.toContain('attemptLog')
    expect(Object.keys(listed)).not.toContain('body')
  })
})

describe('a delivery while its endpoint changes', () => {
  test('200 is not sent once the endpoint was deleted', async () => {
    const { post, tell, id, reference, received } = await shop()
    for (let i = 0; i < 3; i++) await tell()
    await post(`${BASE}/${reference}/delete`)
    await tell()
    await sendDue(server)
    expect(received()).toEqual([])
    const row = await db.one<{ n: number }>`
      select count(*) as n from webhook_deliveries where webhook_id = ${id}`
    expect(row.n).toBe(3)
  })

  test('200 deletes an endpoint during a response; it stays deleted', async () => {
    const { post, tell, id, path, reference, received } = await shop()
    await tell()
    const hold = Promise.withResolvers<void>()
    receiver.answer = async (response, request) => {
      if (request.path === path) await hold.promise
      response.end()
    }
    const sending = sendDue(server)
    await expect.poll(() => received().length, { timeout: 20_000 }).toBe(1)
    expect((await post(`${BASE}/${reference}/delete`)).status).toBe(200)
    hold.resolve()
    await sending
    receiver.answer = (response) => response.end()
    const row = await db.one<object>`
      select w.status, w.secret_encrypted as secret, d.status as delivery
      from webhooks w join webhook_deliveries d on d.webhook_id = w.id where w.id = ${id}`
    expect(row).toEqual({ status: 'Deleted', secret: null, delivery: 'Delivered' })
    await tell()
    await sendDue(server)
    expect(received()).toHaveLength(1)
  })

  test('200 waits while the endpoint is disabled, and goes to its new URL once it is active', async () => {
    const { put, tell, path, reference, received } = await shop()
    const event = await tell()
    await put(`${BASE}/${reference}`, { status: 'Disabled' })
    await tell('order.paid')
    await sendDue(server)
    expect(received()).toEqual([])
    await put(`${BASE}/${reference}`, { url: `${receiver.url}${path}/new`, status: 'Active' })
    await sendDue(server)
    expect(received()).toEqual([])
    const arrived = receiver.at(`${path}/new`).map(({ headers }) => headers['webhook-id'])
    expect(arrived).toEqual([event.id])
  })
})
