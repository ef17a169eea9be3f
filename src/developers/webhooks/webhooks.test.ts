import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { createKey } from '../../business/keys/service.ts'
import { secretsOf } from './webhooks.fixture.ts'

const BASE = '/api/user-service/external/v1/webhooks'
const PLAIN = '/api/user-service/v1/webhooks'
const HOOK = { url: 'https://example.com/hook' }
let made = 0
/** A URL that no other endpoint has. */
const another = () => ({ url: `https://example.com/hook/${++made}` })

const server = await startServer({ jobs: false })
const { db, ids, clock, get, post, put } = server

/** A new business, for tests that count. */
async function shop() {
  const { businessId, keys } = await server.newBusiness()
  return { businessId, keys, ...server.as(keys.testSecret), live: server.as(keys.liveSecret) }
}

const create = async (body: object = {}) => (await post(BASE, { ...another(), ...body })).body.data

describe('an endpoint', () => {
  test('201 creates it with a secret that is never shown again', async () => {
    const { status, body } = await post(BASE, {
      ...HOOK,
      events: ['invoice.paid', 'wallet.funded', 'invoice.paid'],
      description: 'Shop',
    })
    const { secret, ...record } = body.data
    expect(status).toBe(201)
    expect(record).toEqual({
      id: expect.any(Number),
      reference: expect.stringMatching(/^WHK_[0-9A-Za-z]{20}$/),
      url: HOOK.url,
      events: ['invoice.paid', 'wallet.funded'],
      description: 'Shop',
      status: 'Active',
      failingSince: null,
      lastSuccessAt: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect((await get(`${BASE}/${record.reference}`)).body.data).toEqual(record)
    expect((await get(`${PLAIN}/${record.reference}/`)).body.data).toEqual(record)
    const shown = [
      await get(BASE),
      await get(`${BASE}/${record.reference}`),
      await put(`${BASE}/${record.reference}`, { description: null }),
      await put(`${BASE}/${record.reference}`, { status: 'Disabled' }),
      await get(`${BASE}/${record.reference}/deliveries`),
      await get('/api/user-service/external/v1/events'),
      await post(`${BASE}/${record.reference}/delete`),
    ]
    expect(shown.map(({ status }) => status)).toEqual(shown.map(() => 200))
    for (const { text } of shown) expect(text).not.toMatch(/whsec_|secret/)
    expect(server.logLines.join('\n')).not.toContain('whsec_')
    expect(server.logLines.join('\n')).not.toContain(secret.slice(6))
  })

  test('201 for all types: no list, or ["*"]', async () => {
    for (const events of [undefined, ['*'], ['*', '*']]) {
      const { id, events: shown } = await create({ events })
      expect(shown).toEqual(['*'])
      const row = await db.one<{ events: null }>`select events from webhooks where id = ${id}`
      expect(row.events).toBeNull()
    }
  })

  test('400 for unknown types', async () => {
    const bad = [['invoice.sold'], ['invoice.paid', '*'], [], ['*.*'], 'invoice.paid']
    for (const events of [...bad, [7], [null], ['__proto__']]) {
      const { status, body } = await post(BASE, { ...HOOK, events })
      expect([status, Object.keys(body.errors)[0]]).toEqual([
        400,
        expect.stringMatching(/^events(\.0)?$/),
      ])
    }
  })

  test('400 for a description that is not a single line', async () => {
    for (const description of [' ', 'two\nlines', 'a'.repeat(501), 7, ['a']]) {
      const { status, body } = await post(BASE, { ...HOOK, description })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['description']])
    }
  })

  test('200 changes only the given fields', async () => {
    const { secret: _, ...record } = await create({ events: ['invoice.paid'] })
    const path = `${PLAIN}/${record.reference}`
    const change = async (body: object) => (await put(path, body)).body.data
    expect(await change({})).toEqual(record)
    const url = 'https://example.com/other'
    expect(await change({ url })).toEqual({ ...record, url })
    expect(await change({ events: ['*'] })).toEqual({ ...record, url, events: ['*'] })
    const all = { url, events: ['refund.failed'], description: 'Books' }
    expect(await change(all)).toEqual({ ...record, ...all })
    expect(await change({ description: null })).toEqual({ ...record, ...all, description: null })
    expect(await change({ secret: 'whsec_mine', id: 1 })).toEqual({
      ...record,
      ...all,
      description: null,
    })
  })

  test('400 changes nothing at all', async () => {
    const { secret: _, ...record } = await create()
    const path = `${BASE}/${record.reference}`
    for (const [field, value] of [
      ['status', 'Deleted'],
      ['status', 'open'],
      ['status', null],
      ['events', ['invoice.sold']],
      ['events', null],
      ['url', null],
      ['description', ' '],
    ] as const) {
      const { status, body } = await put(path, { description: 'Changed', [field]: value })
      expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    }
    expect((await get(path)).body.data).toEqual(record)
  })

  test('200 disables and enables it again, with its failures reset', async () => {
    const { id, reference } = await create()
    const path = `${BASE}/${reference}`
    const row = () => db.one<{ failure_count: number; disabled_at: Date | null }>`
      select failure_count, disabled_at from webhooks where id = ${id}`
    const fail = () => db.run`
      update webhooks set failing_since = ${clock.now()}, failure_count = 7 where id = ${id}`
    await fail()
    const disabled = (await put(path, { status: 'Disabled' })).body.data
    expect(disabled).toMatchObject({ status: 'Disabled', failingSince: expect.any(String) })
    expect(await row()).toEqual({ failure_count: 7, disabled_at: expect.any(Date) })
    const again = (await put(path, { status: 'Disabled' })).body.data
    expect(again).toEqual(disabled)
    const active = (await put(path, { status: 'Active' })).body.data
    expect(active).toMatchObject({ status: 'Active', failingSince: null })
    expect(await row()).toEqual({ failure_count: 0, disabled_at: null })

    await fail()
    expect((await put(path, { status: 'Active' })).body.data.failingSince).not.toBeNull()
    const moved = (await put(path, { url: 'https://example.com/mended' })).body.data
    expect(moved.failingSince).toBeNull()
    const events = await db.many<{ type: string; sequence: number; data: string }>`
      select type, sequence, data from events where object_id = ${id}`
    expect(events).toEqual([
      { type: 'webhook.disabled', sequence: 1, data: JSON.stringify(disabled) },
    ])
  })

  test('404 everywhere once it is deleted, with its secret', async () => {
    const { id, reference } = await create()
    const path = `${BASE}/${reference}`
    const event = await post('/api/simulator/events', { type: 'invoice.paid' })
    const deleted = await post(`${path}/delete`)
    expect([deleted.status, deleted.body.data.status]).toEqual([200, 'Deleted'])
    const delivery = `${path}/deliveries/${event.body.data.id}`
    const after = [
      await get(path),
      await put(path, { description: 'Back' }),
      await put(path, { status: 'Active' }),
      await post(`${path}/delete`),
      await post(`${path}/rotate-secret`),
      await post(`${path}/test`),
      await get(`${path}/deliveries`),
      await get(delivery),
      await post(`${delivery}/redeliver`),
      await post(`${path}/replay`, { from: '2020-01-01' }),
    ]
    for (const { status, body } of after) {
      expect([status, body.errorCode]).toEqual([404, 'webhook_not_found'])
    }
    const row = await db.one<object>`
      select status from webhooks where id = ${id}`
    expect(row).toEqual({ status: 'Deleted' })
    expect(await secretsOf(server, { id })).toEqual({ secret: null, previous: null })
    expect((await get(BASE)).text).not.toContain(reference)
  })

  test('200 once and 404 nineteen times when twenty delete it', async () => {
    const { reference } = await create()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => untilDone(() => post(`${BASE}/${reference}/delete`))),
    )
    const statuses = all.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 404)])
  })
})

describe('access to endpoints', () => {
  test('404 for another business and the other mode', async () => {
    const [mine, other] = [await shop(), await shop()]
    const { body } = await mine.post(BASE, HOOK)
    const path = `${BASE}/${body.data.reference}`
    const event = await mine.post('/api/simulator/events', { type: 'invoice.paid' })
    const delivery = `${path}/deliveries/${event.body.data.id}`
    expect((await mine.get(delivery)).status).toBe(200)
    for (const { get, post, put } of [other, mine.live]) {
      const replies = [
        await get(path),
        await put(path, { description: 'Mine' }),
        await post(`${path}/delete`),
        await post(`${path}/rotate-secret`),
        await post(`${path}/test`),
        await get(`${path}/deliveries`),
        await get(delivery),
        await post(`${delivery}/redeliver`),
        await post(`${path}/replay`, { from: '2020-01-01' }),
      ]
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404]))
      expect((await get(BASE)).body.data).toEqual([])
    }
    const { secret: _, ...record } = body.data
    expect((await mine.get(path)).body.data).toEqual(record)
    expect((await secretsOf(server, record)).secret).toBe(body.data.secret)
  })

  test('404 for a delivery of another endpoint, and for invalid event ids', async () => {
    const { get, post } = await shop()
    const one = (await post(BASE, HOOK)).body.data
    const event = (await post('/api/simulator/events', { type: 'invoice.paid' })).body.data
    const later = (await post(BASE, another())).body.data
    expect((await get(`${BASE}/${one.reference}/deliveries/${event.id}`)).status).toBe(200)
    for (const id of [event.id, 'evt_', 'evt_zzzzzzzzzzzzzzzzzzzzzzzz', '1', '%00', 'a.b']) {
      const { status } = await get(`${BASE}/${later.reference}/deliveries/${id}`)
      expect([id, status]).toEqual([id, id === '%00' ? 400 : 404])
    }
  })

  test('403 for a restricted key without the scope', async () => {
    const { businessId, post } = await shop()
    const { reference } = (await post(BASE, HOOK)).body.data
    const keyWith = async (scopes: string[]) => {
      const tenant = { businessId, live: false }
      const { key } = await db.transaction((tx) =>
        createKey(tx, ids, tenant, { scopes }, clock.now()),
      )
      return server.as(key)
    }
    const [none, read, write] = [
      await keyWith(['invoices:write']),
      await keyWith(['webhooks:read']),
      await keyWith(['webhooks:write']),
    ]
    const path = `${BASE}/${reference}`
    for (const { get } of [read, write]) expect((await get(path)).status).toBe(200)
    expect((await none.get(path)).status).toBe(403)
    for (const { post, put } of [none, read]) {
      const replies = [
        await post(BASE, HOOK),
        await put(path, {}),
        await post(`${path}/delete`),
        await post(`${path}/rotate-secret`),
        await post(`${path}/test`),
        await post(`${path}/replay`, { from: '2020-01-01' }),
        await post(`${path}/deliveries/evt_1/redeliver`),
      ]
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([403]))
    }
    expect((await write.put(path, {})).status).toBe(200)
    expect((await write.post('/api/simulator/events', { type: 'invoice.paid' })).status).toBe(403)
  })

  test('401 without a key', async () => {
    const { get, post } = server.as('sk_test_nobody')
    expect((await get(BASE)).status).toBe(401)
    expect((await post(BASE, HOOK)).status).toBe(401)
  })
})

describe('many endpoints', () => {
  test('200 lists a page, newest first or oldest first', async () => {
    const { get, post, live } = await shop()
    const made: string[] = []
    for (let i = 0; i < 5; i++) {
      made.push((await post(BASE, { url: `https://example.com/${i}` })).body.data.reference)
    }
    const references = async (query: string) => {
      const { body } = await get(`${PLAIN}?${query}`)
      return body.data.map(({ reference }: { reference: string }) => reference)
    }
    expect(await references('')).toEqual(made.toReversed())
    expect(await references('sort=asc&limit=2&page=2')).toEqual(made.slice(2, 4))
    expect(await references('page=9')).toEqual([])
    const { body } = await get(`${BASE}?limit=2`)
    expect(body.meta).toEqual({
      total: 5,
      totalIsExact: true,
      page: 1,
      limit: 2,
      pageCount: 3,
      hasNext: true,
      hasPrevious: false,
    })
    expect((await live.get(BASE)).body.data).toEqual([])
    for (const bad of ['page=0', 'limit=101', 'sort=up', 'page=1&page=2']) {
      expect((await get(`${BASE}?${bad}`)).status).toBe(400)
    }
  })

  test('409 beyond fifty, even if two servers create sixty at once', async () => {
    const { businessId, keys, get, post, live } = await shop()
    const second = await startSecond(server, { connectionsMax: 12 })
    const other = callerWith(second.url, keys.testSecret)
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        untilDone(() => (i % 2 ? post : other.post)(BASE, another())),
      ),
    )
    const byStatus = Object.groupBy(all, ({ status }) => status)
    expect([byStatus[201]?.length, byStatus[409]?.length]).toEqual([50, 10])
    expect(byStatus[409]![0]!.body.errorCode).toBe('webhooks_full')
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from webhooks where business_id = ${businessId}`
    expect(n).toBe(50)

    expect((await live.post(BASE, HOOK)).status).toBe(201)
    const { reference } = (await get(BASE)).body.data[0]
    await put(`${BASE}/${reference}`, { status: 'Disabled' })
    expect((await post(BASE, another())).status).toBe(409)
    await post(`${BASE}/${reference}/delete`)
    expect((await post(BASE, another())).status).toBe(201)
    expect((await post(BASE, another())).status).toBe(409)
  })

  test('201 once for an Idempotency-Key, and the secret once; 422 for another request', async () => {
    const { get, post } = await shop()
    const key = { 'idempotency-key': 'endpoint-1' }
    const all = await Promise.all(Array.from({ length: 8 }, () => post(BASE, HOOK, key)))
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201))
    const shown = all.map(({ body }) => body.data.secret).filter((secret) => secret !== null)
    expect(shown).toEqual([expect.stringMatching(/^whsec_/)])
    const records = all.map(({ body }) => ({ ...body.data, secret: null }))
    expect(new Set(records.map((record) => JSON.stringify(record))).size).toBe(1)
    expect((await get(BASE)).body.data).toHaveLength(1)
    const other = await post(PLAIN, { ...HOOK, description: 'Other' }, key)
    expect(other.status).toBe(422)
  })
})
