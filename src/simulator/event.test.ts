import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../test/harness.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { EVENT_CATALOGUE } from '../app/event-catalogue.ts'
import { allChecks } from '../audit.ts'
import { sendDue } from '../developers/webhooks/webhooks.fixture.ts'
import { runAudit } from '../ledger/audit.ts'

const SIMULATOR = '/api/simulator/events'
const WEBHOOKS = '/api/user-service/v1/webhooks'
const EVENTS = '/api/user-service/v1/events'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db, get, post } = server

describe('a simulated event', () => {
  test.each(EVENT_CATALOGUE.types)('200 sends the example of %s', async (type) => {
    const { status, body } = await post(SIMULATOR, { type })
    expect([status, body.data.type, body.data.data]).toEqual([
      200,
      type,
      EVENT_CATALOGUE.exampleOf(type),
    ])
  })

  test('200 merges the data into the example; the event is listed and sent like any other', async () => {
    const { businessId, keys } = await server.newBusiness()
    const { get, post } = server.as(keys.testSecret)
    for (const [path, events] of [
      ['/all', ['*']],
      ['/paid', ['order.paid']],
      ['/none', ['refund.failed']],
    ] as const) {
      await post(WEBHOOKS, { url: receiver.url + path, events })
    }
    const example = EVENT_CATALOGUE.exampleOf('order.paid') as { customer: object }
    const data = { reference: 'ORD_mine', customer: { email: 'ngozi@example.com' }, lines: [] }
    const { status, body } = await post(SIMULATOR, { type: 'order.paid', data })
    expect(status).toBe(200)
    const { status: told, ...event } = body.data
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9A-Za-z]{24}$/),
      reference: event.id,
      type: 'order.paid',
      timestamp: expect.stringMatching(/Z$/),
      mode: 'test',
      businessId,
      object: 'simulated_event',
      objectId: expect.any(Number),
      sequence: 1,
      data: { ...example, ...data, customer: { ...example.customer, ...data.customer } },
    })
    expect(told).toBe('Successful')
    expect((await get(EVENTS)).body.data).toEqual([{ ...event, status: 'Recorded' }])
    await sendDue(server)
    for (const path of ['/all', '/paid']) {
      const sent = receiver.at(path).map(({ body }) => JSON.parse(body))
      const { object: _, objectId: __, reference: ___, ...envelope } = event
      expect(sent).toEqual([envelope])
    }
    expect(receiver.at('/none')).toEqual([])
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 keeps fields with the names of built-in properties as data', async () => {
    const data = { toString: 'text', hasOwnProperty: { a: 1 }, customer: { valueOf: null } }
    const { status, body } = await post(SIMULATOR, { type: 'invoice.paid', data })
    expect(status).toBe(200)
    expect(body.data.data).toMatchObject(data)
    expect({}.toString()).toBe('[object Object]')
  })

  test('200 once for an Idempotency-Key; 422 for another request', async () => {
    const key = { 'idempotency-key': 'event-1' }
    const [first, second] = await Promise.all([
      post(SIMULATOR, { type: 'invoice.paid' }, key),
      post(SIMULATOR, { type: 'invoice.paid' }, key),
    ])
    expect(first.text).toBe(second.text)
    expect((await post(SIMULATOR, { type: 'order.paid' }, key)).status).toBe(422)
    const other = await post(SIMULATOR, { type: 'invoice.paid', data: { a: 1 } }, key)
    expect(other.status).toBe(422)
  })

  test('400 for a live key, an unknown type, and data that is not an object or is too large', async () => {
    const live = server.as(server.business.keys.liveSecret)
    const refused = await live.post(SIMULATOR, { type: 'invoice.paid' })
    expect([refused.status, refused.body.errorCode]).toEqual([400, 'test_mode_only'])
    const before = (await get(EVENTS)).body.meta.total
    for (const [body, field] of [
      [{}, 'type'],
      [{ type: 'invoice.sold' }, 'type'],
      [{ type: 'invoice.*' }, 'type'],
      [{ type: '__proto__' }, 'type'],
      [{ type: 7 }, 'type'],
      [{ type: 'invoice.paid', data: [] }, 'data'],
      [{ type: 'invoice.paid', data: { text: 'a'.repeat(17_000) } }, 'data'],
    ] as const) {
      const { status, body: told } = await post(SIMULATOR, body)
      expect([status, Object.keys(told.errors)]).toEqual([400, [field]])
    }
    expect((await get(EVENTS)).body.meta.total).toBe(before)
  })
})

describe('the audit of samples and endpoints', () => {
  test('200 for each, and the audit names those without events', async () => {
    const { businessId, keys } = await server.newBusiness()
    const { post, put } = server.as(keys.testSecret)
    const hook = (await post(WEBHOOKS, { url: receiver.url })).body.data
    await post(`${WEBHOOKS}/${hook.reference}/test`)
    await put(`${WEBHOOKS}/${hook.reference}`, { status: 'Disabled' })
    const simulated = (await post(SIMULATOR, { type: 'invoice.paid' })).body.data.objectId
    const ours = async () =>
      (await runAudit(db, allChecks))
        .filter((finding) => finding.businessId === businessId)
        .map(({ check, table, id }) => `${check}: ${table} ${id}`)
    expect(await ours()).toEqual([])
    const tried = await db.one<{ id: number }>`
      select id from simulated_events
      where business_id = ${businessId} and kind = 'webhook_test'`
    await asOwner(server.name, (client) =>
      client.query(`delete from events where business_id = ${businessId}`),
    )
    expect(await ours()).toEqual(
      expect.arrayContaining([
        `webhook-events: webhooks ${hook.id}`,
        `simulated_event-events: simulated_events ${simulated}`,
        `webhook_test-events: simulated_events ${tried.id}`,
      ]),
    )
  })
})
