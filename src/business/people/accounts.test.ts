import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { createLink } from './one-time-links.ts'
import { browserAt, emailTo, lettersTo, memberOf, ownerToken, PASSWORD } from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server
const MINUTE_MS = 60_000

const signIn = (email: string, password = PASSWORD, more: object = {}) =>
  browserAt(url).post('/console/sign-in', { email, password, ...more })

describe('signing up', () => {
  test('200 creates the first owner with the link, once', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const browser = browserAt(url)
    expect((await browser.get(`/console/link?token=${token}`)).body.data).toMatchObject({
      kind: 'owner',
      business: 'Ada Ventures',
      role: 'owner',
    })
    const body = { token, name: 'Ada Obi', email: 'Ada@Ada.example', password: PASSWORD }
    expect((await browser.post('/console/sign-up', body)).status).toBe(200)
    expect((await browser.get('/console/me')).body.data).toMatchObject({
      person: { name: 'Ada Obi', email: 'ada@ada.example', twoFactor: false },
      businesses: [{ id: businessId, role: 'owner' }],
    })
    expect((await browser.get(`/console/link?token=${token}`)).status).toBe(404)
    expect((await browserAt(url).post('/console/sign-up', body)).status).toBe(404)
    expect((await browser.get('/console/audit')).body).toMatchObject({
      data: [{ action: 'session.begin' }, { action: 'member.join', person: 'Ada Obi' }],
      meta: { total: 2 },
    })
  })

  test('400 for a name that would span several lines in a mail to others', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const { post } = browserAt(url)
    const body = { token, email: 'of-one-line@people.example', password: PASSWORD }
    for (const name of ['Ada\n\nPay here: evil.example', 'Ada\u2028Obi', '\u202eadA', '\u200b']) {
      const answer = await post('/console/sign-up', { ...body, name })
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, ['name']])
    }
    expect((await post('/console/sign-up', { ...body, name: 'Ada Obi' })).status).toBe(200)
  })

  test('200 lets the first owner name the business; 400 names the field', async () => {
    const { businessId } = await server.newBusiness('My business')
    const token = await ownerToken(server, businessId)
    const { post, get } = browserAt(url)
    const body = { token, name: 'Ada', email: 'names-it@people.example', password: PASSWORD }
    const wrong = await post('/console/sign-up', { ...body, businessName: 'Ada\nVentures' })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ['businessName']])
    const named = { ...body, businessName: ' Adire & Oak ' }
    expect((await post('/console/sign-up', named)).status).toBe(200)
    const { businesses } = (await get('/console/me')).body.data
    expect(businesses).toMatchObject([{ id: businessId, name: 'Adire & Oak' }])
  })

  test('200 does not rename the business when a member joins', async () => {
    const { email } = await memberOf(server, 'viewer')
    const about = { kind: 'invitation', business_id: server.business.businessId } as const
    const link = {
      ...about,
      role: 'viewer',
      email: 'renames@people.example',
      person_id: null,
    } as const
    const { token } = await createLink(db, url, link, clock.now())
    const { post, get } = browserAt(url)
    const body = { token, name: 'Eve', password: PASSWORD, businessName: `Of ${email}` }
    expect((await post('/console/sign-up', body)).status).toBe(200)
    expect((await get('/console/me')).body.data.businesses).toMatchObject([
      { name: 'Ada Ventures' },
    ])
  })

  test('200 says that there is no account until there is one', async () => {
    const fresh = await startServer({ jobs: false })
    const { get } = browserAt(fresh.url)
    expect((await get('/console/welcome')).body.data).toEqual({ isNew: true })
    await memberOf(fresh, 'owner')
    expect((await get('/console/welcome')).body.data).toEqual({ isNew: false })
  })

  test('404 for all but one of many simultaneous uses of a link', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        browserAt(url).post('/console/sign-up', {
          token,
          name: `Racer ${i}`,
          email: `racer-${i}@people.example`,
          password: PASSWORD,
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(11)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from members where business_id = ${businessId}`
    const people = await db.one<{ n: number }>`
      select count(*) as n from people where email like 'racer-%'`
    expect([n, people.n]).toEqual([1, 1])
  })

  test('404 for the other links once the business has an owner', async () => {
    const { businessId } = await server.newBusiness()
    const [printed, used] = [
      await ownerToken(server, businessId),
      await ownerToken(server, businessId),
    ]
    const person = { name: 'Ada', email: 'first-owner@people.example', password: PASSWORD }
    expect((await browserAt(url).post('/console/sign-up', { token: used, ...person })).status).toBe(
      200,
    )
    const late = { ...person, email: 'late-owner@people.example', token: printed }
    expect((await browserAt(url).post('/console/sign-up', late)).status).toBe(404)
  })

  test('404 for an expired link', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    clock.advance(8 * 24 * 60 * MINUTE_MS)
    expect((await browserAt(url).get(`/console/link?token=${token}`)).status).toBe(404)
  })

  test.each([
    ['short-one', 'must have at least 12 characters'],
    ['aaaaaaaaaaaaaaaa', 'is too easy to guess'],
    ['Passwordpassword', 'is too easy to guess'],
    ['ngozi-eze-is-me', 'is too easy to guess'],
    ['ab1 '.repeat(33), 'must have at most 128 characters'],
  ])('400 for the password %s', async (password, says) => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const person = { name: 'Somebody', email: 'ngozi-eze@people.example' }
    const answer = await browserAt(url).post('/console/sign-up', { token, ...person, password })
    expect(answer).toMatchObject({ status: 400, body: { errors: { password: [says] } } })
  })

  test('200 joins with an existing account, by its password', async () => {
    const member = await memberOf(server, 'viewer')
    const { businessId } = await server.newBusiness('Second Ventures')
    const token = await ownerToken(server, businessId)
    const wrong = { token, email: member.email, password: 'quite-another-word-here' }
    expect((await browserAt(url).post('/console/sign-up', wrong)).body).toMatchObject({
      errorCode: 'sign_in_failed',
    })
    const right = { token, email: member.email, password: PASSWORD }
    expect((await browserAt(url).post('/console/sign-up', right)).status).toBe(200)
    const { businesses } = (await member.get('/console/me')).body.data
    expect(businesses.map((one: { role: string }) => one.role)).toEqual(['viewer', 'owner'])
  })

  test('200 accepts a password of 128 characters outside ASCII, and accepts it again', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const password = '🎺🥁🎷🎸🎻🪕🪗🎹'.repeat(16)
    const email = 'long@people.example'
    const body = { token, name: 'Long', email, password }
    expect((await browserAt(url).post('/console/sign-up', body)).status).toBe(200)
    expect((await signIn(email, password)).status).toBe(200)
    expect((await signIn(email, `${password}!`)).status).toBe(401)
  })
})

describe('signing in', () => {
  test('401 is the same for an unknown email address and a wrong password', async () => {
    const { email } = await memberOf(server, 'viewer')
    const bare = ({ status, body }: Awaited<ReturnType<typeof signIn>>) => {
      const { requestId: _, ...said } = body
      return { status, said }
    }
    const wrong = bare(await signIn(email, 'wrong-password-here'))
    expect(wrong).toMatchObject({ status: 401, said: { errorCode: 'sign_in_failed' } })
    expect(bare(await signIn('nobody@people.example', 'wrong-password-here'))).toEqual(wrong)
  })

  test.each([
    ['an account', async () => (await memberOf(server, 'viewer')).email],
    ['nobody', async () => 'guess@people.example'],
  ])('429 from the fifth failure on, longer each time, for %s', async (_who, emailOf) => {
    const email = await emailOf()
    const fail = () => signIn(email, 'wrong-password-here')
    for (let i = 0; i < 5; i++) expect((await fail()).status).toBe(401)
    const locked = await fail()
    expect(locked).toMatchObject({ status: 429, body: { errorCode: 'sign_in_locked' } })
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await signIn(email)).status).toBe(429)
    clock.advance(61_000)
    expect((await fail()).status).toBe(401)
    clock.advance(61_000)
    expect((await fail()).status).toBe(429)
    clock.advance(61_000)
    expect((await fail()).status).toBe(401)
  })

  test('429 for many simultaneous wrong passwords: no more are checked than one by one', async () => {
    const { email } = await memberOf(server, 'viewer')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signIn(email, 'wrong-password-here')),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
    expect(await emailTo(server, email, 'Someone is trying to sign in')).toContain('five wrong')
    expect(await lettersTo(server, email)).toHaveLength(1)
  })

  test('200 resets the count of failures', async () => {
    const { email } = await memberOf(server, 'viewer')
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 4; j++) await signIn(email, 'wrong-password-here')
      expect((await signIn(email)).status).toBe(200)
    }
  })

  test('200 sets a cookie for this site only, with a new session each time', async () => {
    const { post, cookie, email } = await memberOf(server, 'viewer')
    const before = cookie()
    const answer = await post('/console/sign-in', {
      email: email.toUpperCase(),
      password: PASSWORD,
    })
    const [set] = answer.headers.getSetCookie()
    expect(set).toMatch(/^tradepost=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(cookie()).not.toBe(before)
    const old = await fetch(`${url}/console/me`, { headers: { cookie: before } })
    expect(old.status).toBe(401)
    expect(answer.text).not.toContain(cookie().split('=')[1])
  })

  test('403 from a page of another site', async () => {
    const { email } = await memberOf(server, 'viewer')
    const body = { email, password: PASSWORD }
    const origin = 'https://evil.example'
    const answer = await browserAt(url).post('/console/sign-in', body, { origin })
    expect(answer).toMatchObject({ status: 403, body: { errorCode: 'csrf_refused' } })
  })

  test('415 from a form', async () => {
    const { status } = await fetch(`${url}/console/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'a@b.example', password: PASSWORD }),
    })
    expect(status).toBe(415)
  })
})
