import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { isOwnOrigin } from '../../http/ip-addresses.ts'
import { browserAt, memberOf, PASSWORD } from './people.fixture.ts'
import { cookieFor, sessionVerifier } from './sessions.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server
const MINUTE_MS = 60_000
const INVOICES = '/api/payment-service/external/v1/invoices'
const PROFILE = '/api/user-service/external/v1/profile'

describe('a session', () => {
  test('401 after 30 minutes without a request', async () => {
    const { get } = await memberOf(server, 'viewer')
    for (let i = 0; i < 3; i++) {
      clock.advance(29 * MINUTE_MS)
      expect((await get('/console/me')).status).toBe(200)
      await expect.poll(() => seenAgoMs()).toBeLessThan(MINUTE_MS)
    }
    clock.advance(31 * MINUTE_MS)
    expect((await get('/console/me')).body).toMatchObject({ errorCode: 'session_ended' })
    expect((await get(PROFILE)).status).toBe(401)
  })

  const seenAgoMs = async () => {
    const { at } = await db.one<{ at: Date }>`select max(last_seen_at) as at from sessions`
    return clock.now().getTime() - at.getTime()
  }

  test('401 after 12 hours, however much it is used', async () => {
    const { get } = await memberOf(server, 'viewer')
    for (let i = 0; i < 28; i++) {
      clock.advance(25 * MINUTE_MS)
      expect((await get('/console/me')).status).toBe(200)
      await expect.poll(() => seenAgoMs()).toBeLessThan(MINUTE_MS)
    }
    clock.advance(25 * MINUTE_MS)
    expect((await get('/console/me')).status).toBe(401)
  })

  test('401 after signing out, which removes the cookie', async () => {
    const { get, post, cookie } = await memberOf(server, 'viewer')
    const before = cookie()
    const answer = await post('/console/sign-out')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^tradepost=; .*Max-Age=0$/)
    expect((await get('/console/me')).status).toBe(401)
    expect((await fetch(`${url}/console/me`, { headers: { cookie: before } })).status).toBe(401)
  })

  test('200 lists the sessions of a person, and ends them', async () => {
    const first = await memberOf(server, 'viewer')
    const second = browserAt(url)
    await second.post('/console/sign-in', { email: first.email, password: PASSWORD })
    const third = browserAt(url)
    await third.post('/console/sign-in', { email: first.email, password: PASSWORD })
    const { data } = (await first.get('/console/sessions')).body
    expect(data).toHaveLength(3)
    expect(data.filter((one: { current: boolean }) => one.current)).toHaveLength(1)
    expect(JSON.stringify(data)).not.toContain(first.cookie().split('=')[1])

    const stranger = await memberOf(server, 'owner')
    const other = data.find((one: { current: boolean }) => !one.current).id
    expect((await stranger.post(`/console/sessions/${other}/end`)).status).toBe(404)
    expect((await first.post(`/console/sessions/${other}/end`)).status).toBe(200)
    expect((await first.post(`/console/sessions/${other}/end`)).status).toBe(404)
    expect((await first.post('/console/sessions/end-others')).body.data).toEqual({ ended: 1 })
    const statuses = await Promise.all([first, second, third].map((one) => one.get('/console/me')))
    expect(statuses.map(({ status }) => status)).toEqual([200, 401, 401])
  })

  test('0 rows are left a day after it ends', async () => {
    await memberOf(server, 'viewer')
    clock.advance(3 * 24 * 60 * MINUTE_MS)
    await server.runJob('people')
    const left = await db.one<{ n: number }>`select count(*) as n from sessions`
    const tries = await db.one<{ n: number }>`select count(*) as n from sign_in_tries`
    expect([left.n, tries.n]).toEqual([0, 0])
  })
})

describe('a change', () => {
  const body = { customerEmail: 'bola@example.com', amount: 100 }

  test.each([
    ['no token', { 'x-csrf-token': '' }],
    ['another token', { 'x-csrf-token': 'x'.repeat(43) }],
    ['another page', { origin: 'https://evil.example' }],
    ['no page at all', { origin: 'null' }],
  ])('403 with %s, at the API and the console', async (_what, headers) => {
    const { post } = await memberOf(server, 'owner')
    for (const path of [INVOICES, '/console/sign-out']) {
      const answer = await post(path, body, headers as Record<string, string>)
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'csrf_refused' } })
    }
    expect((await post(INVOICES, body)).status).toBe(201)
  })

  test('403 with the token of another session of the same person', async () => {
    const one = await memberOf(server, 'owner')
    const two = browserAt(url)
    await two.post('/console/sign-in', { email: one.email, password: PASSWORD })
    const headers = { 'x-csrf-token': two.csrf() }
    expect((await one.post(INVOICES, body, headers)).status).toBe(403)
  })

  test('403 after five minutes, until the password is entered again', async () => {
    const { post } = await memberOf(server, 'owner')
    clock.advance(6 * MINUTE_MS)
    const invite = () =>
      post('/console/team/invite', { email: 'late@people.example', role: 'viewer' })
    expect((await invite()).body).toMatchObject({ errorCode: 'reauthentication_needed' })
    const wrong = await post('/console/reauthenticate', { password: 'not-the-one-at-all' })
    expect(wrong).toMatchObject({ status: 401, body: { errorCode: 'sign_in_failed' } })
    expect((await invite()).status).toBe(403)
    expect((await post('/console/reauthenticate', { password: PASSWORD })).status).toBe(200)
    expect((await invite()).status).toBe(200)
    expect((await post(INVOICES, body)).status).toBe(201)
  })
})

describe('a cookie', () => {
  test('401 beside an invalid key, where it does not count', async () => {
    const { get } = await memberOf(server, 'owner')
    const authorization = 'Bearer sk_test_nothing'
    expect((await get(PROFILE, { authorization })).body).toMatchObject({ errorCode: 'invalid_key' })
    expect((await get('/console/me', { authorization })).status).toBe(401)
  })

  test('200 beside a valid key acts for the key and its business', async () => {
    const { get } = await memberOf(server, 'owner')
    const other = await server.newBusiness('Key Ventures')
    const answer = await get(PROFILE, {
      authorization: `Bearer ${other.keys.testSecret}`,
      'x-business-id': String(other.businessId),
    })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('Key Ventures')
  })

  test('is bound to its host with TLS, and no other cookie is accepted', async () => {
    const { cookie } = await memberOf(server, 'owner')
    const publicUrl = 'https://shop.example'
    expect(cookieFor(publicUrl, 'abc')).toBe(
      '__Host-tradepost=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200',
    )
    const log = { info() {}, warn() {}, error() {} }
    const prove = sessionVerifier({ db, clock, publicUrl, log: log as never })
    const session = { token: cookie().split('=')[1]!, csrf: undefined, live: false, writes: false }
    const shown = { key: '', businessId: undefined, ip: '', origin: undefined }
    const bound = { ...shown, session: { ...session, isHostBound: true } }
    expect((await prove(bound)).members).toHaveLength(1)
    await expect(
      prove({ ...shown, session: { ...session, isHostBound: false } }),
    ).rejects.toMatchObject({ code: 'session_ended' })
  })

  test.each([
    ['https://shop.example', 'https://shop.example', true],
    ['https://shop.example', 'http://shop.example', false],
    ['https://shop.example', 'https://shop.example.evil.example', false],
    ['https://shop.example', 'http://localhost', false],
    ['http://127.0.0.1:4000', 'http://localhost:5173', true],
    ['http://127.0.0.1:4000', 'http://shop.example', false],
    ['http://127.0.0.1:4000', 'null', false],
  ])('of %s belongs to a page of %s: %s', (publicUrl, origin, isOurs) => {
    expect(isOwnOrigin(publicUrl, origin)).toBe(isOurs)
  })
})
