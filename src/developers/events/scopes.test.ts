import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { EVENT_CATALOGUE } from '../../app/event-catalogue.ts'
import { SCOPES } from '../../business/keys/scopes.ts'
import { createKey } from '../../business/keys/service.ts'
import { tellEvents } from '../webhooks/webhooks.fixture.ts'
import { scopeOfType } from './service.ts'

const EVENTS = '/api/user-service/external/v1/events'
const WEBHOOKS = '/api/user-service/external/v1/webhooks'

const server = await startServer({ jobs: false })
const { db, ids, clock, business } = server

async function keyWith(...scopes: string[]) {
  const tenant = { businessId: business.businessId, live: false }
  const made = await db.transaction((tx) => createKey(tx, ids, tenant, { scopes }, clock.now()))
  return server.as(made.key)
}

const LACKING = { status: 403, body: { errorCode: 'insufficient_scope' } }

test('200 of every type belongs to a collection that keys can read', () => {
  for (const type of EVENT_CATALOGUE.types) {
    expect(SCOPES, type).toContain(scopeOfType(type))
    expect(scopeOfType(type), type).not.toBe('events:read')
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
