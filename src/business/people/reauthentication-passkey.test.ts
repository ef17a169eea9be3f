import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { addPasskey, assertion, authenticator } from './passkey.fixture.ts'
import { memberOf } from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock } = server
const AGAIN = '/console/reauthenticate/passkey'
const REFUSED = { status: 401, body: { errorCode: 'passkey_refused' } }

/** An owner with a passkey, who entered the password a while ago. */
async function owner() {
  const { businessId } = await server.newBusiness()
  const member = await memberOf(server, 'owner', businessId)
  const key = authenticator()
  await addPasskey(member, key)
  clock.advance(6 * 60_000)
  const begin = async () => (await member.post(`${AGAIN}/begin`)).body.data
  const invite = () =>
    member.post('/console/team/invite', { email: 'new@people.example', role: 'viewer' })
  /** Sent as by a page, whose origin is part of what was signed. */
  const finish = (signed: object, at = AGAIN) =>
    member.post(`${at}/finish`, { response: signed }, { origin: 'http://127.0.0.1' })
  return { ...member, key, begin, invite, finish }
}

test('200 confirms with a passkey of the signed-in person, over their challenge', async () => {
  const { key, begin, invite, finish, get } = await owner()
  expect((await get('/console/me')).body.data.person.passkey).toBe(true)
  expect((await invite()).body).toMatchObject({ errorCode: 'reauthentication_needed' })
  const asked = await begin()
  expect(asked.allowCredentials).toMatchObject([{ id: key.id }])
  expect(asked.userVerification).toBe('required')
  const signed = assertion(key, asked.challenge)
  expect((await finish(signed)).status).toBe(200)
  expect((await invite()).status).toBe(200)
  // A signature is valid once.
  expect(await finish(signed)).toMatchObject(REFUSED)
})

test('200 makes it the second factor of a session opened by password', async () => {
  const { key, begin, finish, post, get, email, password } = await owner()
  expect((await post('/console/sign-in', { email, password })).status).toBe(200)
  expect((await get('/console/me')).body.data.person.secondFactor).toBe(false)
  const { challenge } = await begin()
  expect((await finish(assertion(key, challenge))).status).toBe(200)
  expect((await get('/console/me')).body.data.person.secondFactor).toBe(true)
})

test('401 for another person’s passkey or challenge, and for a sign-in challenge', async () => {
  const [one, other] = [await owner(), await owner()]
  const { challenge } = await one.begin()
  expect(await one.finish(assertion(other.key, challenge))).toMatchObject(REFUSED)
  const asked = await other.begin()
  expect(await one.finish(assertion(one.key, asked.challenge))).toMatchObject(REFUSED)
  const signIn = '/console/sign-in/passkey'
  const entering = (await one.post(`${signIn}/begin`)).body.data
  expect(await one.finish(assertion(one.key, entering.challenge))).toMatchObject(REFUSED)
  expect((await one.invite()).body).toMatchObject({ errorCode: 'reauthentication_needed' })
  const again = await one.begin()
  expect(await one.finish(assertion(one.key, again.challenge), signIn)).toMatchObject(REFUSED)
})

test('401 without a session, 403 without its CSRF token', async () => {
  const { call } = await owner()
  const nobody = await server.as('').post(`${AGAIN}/begin`, {})
  expect(nobody.status).toBe(401)
  const forged = await call('POST', `${AGAIN}/begin`, {}, { 'x-csrf-token': 'no' })
  expect(forged).toMatchObject({ status: 403, body: { errorCode: 'csrf_refused' } })
})
