import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const WEBHOOKS = '/api/user-service/v1/webhooks'
const url = 'https://example.com/hook'

const server = await startServer({ jobs: false })
const { db } = server

describe('the events of an endpoint', () => {
  test('201 accepts wildcards, and queues every event of that kind and no other', async () => {
    const { keys, businessId } = await server.newBusiness()
    const { post, put } = server.as(keys.testSecret)
    const { status, body } = await post(WEBHOOKS, { url, events: ['invoice.*', 'wallet.funded'] })
    expect([status, body.data.events]).toEqual([201, ['invoice.*', 'wallet.funded']])
    await post('/api/payment-service/v1/invoices', { customerEmail: 'ada@example.com', amount: 5 })
    await post('/api/payment-service/v1/products/create-product', { name: 'Shirt', price: 10 })
    await post('/api/simulator/wallet', { amount: 7.5 })
    const queued = await db.many<{ event_type: string }>`
      select event_type from webhook_deliveries where business_id = ${businessId} order by event_id`
    expect(queued.map(({ event_type }) => event_type)).toEqual([
      ...['invoice.created', 'invoice.sent', 'wallet.funded'],
    ])

    const changed = await put(`${WEBHOOKS}/${body.data.reference}`, { events: ['product.*'] })
    expect(changed.body.data.events).toEqual(['product.*'])
    const replayed = await post(`${WEBHOOKS}/${body.data.reference}/replay`, { from: '2020-01-01' })
    expect(replayed.body.data.queued).toBe(1)
  })

  test('400 for a wildcard without types', async () => {
    const { keys } = await server.newBusiness()
    for (const type of ['nope.*', 'invoice*', '*.paid']) {
      const { status, body } = await server
        .as(keys.testSecret)
        .post(WEBHOOKS, { url, events: [type] })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['events']])
    }
  })

  test('400 for plain http in live mode', async () => {
    const { keys } = await server.newBusiness()
    const live = server.as(keys.liveSecret)
    const { status, body } = await live.post(WEBHOOKS, { url: 'http://example.com/hook' })
    expect([status, body.errors]).toEqual([400, { url: ['must start with https:// in live mode'] }])
    expect((await live.post(WEBHOOKS, { url })).status).toBe(201)
    const test = server.as(keys.testSecret)
    expect((await test.post(WEBHOOKS, { url: 'http://example.com/hook' })).status).toBe(201)
  })

  test('200 sends the balance of the wallet after each funding', async () => {
    const { keys, businessId } = await server.newBusiness()
    const { post } = server.as(keys.testSecret)
    await Promise.all([1, 2, 3].map((amount) => post('/api/simulator/wallet', { amount })))
    const events = await db.many<{ data: string }>`
      select data::text as data from events
      where business_id = ${businessId} and type = 'wallet.funded' order by sequence`
    let available = 1_000_000
    for (const { data } of events) {
      const { amount, availableAfter, availableAfterMinor } = JSON.parse(data)
      available += amount
      expect([availableAfter, availableAfterMinor]).toEqual([available, available * 100])
    }
    expect(available).toBe(1_000_006)
  })
})
