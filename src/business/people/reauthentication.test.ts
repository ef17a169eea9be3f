import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { redirectSecretOf } from '../account/service.ts'
import { memberOf } from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const PARTNERS = '/api/user-service/external/v1/partners'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const URL_ = 'https://shop.example.com/hooks'
const ASKED = { status: 403, body: { errorCode: 'reauthentication_needed' } }

/** An owner who entered the password a while ago. */
async function owner(mode: 'test' | 'live') {
  const { businessId } = await server.newBusiness()
  const member = await memberOf(server, 'owner', businessId)
  member.choose(businessId, mode)
  const made = await member.post(WEBHOOKS, { url: URL_ })
  expect(made.status).toBe(201)
  clock.advance(6 * 60_000)
  const again = () => member.post('/console/reauthenticate', { password: member.password })
  return { ...member, businessId, reference: made.body.data.reference as string, again }
}

describe('webhooks', () => {
  test('403 in live mode for changes of where events go, until confirmed again', async () => {
    const { post, put, get, again, reference } = await owner('live')
    const one = `${WEBHOOKS}/${reference}`
    const before = (await get(one)).text
    expect(await post(WEBHOOKS, { url: URL_ })).toMatchObject(ASKED)
    expect(await put(one, { url: 'https://evil.example/hooks' })).toMatchObject(ASKED)
    expect(await post(`${one}/rotate-secret`)).toMatchObject(ASKED)
    expect(await post(`${one}/delete`)).toMatchObject(ASKED)
    expect((await get(one)).text).toBe(before)
    expect((await get(WEBHOOKS)).body.data).toHaveLength(1)

    // Changes that keep the URL need no password.
    const events = ['invoice.paid']
    expect((await put(one, { url: URL_, events })).body.data.events).toEqual(events)
    expect((await put(one, { status: 'Disabled' })).status).toBe(200)
    const nobodys = { url: 'https://evil.example/hooks' }
    expect((await put(`${WEBHOOKS}/WHK_none`, nobodys)).status).toBe(404)

    await again()
    expect((await post(WEBHOOKS, { url: `${URL_}/other` })).status).toBe(201)
    expect((await put(one, { url: `${URL_}/new` })).body.data.url).toBe(`${URL_}/new`)
    expect((await post(`${one}/rotate-secret`)).status).toBe(200)
    expect((await post(`${one}/delete`)).status).toBe(200)
  })

  test('200 in test mode, where nothing is real', async () => {
    const { post, put, reference } = await owner('test')
    const one = `${WEBHOOKS}/${reference}`
    expect((await post(WEBHOOKS, { url: `${URL_}/other` })).status).toBe(201)
    expect((await put(one, { url: `${URL_}/new` })).status).toBe(200)
    expect((await post(`${one}/rotate-secret`)).status).toBe(200)
    expect((await post(`${one}/delete`)).status).toBe(200)
  })

  test('201 for keys, without a confirmation', async () => {
    const { business, as } = server
    const live = as(business.keys.liveSecret)
    expect((await live.post(WEBHOOKS, { url: URL_ })).status).toBe(201)
  })
})

test('403 for revoking a partner’s access, until confirmed again', async () => {
  const { post, again } = await owner('test')
  const revoke = () => post(`${PARTNERS}/pc_test_none/revoke`)
  expect(await revoke()).toMatchObject(ASKED)
  await again()
  expect((await revoke()).status).toBe(404)
})

describe('the redirect secret', () => {
  test('200 appears only in the response that requires the password', async () => {
    const { get, put, post, again, businessId } = await owner('test')
    const secret = await redirectSecretOf(db, server.keyring, { businessId, live: false })
    for (const answer of [await get(SETTINGS), await put(SETTINGS, { timeZone: 'Africa/Accra' })]) {
      expect([answer.status, answer.text.includes(secret)]).toEqual([200, false])
    }
    expect((await get(SETTINGS)).body.data.redirectSecret).toBeNull()
    const path = '/console/redirect-secret/show'
    expect(await post(path)).toMatchObject(ASKED)
    await again()
    expect((await post(path)).body.data).toEqual({ secret })
    const [entry] = (await get('/console/audit')).body.data
    expect(entry).toMatchObject({ action: 'redirect_secret.show', mode: 'test' })
    expect(JSON.stringify(entry)).not.toContain(secret)
  })

  test('403 for a role that cannot change settings; 200 for keys that can', async () => {
    const viewer = await memberOf(server, 'viewer')
    expect((await viewer.post('/console/redirect-secret/show')).body.errorCode).toBe(
      'insufficient_scope',
    )
    expect((await server.get(SETTINGS)).body.data.redirectSecret).toMatch(/\w{20}/)
  })
})
