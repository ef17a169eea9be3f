import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { EVENT_CATALOGUE } from '../../app/event-catalogue.ts'
import { SCOPES } from '../../business/keys/scopes.ts'
import { createKey } from '../../business/keys/service.ts'
import { secretsOf, tellEvents } from '../webhooks/webhooks.fixture.ts'
import { scopesOfType } from './service.ts'

const EVENTS = '/api/user-service/external/v1/events'
const WEBHOOKS = '/api/user-service/external/v1/webhooks'

const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db, ids, clock, business } = server

const keyWith = (...scopes: string[]) => keyOf(business, ...scopes)

async function keyOf({ businessId }: { businessId: number }, ...scopes: string[]) {
  const tenant = { businessId, live: false }
  const made = await db.transaction((tx) => createKey(tx, ids, tenant, { scopes }, clock.now()))
  return server.as(made.key)
}

const LACKING = { status: 403, body: { errorCode: 'insufficient_scope' } }

test('200 of every type belongs to a collection that keys can read', () => {
  for (const type of EVENT_CATALOGUE.types) {
    const scopes = scopesOfType(type)
    expect(SCOPES, type).toEqual(expect.arrayContaining(scopes))
    expect(scopes, type).not.toContain('events:read')
  }
})

test('200 of every type requires the scope of each object that it can be about', () => {
  const objects = EVENT_CATALOGUE.kinds.flatMap(({ type, object }) =>
    object.split(' or ').map((one) => ({ type, scopes: scopesOfType(`${one}.any`) })),
  )
  const known = objects.filter(({ scopes }) => !scopes.includes('events:read'))
  expect(known.length).toBeGreaterThan(50)
  for (const { type, scopes } of known) {
    expect(scopesOfType(type), type).toEqual(expect.arrayContaining(scopes))
  }
})

test('200 lists the events of objects that a key can read; 403 for others', async () => {
  await tellEvents(server, 2)
  const [alone, both] = [
    await keyWith('events:read'),
    await keyWith('events:read', 'invoices:write'),
  ]
  expect((await alone.get(EVENTS)).body).toMatchObject({ data: [], meta: { total: 0 } })
  const { data } = (await both.get(`${EVENTS}?type=invoice.created`)).body
  expect(data).toHaveLength(2)
  expect((await both.get(EVENTS)).body.meta.total).toBeGreaterThanOrEqual(2)
  expect((await both.get(`${EVENTS}/${data[0].id}`)).status).toBe(200)
  expect(await alone.get(`${EVENTS}/${data[0].id}`)).toMatchObject(LACKING)
  expect(await alone.get(`${EVENTS}?type=invoice.created`)).toMatchObject(LACKING)
})

test('403 for adding, widening or moving an endpoint for events that the key cannot read', async () => {
  const url = 'https://example.com/hook'
  const narrow = await keyWith('webhooks:write', 'invoices:read')
  expect(await narrow.post(WEBHOOKS, { url })).toMatchObject(LACKING)
  expect(await narrow.post(WEBHOOKS, { url, events: ['transfer.pending'] })).toMatchObject(LACKING)
  const made = await narrow.post(WEBHOOKS, { url, events: ['invoice.paid'] })
  expect(made.status).toBe(201)
  const own = `${WEBHOOKS}/${made.body.data.reference}`
  expect(await narrow.put(own, { events: ['*'] })).toMatchObject(LACKING)
  expect((await narrow.put(own, { url: `${url}/new` })).status).toBe(200)
  const wide = (await server.post(WEBHOOKS, { url: `${url}/all` })).body.data
  const moved = { url: 'https://evil.example/hook' }
  expect(await narrow.put(`${WEBHOOKS}/${wide.reference}`, moved)).toMatchObject(LACKING)
  const whole = await keyWith('webhooks:write', ...SCOPES.filter((one) => one.endsWith(':read')))
  expect((await whole.post(WEBHOOKS, { url: `${url}/whole` })).status).toBe(201)
})

let paths = 0

/**
 * An endpoint with a Pending delivery about a transfer and one about an invoice, and a key that can
 * only read invoices.
 */
async function endpoint() {
  const url = `${receiver.url}/scopes-${++paths}`
  const { businessId, keys } = await server.newBusiness()
  const owner = server.as(keys.testSecret)
  const narrow = await keyOf({ businessId }, 'webhooks:write', 'invoices:read')
  const { body } = await owner.post(WEBHOOKS, { url, events: ['transfer.*', 'invoice.*'] })
  const at = `${WEBHOOKS}/${body.data.reference}`
  const tell = async (type: string): Promise<string> => {
    const { id } = (await owner.post('/api/simulator/events', { type })).body.data
    return `${at}/deliveries/${id}`
  }
  const deliveries = () => db.many<{ event_type: string; status: string }>`
    select event_type, status from webhook_deliveries where webhook_id = ${body.data.id}
    order by event_type`
  return {
    owner,
    narrow,
    url,
    at,
    transfer: await tell('transfer.successful'),
    invoice: await tell('invoice.paid'),
    deliveries,
  }
}

test('403 for narrowing an endpoint to what the key can read, and then moving it', async () => {
  const { owner, narrow, at, url } = await endpoint()
  expect(await narrow.put(at, { events: ['invoice.*'] })).toMatchObject(LACKING)
  expect(await narrow.put(at, { url: `${url}/moved` })).toMatchObject(LACKING)
  expect((await narrow.put(at, { description: 'The shop' })).status).toBe(200)
  expect((await owner.get(at)).body.data).toMatchObject({
    url,
    events: ['transfer.*', 'invoice.*'],
  })
})

test('403 for moving an endpoint while events are waiting that the key cannot read', async () => {
  const { owner, narrow, at, url, transfer } = await endpoint()
  expect((await owner.put(at, { events: ['invoice.*'] })).status).toBe(200)
  expect(await narrow.put(at, { url: `${url}/moved` })).toMatchObject(LACKING)
  expect((await narrow.put(at, { events: ['invoice.paid'] })).status).toBe(200)
  const sent = await owner.post(`${transfer}/redeliver`)
  expect(sent.body.data.status).toBe('Delivered')
  // The delivery about an invoice is still waiting.
  expect((await narrow.put(at, { url: `${url}/moved` })).status).toBe(200)
})

test('403 for rotating the secret of an endpoint with events that the key cannot read', async () => {
  const { owner, narrow, at, url } = await endpoint()
  const { id } = (await owner.get(at)).body.data
  const before = await secretsOf(server, { id })
  expect(await narrow.post(`${at}/rotate-secret`)).toMatchObject(LACKING)
  expect(await secretsOf(server, { id })).toEqual(before)
  expect((await owner.post(`${at}/rotate-secret`)).status).toBe(200)
  const all = (await owner.post(WEBHOOKS, { url: `${url}/all` })).body.data
  expect(await narrow.post(`${WEBHOOKS}/${all.reference}/rotate-secret`)).toMatchObject(LACKING)
  expect((await owner.put(at, { events: ['invoice.*'] })).status).toBe(200)
  const rotated = await narrow.post(`${at}/rotate-secret`)
  expect(rotated.body.data.secret).toBe((await secretsOf(server, { id })).secret)
})

test('403 for redelivering an event that the key cannot read', async () => {
  const { narrow, transfer, invoice, url } = await endpoint()
  expect(await narrow.post(`${transfer}/redeliver`)).toMatchObject(LACKING)
  expect((await narrow.post(`${invoice}/redeliver`)).body.data.status).toBe('Delivered')
  const bodies = receiver.at(new URL(url).pathname).map(({ body }) => JSON.parse(body).type)
  expect(bodies).toEqual(['invoice.paid'])
})

test('403 for a test event that the key cannot read, because its data would be signed', async () => {
  const { narrow, at, url } = await endpoint()
  const forged = { type: 'transfer.successful', data: { amount: 1 } }
  expect(await narrow.post(`${at}/test`, forged)).toMatchObject(LACKING)
  expect(await narrow.post(`${at}/test`, { type: 'invoice.lost' })).toMatchObject({ status: 400 })
  expect((await narrow.post(`${at}/test`, { type: 'invoice.paid' })).status).toBe(200)
  expect((await narrow.post(`${at}/test`)).status).toBe(200)
  const types = receiver.at(new URL(url).pathname).map(({ body }) => JSON.parse(body).type)
  expect(types).toEqual(['invoice.paid', 'webhook.test'])
})

test.each([false, true])(
  '200 replays only the events that the key can read (failedOnly: %j)',
  async (failedOnly) => {
    const { owner, narrow, at, deliveries } = await endpoint()
    await db.run`update webhook_deliveries set status = 'Failed'`
    const replay = { from: '2020-01-01', failedOnly }
    expect((await narrow.post(`${at}/replay`, replay)).body.data).toMatchObject({ queued: 1 })
    expect(await deliveries()).toEqual([
      { event_type: 'invoice.paid', status: 'Pending' },
      { event_type: 'transfer.successful', status: 'Failed' },
    ])
    const all = await owner.post(`${at}/replay`, replay)
    expect(all.body.data.queued).toBe(failedOnly ? 1 : 2)
  },
)

test('200 replays nothing that failed before the endpoint was narrowed', async () => {
  const { owner, narrow, at, url, deliveries } = await endpoint()
  await db.run`update webhook_deliveries set status = 'Failed'`
  expect((await owner.put(at, { events: ['invoice.*'] })).status).toBe(200)
  expect((await narrow.put(at, { url: `${url}/moved` })).status).toBe(200)
  const replay = { from: '2020-01-01', failedOnly: true }
  expect((await owner.post(`${at}/replay`, replay)).body.data).toMatchObject({ queued: 1 })
  expect(await deliveries()).toEqual([
    { event_type: 'invoice.paid', status: 'Pending' },
    { event_type: 'transfer.successful', status: 'Failed' },
  ])
})

describe('events about a subaccount', () => {
  /** One subaccount whose holder the bank confirmed, and one whose payouts are blocked. */
  async function shop() {
    const created = await server.newBusiness()
    const owner = server.as(created.keys.testSecret)
    for (const [account_number, account_name] of [
      ['0123456789', undefined],
      ['0123456780', 'Somebody Else'],
    ]) {
      const account = { bank: 58, account_number, account_name }
      const one = { business_name: 'Stall', percentage_charge: 0, ...account }
      expect((await owner.post(SUBACCOUNTS, one)).status).toBe(200)
    }
    const { data } = (await owner.get(`${EVENTS}?limit=100`)).body
    const told = (type: string): string =>
      data.find((one: { type: string }) => one.type === type)!.id
    return {
      keyWith: (...scopes: string[]) => keyOf(created, ...scopes),
      blocked: `${EVENTS}/${told('settlement.blocked')}`,
      verified: `${EVENTS}/${told('account.verified')}`,
    }
  }

  test('403 without subaccounts:read, and lists leave them out', async () => {
    const { keyWith, blocked, verified } = await shop()
    const without = await keyWith('events:read', 'settlements:read', 'profile:read')
    expect(await without.get(blocked)).toMatchObject(LACKING)
    expect(await without.get(verified)).toMatchObject(LACKING)
    expect(await without.get(`${EVENTS}?type=settlement.blocked`)).toMatchObject(LACKING)
    expect((await without.get(EVENTS)).body).toMatchObject({ data: [], meta: { total: 0 } })
    const some = await keyWith('events:read', 'subaccounts:read')
    expect((await some.get(blocked)).status).toBe(200)
    expect(await some.get(verified)).toMatchObject(LACKING)
    const both = await keyWith('events:read', 'subaccounts:read', 'profile:write')
    expect((await both.get(verified)).status).toBe(200)
    expect((await both.get(`${EVENTS}?type=account.verified`)).body.data).toHaveLength(1)
  })

  test('403 for an endpoint that would receive them, also through a wildcard', async () => {
    const { keyWith } = await shop()
    const url = 'https://example.com/stalls'
    const scopes = ['webhooks:write', 'settlements:read', 'profile:read']
    const without = await keyWith(...scopes)
    for (const type of ['settlement.*', 'settlement.blocked', 'account.*', 'account.verified']) {
      expect(await without.post(WEBHOOKS, { url, events: [type] }), type).toMatchObject(LACKING)
    }
    expect((await without.post(WEBHOOKS, { url, events: ['settlement.paid'] })).status).toBe(201)
    const both = await keyWith(...scopes, 'subaccounts:read')
    const events = ['settlement.*', 'account.*']
    expect((await both.post(WEBHOOKS, { url: `${url}/all`, events })).status).toBe(201)
  })
})
