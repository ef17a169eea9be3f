import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { addPasskey, assertion, authenticator, enterWith, registration } from './passkey.fixture.ts'
import {
  browserAt,
  codeAt,
  emailTo,
  lettersTo,
  memberOf,
  PASSWORD,
  tokenIn,
  turnTwoFactorOn,
} from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server
const INVOICES = '/api/payment-service/external/v1/invoices'

interface ConsoleRoute {
  method: string
  path: string
}

/**
 * Every route below /console, as the server reports them. Routes with business and mode in their
 * path keep `:business` and `:mode`.
 */
function consoleRoutes(): ConsoleRoute[] {
  const parts: string[] = []
  const lines = server.app.server.printRoutes({ commonPrefix: false }).split('\n')
  return lines.flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
    if (!part) return []
    const depth = indent.length / 4
    parts.splice(depth, parts.length, part)
    const path = parts.join('').replace(/:(?!(?:business|mode)\b)\w+(\([^)]*\))?/g, '1')
    if (!path.startsWith('/console/') || !methods) return []
    return methods
      .split(', ')
      .filter((method) => method !== 'HEAD')
      .map((method) => ({ method, path }))
  })
}

/** These work without signing in. */
const OPEN = [
  '/console/link',
  '/console/live',
  '/console/sign-up',
  '/console/sign-in',
  '/console/sign-in/passkey/begin',
  '/console/sign-in/passkey/finish',
  '/console/password/forgot',
  '/console/password/reset',
  '/console/passkeys/remove-all',
  '/console/welcome',
]
/** These belong to the account, not to a business. */
const OF_PERSON =
  /^\/console\/(me|sign-out|reauthenticate|email|password|two-factor|passkeys|sessions)(\/|$)/

describe('every route of the console', () => {
  test('401 without a session, except for signing in', async () => {
    const routes = consoleRoutes()
    expect(routes.length).toBeGreaterThan(45)
    const wrong: string[] = []
    for (const { method, path } of routes.filter((one) => !OPEN.includes(one.path))) {
      for (const authorization of ['', `Bearer ${server.business.keys.testSecret}`]) {
        const body = method === 'GET' ? undefined : {}
        const { status } = await server.call(method, path, body, { authorization })
        if (status !== 401) wrong.push(`${method} ${path}: ${status}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('403 for changes from another site, and without the token', async () => {
    const member = await memberOf(server, 'owner')
    const wrong: string[] = []
    for (const { method, path } of consoleRoutes().filter((one) => one.method !== 'GET')) {
      const tokens = OPEN.includes(path) ? [] : [{ 'x-csrf-token': '' }]
      for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, ...tokens]) {
        const { status, body } = await member.call(method, path, {}, headers)
        if (status !== 403 || body?.errorCode !== 'csrf_refused') {
          wrong.push(`${method} ${path} ${JSON.stringify(headers)}: ${status}`)
        }
      }
    }
    expect(wrong).toEqual([])
    expect((await member.get('/console/me')).status).toBe(200)
  })

  test.each(['test', 'live'] as const)(
    '404 for another business, and for an invalid id, in %s mode',
    async (mode) => {
      const member = await memberOf(server, 'owner')
      const { businessId } = await server.newBusiness('Foreign Ventures')
      const wrong: string[] = []
      const routes = consoleRoutes().filter(
        ({ path }) => !OPEN.includes(path) && !OF_PERSON.test(path),
      )
      expect(routes.length).toBeGreaterThan(20)
      const named = [businessId, `${businessId} `, '0', '-1', '1e3', 'x', `1,${businessId}`]
      for (const { method, path } of routes) {
        for (const id of named) {
          const headers = { 'x-business-id': String(id), 'x-tradepost-mode': mode }
          const body = method === 'GET' ? undefined : {}
          const url = path
            .replace(':business', encodeURIComponent(String(id)))
            .replace(':mode', mode)
          const answer = await member.call(method, url, body, headers)
          if (answer.status !== 404 || answer.body.errorCode !== 'business_not_found') {
            wrong.push(`${method} ${path} as ${id}: ${answer.status}`)
          }
        }
      }
      expect(wrong).toEqual([])
    },
  )

  test('404 for records of the other mode', async () => {
    const member = await memberOf(server, 'owner')
    const invoice = { customerEmail: 'bola@example.com', amount: 100 }
    const { reference } = (await member.post(INVOICES, invoice)).body.data
    const status = async (mode: string) =>
      (await member.get(`${INVOICES}/${reference}`, { 'x-tradepost-mode': mode })).status
    expect([await status('live'), await status('test')]).toEqual([404, 200])
  })
})

test.each(['LIVE', 'Test', 'live, test', 'production', ''])(
  '400 for the mode %j, which never selects the other mode',
  async (mode) => {
    const member = await memberOf(server, 'owner')
    const headers = { 'x-tradepost-mode': mode }
    const body = { customerEmail: 'bola@example.com', amount: 100 }
    const answers = [
      await member.get(INVOICES, headers),
      await member.post(INVOICES, body, headers),
      await member.get('/console/me', headers),
      await member.get('/console/keys', headers),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 400,
        body: { errors: { 'X-Tradepost-Mode': ['must be test or live'] } },
      })
    }
  },
)

describe('a session', () => {
  test('401 with a cookie that someone planted before the sign-in', async () => {
    const { email } = await memberOf(server, 'viewer')
    const chosen = 'c'.repeat(43)
    const victim = browserAt(url)
    const cookie = { cookie: `tradepost=${chosen}; __Host-tradepost=${chosen}` }
    const answer = await victim.post('/console/sign-in', { email, password: PASSWORD }, cookie)
    expect(answer.status).toBe(200)
    expect(victim.cookie()).not.toContain(chosen)
    const look = await fetch(`${url}/console/me`, { headers: cookie })
    expect(look.status).toBe(401)
  })

  test('401 with the attacker’s session, in which someone signed in or up', async () => {
    const attacker = await memberOf(server, 'viewer')
    const theirs = { cookie: attacker.cookie() }
    const { email } = await memberOf(server, 'viewer')
    await browserAt(url).post('/console/sign-in', { email, password: PASSWORD }, theirs)
    expect((await fetch(`${url}/console/me`, { headers: theirs })).status).toBe(401)
  })
})

test('200 of an open stream ends when its member is removed', async () => {
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  const member = await memberOf(server, 'viewer', businessId)
  const stream = () =>
    fetch(`${url}/console/live?business=${businessId}`, { headers: { cookie: member.cookie() } })
  const open = await stream()
  expect(open.status).toBe(200)
  expect((await owner.post(`/console/team/${member.id}/remove`)).status).toBe(200)
  await open.text()
  expect((await stream()).status).toBe(404)
})

describe('an invitation', () => {
  test('200 for one of many simultaneous uses, with one account and one membership', async () => {
    const { businessId } = await server.newBusiness()
    const owner = await memberOf(server, 'owner', businessId)
    const email = 'many@people.example'
    await owner.post('/console/team/invite', { email, role: 'viewer' })
    const token = tokenIn(await emailTo(server, email))
    const body = { token, name: 'Many', password: PASSWORD }
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => browserAt(url).post('/console/sign-up', body)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { people, members } = await db.one<{ people: number; members: number }>`
      select (select count(*) from people where email = ${email}) as people,
        (select count(*) from members where business_id = ${businessId}) as members`
    expect([people, members]).toEqual([1, 2])
  })
})

describe('a password', () => {
  test('404 for a link that was mailed before the change', async () => {
    const { email, post } = await memberOf(server, 'viewer')
    await browserAt(url).post('/console/password/forgot', { email })
    const token = tokenIn(await emailTo(server, email))
    const newPassword = 'green-lantern-walks-home'
    await post('/console/password/change', { password: PASSWORD, newPassword })
    const late = await browserAt(url).post('/console/password/reset', {
      token,
      password: 'another-word-for-all-this',
    })
    expect(late).toMatchObject({ status: 404, body: { errorCode: 'link_not_found' } })
  })

  test('200 mails only the account’s own address, however similar the one that was sent', async () => {
    const { businessId } = await server.newBusiness()
    const owner = await memberOf(server, 'owner', businessId)
    const email = 'kate.sims@people.example'
    await owner.post('/console/team/invite', { email, role: 'viewer' })
    const token = tokenIn(await emailTo(server, email))
    await browserAt(url).post('/console/sign-up', { token, name: 'Kate', password: PASSWORD })

    // Lower case turns KELVIN SIGN into k, but leaves LATIN SMALL LETTER LONG S as it is.
    const alike = ['\u212aate.sims@people.example', 'kate.\u017fims@people.example']
    for (const given of alike) {
      expect((await browserAt(url).post('/console/password/forgot', { email: given })).status).toBe(
        200,
      )
    }
    expect(await emailTo(server, email, 'Reset your password')).toContain(email)
    for (const given of alike) expect(await lettersTo(server, given)).toEqual([])

    const invite = (given: string) =>
      owner.post('/console/team/invite', { email: given, role: 'viewer' })
    expect((await invite('KATE.SIMS@people.example')).status).toBe(409)
    expect((await invite(alike[0]!)).status).toBe(409)
    expect((await invite(alike[1]!)).status).toBe(400)
    const signIn = (given: string) =>
      browserAt(url).post('/console/sign-in', { email: given, password: 'wrong-password-here' })
    // One count, however the email address is written.
    const spelt = [email, ` ${email.toUpperCase()} `, alike[0]!, 'Kate.Sims@PEOPLE.example', email]
    for (const given of spelt) expect((await signIn(given)).status).toBe(401)
    for (const given of spelt) expect((await signIn(given)).status).toBe(429)
  })
})

describe('a code', () => {
  test('200 once, even for simultaneous uses in different places', async () => {
    const member = await memberOf(server, 'owner')
    const { secret, recoveryCodes } = await turnTwoFactorOn(server, member)
    for (const code of [codeAt(secret, clock.now()), recoveryCodes[0]!]) {
      const body = { password: PASSWORD, code }
      const answers = await Promise.all([
        ...Array.from({ length: 3 }, () =>
          browserAt(url).post('/console/sign-in', { ...body, email: member.email }),
        ),
        ...Array.from({ length: 2 }, () => member.post('/console/reauthenticate', body)),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })

  test('429 for many simultaneous guesses of the first code of an app', async () => {
    const { post } = await memberOf(server, 'owner')
    const { data } = (await post('/console/two-factor/begin')).body
    const right = codeAt(data.secret, clock.now())
    const codes = Array.from({ length: 15 }, (_, i) => `${i}`.padStart(6, '7'))
    const answers = await Promise.all(
      codes
        .filter((code) => code !== right)
        .map((code) => post('/console/two-factor/confirm', { code })),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect((await post('/console/two-factor/confirm', { code: right })).status).toBe(429)
  })
})

describe('a passkey', () => {
  test.each([
    ['text', 'internal', []],
    ['a number', 7, []],
    ['objects', [{ a: 1 }], []],
    ['long text', ['x'.repeat(1_000)], []],
    ['many', Array(11).fill('usb'), []],
    ['null', null, []],
    ['short words', ['usb', 'smart-card'], ['usb', 'smart-card']],
  ])('200 with transports that are %s keeps only short words', async (_what, transports, kept) => {
    const { post, id } = await memberOf(server, 'viewer')
    const { challenge } = (await post('/console/passkeys/begin')).body.data
    const made = registration(authenticator(), challenge)
    const response = { ...made, response: { ...made.response, transports } }
    const body = { name: 'Phone', response }
    const sent = await post('/console/passkeys/finish', body, { origin: 'http://127.0.0.1' })
    expect(sent.status).toBe(200)
    const row = await db.one`select transports from passkeys where person_id = ${id}`
    expect(row).toEqual({ transports: kept })
  })

  test('401 for another person’s challenge; 409 for another person’s passkey', async () => {
    const [one, two] = [await memberOf(server, 'viewer'), await memberOf(server, 'viewer')]
    const { challenge } = (await one.post('/console/passkeys/begin')).body.data
    const key = authenticator()
    const body = { name: 'Phone', response: registration(key, challenge) }
    const origin = { origin: 'http://127.0.0.1' }
    expect((await two.post('/console/passkeys/finish', body, origin)).status).toBe(401)
    expect((await one.post('/console/passkeys/finish', body, origin)).status).toBe(200)
    expect((await one.post('/console/passkeys/finish', body, origin)).status).toBe(401)
    expect((await addPasskey(two, key)).answer).toMatchObject({
      status: 409,
      body: { errorCode: 'passkey_exists' },
    })
    expect((await two.get('/console/passkeys')).body.data.passkeys).toEqual([])
    expect((await two.post(`/console/passkeys/${key.id}/remove`)).status).toBe(404)
    const entered = browserAt(url)
    expect((await enterWith(entered, key)).status).toBe(200)
    expect((await entered.get('/console/me')).body.data.person.id).toBe(one.id)
  })

  test('200 for one of many simultaneous uses of a signature, and for none after it', async () => {
    const { made } = await addPasskey(await memberOf(server, 'viewer'))
    const begin = async () =>
      (await browserAt(url).post('/console/sign-in/passkey/begin')).body.data.challenge as string
    const body = { response: assertion(made, await begin()) }
    const finish = (sent: object) =>
      browserAt(url).post('/console/sign-in/passkey/finish', sent, { origin: 'http://127.0.0.1' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => finish(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await finish(body)).status).toBe(401)
    // Signed by another key under this one's name, and for a challenge that was never issued.
    const forged = { ...authenticator(), id: made.id, raw: made.raw }
    expect((await finish({ response: assertion(forged, await begin()) })).status).toBe(401)
    const unasked = 'x'.repeat(43)
    expect((await finish({ response: assertion(made, unasked) })).status).toBe(401)
  })
})
