import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { newEventReference } from '../../events/append.ts'
import { queueFailedAgain, queueRangeAgain } from './queries.ts'
import { sendDue } from './webhooks.fixture.ts'

const BASE = '/api/user-service/external/v1/webhooks'
const SIMULATOR = '/api/simulator/events'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db } = server

/** The first of May in Lagos, just after midnight. */
const PAST = Date.UTC(2024, 4, 1, 0, 0)

let paths = 0

async function shop(events: string[] = ['*']) {
  const path = `/replay-${++paths}`
  const { businessId, keys } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const register = async () => {
    const { body } = await caller.post(BASE, { url: receiver.url + path, events })
    return body.data as { reference: string; id: number }
  }
  return {
    ...caller,
    businessId,
    register,
    arrived: () => receiver.at(path).map(({ headers }) => headers['webhook-id'] as string),
    tell: async (type = 'invoice.paid') =>
      (await caller.post(SIMULATOR, { type })).body.data as { id: string; timestamp: string },
  }
}

const ALL = { from: '2020-01-01' }

describe('a replay', () => {
  test('200 sends all subscribed events, even those never queued', async () => {
    const { post, tell, register, arrived } = await shop(['invoice.paid', 'refund.failed'])
    const before = [await tell(), await tell('refund.failed')]
    await tell('order.paid')
    const { reference } = await register()
    const after = await tell()
    await post(`${BASE}/${reference}/test`, { type: 'invoice.paid' })
    await sendDue(server)
    const [tried] = arrived()
    expect(arrived()).toHaveLength(2)

    const { status, body } = await post(`${BASE}/${reference}/replay`, ALL)
    expect(status).toBe(200)
    expect(body.data).toEqual({ reference, status: 'Active', queued: 3, continueFrom: null })
    await sendDue(server)
    const wanted = [...before, after].map(({ id }) => id)
    expect(arrived().slice(2).sort()).toEqual(wanted.sort())
    expect(wanted).not.toContain(tried)

    const again = await post(`${BASE}/${reference}/replay`, ALL)
    expect(again.body.data.queued).toBe(3)
    await sendDue(server)
    expect(arrived()).toHaveLength(8)
  })

  test('200 sends only deliveries that failed for good', async () => {
    const { post, tell, register, arrived } = await shop()
    await tell()
    const { id, reference } = await register()
    const [failed, pending] = [await tell('refund.failed'), await tell('order.paid')]
    await db.run`
      update webhook_deliveries
      set status = 'Failed', round_count = 10, finished_at = ${new Date()}
      where webhook_id = ${id} and event_type = 'refund.failed'`
    await db.run`
      update webhook_deliveries set due_at = '2100-01-01' where webhook_id = ${id}
        and event_type = 'order.paid'`
    const { body } = await post(`${BASE}/${reference}/replay`, { ...ALL, failedOnly: true })
    expect(body.data).toMatchObject({ queued: 1, continueFrom: null })
    const row = await db.one<object>`
      select status, round_count, finished_at from webhook_deliveries
      where webhook_id = ${id} and event_type = 'refund.failed'`
    expect(row).toEqual({ status: 'Pending', round_count: 0, finished_at: null })
    await sendDue(server)
    expect(arrived()).toEqual([failed.id])
    expect((await post(`${BASE}/${reference}/replay`, ALL)).body.data.queued).toBe(3)
    await sendDue(server)
    expect(arrived()).toContain(pending.id)
  })

  test('200 leaves out test events, which are never retried', async () => {
    const { post, register, arrived } = await shop()
    const { reference } = await register()
    const { answer } = receiver
    receiver.answer = (response) => response.writeHead(500).end()
    const tested = await post(`${BASE}/${reference}/test`, { type: 'invoice.paid' })
    receiver.answer = answer
    expect(tested.body.data.delivery.status).toBe('Failed')
    for (const failedOnly of [true, false]) {
      const { body } = await post(`${BASE}/${reference}/replay`, { ...ALL, failedOnly })
      expect(body.data.queued).toBe(0)
    }
    await sendDue(server)
    expect(arrived()).toHaveLength(1)
  })

  test('200 includes both ends of the range, and nothing beyond', async () => {
    const { businessId, post, register, arrived } = await shop()
    await pastEvents(businessId, [0, 1_000, 2_000, 3_000])
    const { reference } = await register()
    const at = (ms: number) => new Date(PAST + ms).toISOString()
    const replay = async (body: object) => {
      const reply = await post(`${BASE}/${reference}/replay`, body)
      return [reply.status, reply.body.data?.queued]
    }
    expect(await replay({ from: at(1_000), to: at(2_000) })).toEqual([200, 2])
    expect(await replay({ from: at(1_001), to: at(1_999) })).toEqual([200, 0])
    expect(await replay({ from: at(3_000), to: at(3_000) })).toEqual([200, 1])
    expect(await replay({ from: at(2_000), to: null })).toEqual([200, 2])
    expect(await replay({ from: '2024-05-01', to: '2024-05-01' })).toEqual([200, 4])
    expect(await replay({ from: '2024-05-02', to: '2024-05-02' })).toEqual([200, 0])
    expect(await replay({ from: '2024-04-01', to: '2024-04-30' })).toEqual([200, 0])
    await sendDue(server)
    expect(new Set(arrived()).size).toBe(4)
  })

  test('200 queues ten thousand at a time, and says where to continue', async () => {
    const { businessId, put, post, register } = await shop()
    // Three at each instant, so that the ten-thousandth is in the middle of one.
    const count = 10_100
    await pastEvents(
      businessId,
      Array.from({ length: count }, (_, i) => Math.floor(i / 3)),
    )
    const { id, reference } = await register()
    const replay = async (from: string, failedOnly = false) => {
      const to = '2024-05-31'
      const reply = await post(`${BASE}/${reference}/replay`, { from, to, failedOnly })
      expect(reply.status).toBe(200)
      return reply.body.data as { queued: number; continueFrom: string }
    }
    for (const failedOnly of [false, true]) {
      const first = await replay('2024-05-01', failedOnly)
      expect(first.queued).toBe(9_999)
      expect(first.continueFrom).toBe(new Date(PAST + 3_333).toISOString())
      const second = await replay(first.continueFrom, failedOnly)
      expect(second).toMatchObject({ queued: count - 9_999, continueFrom: null })
      const { n } = await db.one<{ n: number }>`
        select count(*) as n from webhook_deliveries where webhook_id = ${id}
          and status = 'Pending'`
      expect(n).toBe(count)
      await db.run`update webhook_deliveries set status = 'Failed' where webhook_id = ${id}`
    }
    await put(`${BASE}/${reference}`, { status: 'Disabled' })
  })

  test('200 for two at once, once for an Idempotency-Key', async () => {
    const { post, tell, register, arrived } = await shop()
    for (let i = 0; i < 5; i++) await tell()
    const { reference } = await register()
    const path = `${BASE}/${reference}/replay`
    const all = await times(6, () => untilDone(() => post(path, ALL)))
    expect(all.map(({ body }) => body.data.queued)).toEqual(all.map(() => 5))
    await sendDue(server)
    expect(arrived()).toHaveLength(5)
    const key = { 'idempotency-key': 'all' }
    const [first, second] = [await post(path, ALL, key), await post(path, ALL, key)]
    expect(second.text).toBe(first.text)
    await sendDue(server)
    expect(arrived()).toHaveLength(10)
    expect((await post(path, { ...ALL, failedOnly: true }, key)).status).toBe(422)
  })

  test('400 for an invalid range, 409 while the endpoint is disabled', async () => {
    const { put, post, register } = await shop()
    const { reference } = await register()
    const path = `${BASE}/${reference}/replay`
    for (const [body, field] of [
      [{}, 'from'],
      [{ from: 'yesterday' }, 'from'],
      [{ from: 1_700_000_000 }, 'from'],
      [{ from: '2024-02-30' }, 'from'],
      [{ from: '2024-05-02', to: '2024-05-01' }, 'from'],
      [{ from: '2099-01-01' }, 'from'],
      [{ from: '2024-05-01', to: 'now' }, 'to'],
      [{ from: '2024-05-01', failedOnly: 'yes' }, 'failedOnly'],
    ] as const) {
      const { status, body: told } = await post(path, body)
      expect([status, Object.keys(told.errors)]).toEqual([400, [field]])
    }
    await put(`${BASE}/${reference}`, { status: 'Disabled' })
    const { status, body } = await post(path, ALL)
    expect([status, body.errorCode]).toEqual([409, 'webhook_state'])
  })
})

describe('the cuts of a replay', () => {
  const TYPES = ['invoice.paid', 'order.paid']
  const RANGE = { from: new Date(PAST), until: new Date(PAST + 100), now: new Date(PAST) }

  /** The number queued by all the requests that it takes. */
  async function queuedBy(
    queue: typeof queueRangeAgain,
    businessId: number,
    webhook: { id: number; events: string[] | null },
    limits: { queuedMax: number; walkedMax: number },
  ): Promise<number> {
    let [from, queued, rounds]: [Date | null, number, number] = [RANGE.from, 0, 0]
    while (from) {
      const part = { ...RANGE, from, limits }
      const one: { queued: number; continue_from: Date | null } = await db.transaction((tx) =>
        queue(tx, { businessId, live: false }, webhook, part),
      )
      queued += one.queued
      from = one.continue_from
      expect(++rounds).toBeLessThan(200)
    }
    return queued
  }

  test('skip nothing and repeat nothing, wherever they fall', async () => {
    const { businessId, register } = await shop()
    // Up to five at an instant, alternating between two types.
    const offsets = Array.from({ length: 24 }, (_, i) => Math.floor(i / ((i % 5) + 1)))
    await pastEvents(businessId, offsets, TYPES)
    const { id } = await register()
    const found = async () => {
      const { n } = await db.one<{ n: number }>`
        select count(*) as n from webhook_deliveries where webhook_id = ${id}
          and status = 'Pending'`
      return n
    }
    for (const queuedMax of [1, 3, 23, 24]) {
      for (const walkedMax of [1, 5, 24]) {
        for (const events of [null, ['order.paid']]) {
          await db.run`delete from webhook_deliveries where webhook_id = ${id}`
          const [webhook, limits] = [
            { id, events },
            { queuedMax, walkedMax },
          ]
          const wanted = events ? 12 : 24
          const where = `${queuedMax} of ${walkedMax}`
          expect(await queuedBy(queueRangeAgain, businessId, webhook, limits), where).toBe(wanted)
          expect(await found(), where).toBe(wanted)
          await db.run`update webhook_deliveries set status = 'Failed' where webhook_id = ${id}`
          expect(await queuedBy(queueFailedAgain, businessId, webhook, limits), where).toBe(wanted)
          expect(await found(), where).toBe(wanted)
        }
      }
    }
    await db.run`delete from webhook_deliveries where webhook_id = ${id}`
  })
})

/** Stores events at these moments, as if from before the endpoint existed. */
async function pastEvents(businessId: number, offsetsMs: number[], types = ['invoice.paid']) {
  const moments = offsetsMs.map((ms) => new Date(PAST + ms))
  await db.run`
    insert into events
      (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at)
    select ${businessId}, false, nextval('ids'), reference,
      (${types}::text[])[1 + place % ${types.length}], 'simulated_event', -place, 1, '{}', at
    from unnest(${moments.map(newEventReference)}::text[], ${moments}::timestamptz[])
      with ordinality as o(reference, at, place)`
}
