import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { addPasskey, assertion } from './passkey.fixture.ts'
import {
  browserAt,
  codeAt,
  emailTo,
  type Member,
  memberOf,
  ownerToken,
  PASSWORD,
  turnTwoFactorOn,
} from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server

const signIn = (email: string, code?: string) =>
  browserAt(url).post('/console/sign-in', { email, password: PASSWORD, ...(code && { code }) })

/** A member with two-factor authentication, whose codes so far have all expired. */
async function withApp() {
  const member = await memberOf(server, 'owner')
  return { ...member, ...(await turnTwoFactorOn(server, member)) }
}

describe('turning it on', () => {
  test('200 shows a secret and its QR code, and turns on with a code', async () => {
    const { post, get, email, id } = await memberOf(server, 'owner')
    const { data } = (await post('/console/two-factor/begin')).body
    expect(data.url).toBe(
      `otpauth://totp/Tradepost:${encodeURIComponent(email)}?issuer=Tradepost` +
        `&secret=${data.secret}&algorithm=SHA1&digits=6&period=30`,
    )
    expect(data.qr.rows).toHaveLength(data.qr.size)
    expect(data.qr.rows.every((row: string) => /^[01]+$/.test(row))).toBe(true)
    expect((await signIn(email)).status).toBe(200)

    const wrong = await post('/console/two-factor/confirm', { code: '000000' })
    expect(wrong).toMatchObject({ status: 401, body: { errorCode: 'code_wrong' } })
    const code = codeAt(data.secret, clock.now())
    const on = await post('/console/two-factor/confirm', { code })
    expect(on.body.data.recoveryCodes).toHaveLength(10)
    expect((await post('/console/two-factor/begin')).status).toBe(409)
    expect((await get('/console/me')).body.data.person.twoFactor).toBe(true)
    expect(await emailTo(server, email, 'Two-factor authentication was turned on')).toContain(email)

    const row = await db.one<{ totp_secret: Buffer; recovery_hashes: Buffer[] }>`
      select totp_secret, recovery_hashes from people where id = ${id}`
    expect(row.totp_secret.toString('latin1')).not.toContain(data.secret)
    expect(row.recovery_hashes).toHaveLength(10)
    for (const path of ['/console/me', '/console/team', '/console/audit']) {
      expect((await get(path)).text).not.toContain(data.secret)
    }
  })

  test('409 without a started setup', async () => {
    const { post } = await memberOf(server, 'owner')
    expect((await post('/console/two-factor/confirm', { code: '123456' })).status).toBe(409)
    expect((await post('/console/two-factor/recovery-codes')).status).toBe(409)
    const off = await post('/console/two-factor/remove', { password: PASSWORD })
    expect(off).toMatchObject({ status: 409, body: { errorCode: 'two_factor_state' } })
  })
})

describe('signing in', () => {
  test('401 asks for a code, which does not count as a failure', async () => {
    const { email, secret } = await withApp()
    for (let i = 0; i < 7; i++) {
      expect((await signIn(email)).body).toMatchObject({ errorCode: 'code_needed' })
    }
    expect((await signIn(email, codeAt(secret, clock.now()))).status).toBe(200)
  })

  test('401 and then 429 for wrong codes', async () => {
    const { email, secret } = await withApp()
    const right = codeAt(secret, clock.now())
    const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
    for (let i = 0; i < 5; i++) {
      expect((await signIn(email, wrong)).body).toMatchObject({ errorCode: 'code_wrong' })
    }
    expect((await signIn(email, right)).status).toBe(429)
    expect(await emailTo(server, email, 'Someone is trying to sign in')).toContain(email)
  })

  test('200 accepts the code of the step before and after, but no older one', async () => {
    for (const [offsetMs, status] of [
      [-30_000, 200],
      [30_000, 200],
      [-90_000, 401],
      [90_000, 401],
    ] as const) {
      const { email, secret } = await withApp()
      clock.advance(300_000)
      // At the beginning of a step, so that the next one does not begin before the code arrives.
      clock.advance(30_000 - (clock.now().getTime() % 30_000))
      const at = new Date(clock.now().getTime() + offsetMs)
      expect([offsetMs, (await signIn(email, codeAt(secret, at))).status]).toEqual([
        offsetMs,
        status,
      ])
    }
  })

  test('401 for a used code, and for one of an earlier step', async () => {
    const { email, secret } = await withApp()
    clock.advance(300_000)
    const code = codeAt(secret, clock.now())
    const before = codeAt(secret, new Date(clock.now().getTime() - 30_000))
    expect((await signIn(email, code)).status).toBe(200)
    expect((await signIn(email, code)).body).toMatchObject({ errorCode: 'code_wrong' })
    expect((await signIn(email, before)).body).toMatchObject({ errorCode: 'code_wrong' })
    clock.advance(60_000)
    expect((await signIn(email, codeAt(secret, clock.now()))).status).toBe(200)
  })

  test('200 for only one of many simultaneous uses of a code', async () => {
    const { email, secret } = await withApp()
    const code = codeAt(secret, clock.now())
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(email, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('401 with a link too, without the code of the existing account', async () => {
    const { email, secret } = await withApp()
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const join = (code?: string) =>
      browserAt(url).post('/console/sign-up', { token, email, password: PASSWORD, code })
    expect((await join()).body).toMatchObject({ errorCode: 'code_needed' })
    expect((await join(codeAt(secret, clock.now()))).status).toBe(200)
  })
})

describe('recovery codes', () => {
  test('200 each works once, however it is written', async () => {
    const { email, recoveryCodes } = await withApp()
    const [first = '', second = ''] = recoveryCodes
    expect((await signIn(email, first)).status).toBe(200)
    expect((await signIn(email, first)).status).toBe(401)
    expect((await signIn(email, second.replaceAll('-', ' '))).status).toBe(200)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => signIn(email, recoveryCodes[2])),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('200 new codes replace the old ones', async () => {
    const { email, post, recoveryCodes } = await withApp()
    const { data } = (await post('/console/two-factor/recovery-codes')).body
    expect(data.recoveryCodes).toHaveLength(10)
    expect((await signIn(email, recoveryCodes[0])).status).toBe(401)
    expect((await signIn(email, data.recoveryCodes[0])).status).toBe(200)
  })
})

test('401 when asked to confirm, until password and code are given', async () => {
  const { post, secret } = await withApp()
  clock.advance(360_000)
  const again = (more: object) => post('/console/reauthenticate', { password: PASSWORD, ...more })
  expect((await again({})).body).toMatchObject({ errorCode: 'code_needed' })
  expect((await post('/console/two-factor/recovery-codes')).status).toBe(403)
  expect((await again({ code: codeAt(secret, clock.now()) })).status).toBe(200)
  expect((await post('/console/two-factor/recovery-codes')).status).toBe(200)
})

describe('turning it off', () => {
  const REMOVE = '/console/two-factor/remove'
  const AGAIN = '/console/reauthenticate/passkey/begin'
  const isOn = async ({ get }: Pick<Member, 'get'>) =>
    (await get('/console/me')).body.data.person.twoFactor as boolean

  test('200 with the password and a code; 401 with only the password or a used code', async () => {
    const member = await withApp()
    const { post, email, secret } = member
    const off = (body: object) => post(REMOVE, body)
    expect(await off({ password: PASSWORD })).toMatchObject({
      status: 401,
      body: { errorCode: 'code_needed' },
    })
    const code = codeAt(secret, clock.now())
    expect((await off({ password: 'not-the-one-at-all', code })).status).toBe(401)
    expect((await signIn(email, code)).status).toBe(200)
    expect((await off({ password: PASSWORD, code })).body).toMatchObject({
      errorCode: 'code_wrong',
    })
    expect((await off({})).body).toMatchObject({ errors: { password: ['is required'] } })
    expect(await isOn(member)).toBe(true)

    clock.advance(60_000)
    const later = codeAt(secret, clock.now())
    expect((await off({ password: PASSWORD, code: later })).status).toBe(200)
    expect((await signIn(email)).status).toBe(200)
    expect(await emailTo(server, email, 'Two-factor authentication was turned off')).toContain(
      email,
    )
  })

  test('200 with a recovery code, for someone who lost their phone', async () => {
    const member = await withApp()
    const code = member.recoveryCodes[3]
    expect((await member.post(REMOVE, { password: PASSWORD, code })).status).toBe(200)
    expect(await isOn(member)).toBe(false)
  })

  test('200 with a passkey of the signed-in person, over their challenge', async () => {
    const [member, other] = [await withApp(), await withApp()]
    const again = { password: PASSWORD, code: codeAt(member.secret, clock.now()) }
    expect((await member.post('/console/reauthenticate', again)).status).toBe(200)
    const { made } = await addPasskey(member)
    const remove = async ({ post }: Pick<Member, 'post'>, challenge: string) =>
      post(REMOVE, { response: assertion(made, challenge) }, { origin: 'http://127.0.0.1' })
    const ask = async ({ post }: Pick<Member, 'post'>) =>
      (await post(AGAIN)).body.data.challenge as string

    expect((await remove(other, await ask(other))).status).toBe(401)
    expect((await remove(member, await ask(other))).status).toBe(401)
    expect([await isOn(member), await isOn(other)]).toEqual([true, true])
    expect((await remove(member, await ask(member))).status).toBe(200)
    expect(await isOn(member)).toBe(false)
  })

  test('200 for only one of many simultaneous uses of a code', async () => {
    const { post, secret } = await withApp()
    const body = { password: PASSWORD, code: codeAt(secret, clock.now()) }
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(REMOVE, body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('429 for many guesses of the code, as for sign-ins', async () => {
    const member = await withApp()
    const right = codeAt(member.secret, clock.now())
    const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
    const off = (code: string) => member.post(REMOVE, { password: PASSWORD, code })
    for (let i = 0; i < 5; i++) expect((await off(wrong)).status).toBe(401)
    expect((await off(right)).status).toBe(429)
    expect(await isOn(member)).toBe(true)
  })
})
