import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { PROFILE, partnersOf } from './partners.fixture.ts'
import { newClientSecret } from './scopes.ts'

// Each test has its own server: an address over its limit in one test would stay so in the next.

test('429 for an address that keeps failing, while the partner still gets in from it', async () => {
  const server = await startServer({ rateLimit: 100, jobs: false })
  const { newPartner, exchange, form } = partnersOf(server)
  const { clientId, clientSecret } = await newPartner()
  const wrong = { clientId, clientSecret: newClientSecret(false) }
  const replies = await Promise.all(Array.from({ length: 30 }, () => exchange(wrong)))

  const statuses = replies.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(10)
  const late = replies.find(({ status }) => status === 429)!
  expect([late.body.errorCode, late.headers.get('retry-after')]).toEqual(['rate_limited', '10'])
  expect((await exchange({ clientId, clientSecret })).status).toBe(200)
  const other = await newPartner()
  const { status } = await exchange({ ...other, clientSecret: newClientSecret(false) })
  expect(status).toBe(401)

  const asForm = { client_id: clientId, client_secret: wrong.clientSecret }
  const fields = { grant_type: 'client_credentials', ...asForm }
  const forms = await Promise.all(Array.from({ length: 30 }, () => form(fields)))
  const tooMany = forms.find((reply) => reply.status === 429)
  expect(tooMany?.body).toEqual({
    error: 'temporarily_unavailable',
    error_description: 'Too many requests. Wait for the time in Retry-After.',
  })
})

test('429 for an address over its limit, before its body is read; 200 after a wait', async () => {
  const server = await startServer({ rateLimit: 100, jobs: false })
  const { newPartner, exchange } = partnersOf(server)
  const replies = await Promise.all(Array.from({ length: 400 }, () => exchange({})))
  const statuses = new Set(replies.map(({ status }) => status))
  expect(statuses).toEqual(new Set([400, 429]))

  const partner = await newPartner()
  server.clock.advance(60_000)
  expect((await exchange(partner)).status).toBe(200)
})

test('429 for a partner in one business, 200 in another and for the business itself', async () => {
  const server = await startServer({ rateLimit: 5, jobs: false })
  const { as, business, newBusiness } = server
  const { newPartner, tokenOf, grant, acting } = partnersOf(server)
  const other = await newBusiness()
  const partner = await newPartner()
  await grant(business.keys.testSecret, partner.clientId)
  await grant(other.keys.testSecret, partner.clientId)
  const [token, another] = [await tokenOf(partner), await tokenOf(partner)]

  const { get } = acting(token, business.businessId)
  const replies = await Promise.all(Array.from({ length: 200 }, () => get(PROFILE)))
  expect(replies.some(({ status }) => status === 429)).toBe(true)
  const limits = new Set(replies.map(({ headers }) => headers.get('ratelimit-limit')))
  expect(limits).toEqual(new Set(['10']))
  expect((await acting(another, other.businessId).get(PROFILE)).status).toBe(200)
  expect((await as(business.keys.testSecret).get(PROFILE)).status).toBe(200)
})
