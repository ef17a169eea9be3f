import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { networkOf } from '../../http/ip-addresses.ts'
import {
  browserAt,
  emailTo,
  lettersTo,
  memberOf,
  PASSWORD,
  tokenIn,
  turnTwoFactorOn,
} from './people.fixture.ts'

const server = await startServer({ jobs: false, trustProxy: ['127.0.0.1'] })
const { clock, db, url } = server
const WRONG = 'wrong-password-here'

/** A sign-in from an internet address, by a known browser or an unknown one. */
const signIn = (email: string, password: string, ip: string, known = '') =>
  browserAt(url, known).post('/console/sign-in', { email, password }, { 'x-forwarded-for': ip })

async function lock(email: string, ip: string, known = '') {
  for (let i = 0; i < 5; i++) expect((await signIn(email, WRONG, ip, known)).status).toBe(401)
  expect((await signIn(email, WRONG, ip, known)).status).toBe(429)
}

/** Fails from this many networks. */
async function fail(email: string, times: number) {
  await Promise.all(
    Array.from({ length: times }, (_, i) => signIn(email, WRONG, `10.${i >> 8}.${i & 255}.1`)),
  )
}

describe('strangers', () => {
  test.each([
    ['an account', async () => (await memberOf(server, 'viewer')).email],
    ['nobody', async () => 'guess@people.example'],
  ])('429 for only their network, for %s', async (_who, emailOf) => {
    const email = await emailOf()
    await lock(email, '203.0.113.7')
    expect((await signIn(email.toUpperCase(), WRONG, '203.0.113.7')).status).toBe(429)
    expect((await signIn(email, WRONG, '203.0.113.8')).status).toBe(401)
    await lock(email, '2001:db8:1:2::1')
    expect((await signIn(email, WRONG, '2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await signIn(email, WRONG, '2001:db8:1:3::1')).status).toBe(401)
  })

  test.each([
    ['an account', async () => (await memberOf(server, 'viewer')).email],
    ['nobody', async () => 'many-guess@people.example'],
  ])(
    '429 for all strangers after a hundred failures from everywhere, for %s',
    async (_, emailOf) => {
      const email = await emailOf()
      await fail(email, 99)
      expect((await signIn(email, WRONG, '10.9.9.1')).status).toBe(401)
      const locked = await signIn(email, WRONG, '10.9.9.2')
      expect(locked).toMatchObject({ status: 429, body: { errorCode: 'sign_in_locked' } })
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(50)
      clock.advance(61_000)
      expect((await signIn(email, WRONG, '10.9.9.3')).status).toBe(401)
      clock.advance(61_000)
      expect((await signIn(email, WRONG, '10.9.9.3')).status).toBe(429)
    },
  )

  test('401 for others, however often a waiting network keeps trying', async () => {
    const email = 'persistent@people.example'
    await lock(email, '203.0.113.7')
    const tries = Array.from({ length: 120 }, () => signIn(email, WRONG, '203.0.113.7'))
    expect(new Set((await Promise.all(tries)).map(({ status }) => status))).toEqual(new Set([429]))
    expect((await signIn(email, WRONG, '203.0.113.8')).status).toBe(401)
  })

  test('429 for all but a hundred of many simultaneous attempts from everywhere', async () => {
    const { email } = await memberOf(server, 'viewer')
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, i) => signIn(email, WRONG, `10.1.${i}.1`)),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(100)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
    expect(await emailTo(server, email, 'Someone is trying to sign in')).toContain('five wrong')
    expect(await lettersTo(server, email)).toHaveLength(1)
  })

  test('429 continues after a successful sign-in, so it reveals nothing', async () => {
    const { email } = await memberOf(server, 'viewer')
    await fail(email, 99)
    expect((await signIn(email, PASSWORD, '10.9.9.1')).status).toBe(200)
    expect((await signIn(email, WRONG, '10.9.9.2')).status).toBe(401)
    expect((await signIn(email, PASSWORD, '10.9.9.3')).status).toBe(429)
  })
})

describe('a browser that signed in before', () => {
  test('200 while strangers have to wait, here and elsewhere', async () => {
    const { email, known } = await memberOf(server, 'viewer')
    await lock(email, '203.0.113.7')
    expect((await signIn(email, PASSWORD, '203.0.113.7')).status).toBe(429)
    expect((await signIn(email, PASSWORD, '203.0.113.7', known())).status).toBe(200)
    await fail(email, 110)
    expect((await signIn(email, PASSWORD, '10.9.9.1')).status).toBe(429)
  })

  test('429 for its own failures, one by one and at once, without delaying strangers', async () => {
    const { email, known } = await memberOf(server, 'viewer')
    await lock(email, '203.0.113.7', known())
    expect((await signIn(email, PASSWORD, '198.51.100.1', known())).status).toBe(429)
    expect((await signIn(email, WRONG, '203.0.113.7')).status).toBe(401)
    clock.advance(61_000)
    expect((await signIn(email, PASSWORD, '203.0.113.7', known())).status).toBe(200)

    const other = await memberOf(server, 'viewer')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        signIn(other.email, WRONG, `10.2.${i}.1`, other.known()),
      ),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  test('429 with another account’s cookie, a forged one, and too many of them', async () => {
    const { email } = await memberOf(server, 'viewer')
    const other = await memberOf(server, 'viewer')
    await lock(email, '203.0.113.7')
    const value = other.known().split('=')[1]!
    const many = Array.from({ length: 200 }, (_, i) => `${i}`.padStart(43, 'x')).join('.')
    for (const shown of [value, 'x'.repeat(43), '', `${value}.${value}`, many, '.'.repeat(4000)]) {
      const answer = await signIn(email, PASSWORD, '203.0.113.7', `tradepost-browser=${shown}`)
      expect(answer.status).toBe(429)
    }
  })

  test('200 sets a cookie for this site only; the next sign-in replaces it', async () => {
    const { email, known } = await memberOf(server, 'viewer')
    const first = known()
    const again = await signIn(email, PASSWORD, '203.0.113.9', first)
    const [, set = ''] = again.headers.getSetCookie()
    expect(set).toMatch(
      /^tradepost-browser=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
    )
    await lock(email, '203.0.113.9')
    expect((await signIn(email, PASSWORD, '203.0.113.9', first)).status).toBe(429)
    const second = set.split(';')[0]
    expect((await signIn(email, PASSWORD, '203.0.113.9', second)).status).toBe(200)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from known_browsers k join people p on p.id = k.person_id
      where p.email = ${email}`
    expect(n).toBe(1)
  })

  test('200 is known for each person who uses it', async () => {
    const [one, two] = [await memberOf(server, 'viewer'), await memberOf(server, 'viewer')]
    const shared = browserAt(url, one.known())
    await shared.post('/console/sign-in', { email: two.email, password: PASSWORD })
    for (const { email } of [one, two]) {
      await lock(email, '203.0.113.7')
      expect((await signIn(email, PASSWORD, '203.0.113.7', shared.known())).status).toBe(200)
    }
  })

  test('429 after half a year, when it is forgotten', async () => {
    const { email, known } = await memberOf(server, 'viewer')
    clock.advance(181 * 24 * 3_600_000)
    await lock(email, '203.0.113.7')
    expect((await signIn(email, PASSWORD, '203.0.113.7', known())).status).toBe(429)
    await server.runJob('people')
    const { n } = await db.one<{ n: number }>`select count(*) as n from known_browsers`
    expect(n).toBe(0)
  })

  test('200 for at most twenty per person, the newest', async () => {
    const { email, id } = await memberOf(server, 'viewer')
    for (let i = 0; i < 25; i++) await signIn(email, PASSWORD, '203.0.113.7')
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from known_browsers where person_id = ${id}`
    expect(n).toBe(20)
  })
})

describe('the known-browser cookie', () => {
  /** Whether each browser is still known for the same person. */
  async function areKnown(email: string, ...browsers: { known(): string }[]) {
    await lock(email, '203.0.113.7')
    const known: boolean[] = []
    for (const browser of browsers) {
      const { status } = await signIn(email, WRONG, '203.0.113.7', browser.known())
      known.push(status === 401)
    }
    return known
  }

  async function two() {
    const first = await memberOf(server, 'viewer')
    const second = browserAt(url)
    await second.post('/console/sign-in', { email: first.email, password: PASSWORD })
    return { first, second }
  }

  test('200 remains after signing out', async () => {
    const { first, second } = await two()
    await second.post('/console/sign-out')
    expect(await areKnown(first.email, first, second)).toEqual([true, true])
  })

  test('200 is removed with a session that is ended by hand', async () => {
    const { first, second } = await two()
    const { data } = (await first.get('/console/sessions')).body
    const { id } = data.find((one: { current: boolean }) => !one.current)
    await first.post(`/console/sessions/${id}/end`)
    expect(await areKnown(first.email, first, second)).toEqual([true, false])
  })

  test.each(['/console/sessions/end-others', '/console/password/change'])(
    '200 is removed by %s, except for the current browser',
    async (path) => {
      const { first, second } = await two()
      await first.post(path, { password: PASSWORD, newPassword: 'green-lantern-walks-home' })
      expect(await areKnown(first.email, first, second)).toEqual([true, false])
    },
  )

  test('200 is removed by a password reset, except for the browser that did it', async () => {
    const { first, second } = await two()
    await browserAt(url).post('/console/password/forgot', { email: first.email })
    const token = tokenIn(await emailTo(server, first.email, 'Reset your password'))
    const third = browserAt(url)
    const password = 'green-lantern-walks-home'
    expect((await third.post('/console/password/reset', { token, password })).status).toBe(200)
    expect(third.cookie()).toBe('')
    expect(await areKnown(first.email, first, second, third)).toEqual([false, false, true])
  })

  test('200 is removed elsewhere, with the other sessions, when two-factor is turned on', async () => {
    const { first, second } = await two()
    await turnTwoFactorOn(server, first)
    expect((await second.get('/console/me')).status).toBe(401)
    expect((await first.get('/console/me')).status).toBe(200)
    expect(await areKnown(first.email, first, second)).toEqual([true, false])
  })
})

test('429 never delays signed-in people, except for their own wrong passwords', async () => {
  const { email, post } = await memberOf(server, 'viewer')
  const again = (password: string, ip: string) =>
    post('/console/reauthenticate', { password }, { 'x-forwarded-for': ip })
  await fail(email, 110)
  expect((await again(PASSWORD, '10.0.0.1')).status).toBe(200)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => again(WRONG, `10.3.${i}.1`)),
  )
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
  expect((await again(PASSWORD, '10.0.0.1')).status).toBe(429)
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['what is this', 'what is this'],
  [undefined, ''],
])('%s belongs to the network %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})
