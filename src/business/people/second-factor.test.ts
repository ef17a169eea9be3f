import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { addPasskey, authenticator, enterWith, registration } from './passkey.fixture.ts'
import { browserAt, codeAt, memberOf, PASSWORD, turnTwoFactorOn } from './people.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, db, url } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const BODY = { customerEmail: 'bola@example.com', amount: 100 }

const REQUIRED = { status: 403, body: { errorCode: 'two_factor_required' } }
const NEEDED = { status: 403, body: { errorCode: 'second_factor_needed' } }

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

async function business() {
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  return { businessId, owner }
}

const require = ({ post }: { post: (typeof server)['post'] }, required = true) =>
  post('/console/team/two-factor', { required })

describe('requiring a second factor', () => {
  test('200 for an owner with a second factor, who turns it on and off; the log has both', async () => {
    const { owner } = await business()
    await turnTwoFactorOn(server, owner)
    for (const required of [true, true, false]) {
      expect((await require(owner, required)).status).toBe(200)
      const team = (await owner.get('/console/team')).body.data
      expect(team).toMatchObject({ requiresTwoFactor: required, members: [{ twoFactor: true }] })
      const me = (await owner.get('/console/me')).body.data
      expect(me.businesses[0].requiresTwoFactor).toBe(required)
    }
    const { data } = (await owner.get('/console/audit?action=team')).body
    expect(data.map(({ detail }: { detail: string }) => detail)).toEqual([
      'Turned off the two-factor requirement',
      'Turned on the two-factor requirement',
    ])
  })

  test('403 for an owner without one, who would be locked out', async () => {
    const { owner, businessId } = await business()
    expect(await require(owner)).toMatchObject(NEEDED)
    // A passkey that did not open this session does not count.
    const { made } = await addPasskey(owner)
    const other = browserAt(url)
    await other.post('/console/sign-in', { email: owner.email, password: PASSWORD })
    other.choose(businessId)
    expect(await require(other)).toMatchObject(NEEDED)
    expect((await require(other, false)).status).toBe(200)
    await enterWith(other, made)
    expect((await require(other)).status).toBe(200)
  })

  test('403 for everyone except owners, and without a recent password', async () => {
    const { owner, businessId } = await business()
    await turnTwoFactorOn(server, owner)
    const admin = await memberOf(server, 'admin', businessId)
    await turnTwoFactorOn(server, admin)
    for (const required of [true, false]) {
      expect(await require(admin, required)).toMatchObject({ body: { errorCode: 'owner_needed' } })
    }
    const developer = await memberOf(server, 'developer', businessId)
    expect((await require(developer)).body.errorCode).toBe('insufficient_scope')
    const stranger = await memberOf(server, 'owner')
    await turnTwoFactorOn(server, stranger)
    stranger.choose(businessId)
    expect((await require(stranger)).status).toBe(404)
    clock.advance(6 * 60_000)
    expect((await require(owner)).body.errorCode).toBe('reauthentication_needed')
  })

  test('200 for many at once is in the log once', async () => {
    const { owner } = await business()
    await turnTwoFactorOn(server, owner)
    const answers = await Promise.all(Array.from({ length: 8 }, () => require(owner)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await owner.get('/console/audit?action=team')).body.data).toHaveLength(1)
  })
})

describe('where it is required', () => {
  async function strict() {
    const { owner, businessId } = await business()
    await turnTwoFactorOn(server, owner)
    const member = await memberOf(server, 'admin', businessId)
    expect((await require(owner)).status).toBe(200)
    return { owner, member, businessId }
  }

  test('403 everywhere for a member without one, until they set up an app', async () => {
    const { member } = await strict()
    for (const path of [INVOICES, '/console/team', '/console/keys', '/console/overview']) {
      expect([path, await member.get(path)]).toMatchObject([path, REQUIRED])
    }
    expect(await member.post(INVOICES, BODY)).toMatchObject(REQUIRED)
    expect((await member.get('/console/me')).body.data).toMatchObject({
      person: { twoFactor: false, secondFactor: false },
      businesses: [{ requiresTwoFactor: true }],
      scopes: [],
    })
    const { secret } = await turnTwoFactorOn(server, member)
    expect((await member.post(INVOICES, BODY)).status).toBe(201)
    expect((await member.get('/console/me')).body.data.person.secondFactor).toBe(true)
    const shown = { password: PASSWORD, code: codeAt(secret, clock.now()) }
    expect((await member.post('/console/two-factor/remove', shown)).status).toBe(200)
    expect(await member.get(INVOICES)).toMatchObject(REQUIRED)
  })

  test('200 if the session added or used a passkey; 403 with only the password', async () => {
    const { member, businessId } = await strict()
    const { made } = await addPasskey(member)
    expect((await member.get(INVOICES)).status).toBe(200)
    const other = browserAt(url)
    other.choose(businessId)
    await other.post('/console/sign-in', { email: member.email, password: PASSWORD })
    expect(await other.get(INVOICES)).toMatchObject(REQUIRED)
    expect((await enterWith(other, made)).status).toBe(200)
    expect((await other.get(INVOICES)).status).toBe(200)
    expect((await member.post(`/console/passkeys/${made.id}/remove`)).status).toBe(200)
    expect(await other.get(INVOICES)).toMatchObject(REQUIRED)
    expect(await member.get(INVOICES)).toMatchObject(REQUIRED)
  })

  test('403 for adding to or replacing a passkey with only the password', async () => {
    const { member, businessId } = await strict()
    const { made } = await addPasskey(member)
    const other = browserAt(url)
    other.choose(businessId)
    await other.post('/console/sign-in', { email: member.email, password: PASSWORD })
    const response = registration(authenticator(), 'x'.repeat(43))
    const tries: [path: string, body: object][] = [
      ['/console/passkeys/begin', {}],
      ['/console/passkeys/finish', { name: 'Mine', response }],
      [`/console/passkeys/${made.id}/remove`, {}],
      ['/console/two-factor/begin', {}],
      ['/console/two-factor/confirm', { code: '123456' }],
    ]
    for (const [path, body] of tries) {
      expect([path, await other.post(path, body)]).toMatchObject([path, NEEDED])
    }
    expect(await other.get(INVOICES)).toMatchObject(REQUIRED)
    await addPasskey(member)
    await turnTwoFactorOn(server, member)
    expect((await member.get(INVOICES)).status).toBe(200)
  })

  test('403 for signed-in members from the next request on, and their stream ends', async () => {
    const { owner, businessId } = await business()
    await turnTwoFactorOn(server, owner)
    const member = await memberOf(server, 'viewer', businessId)
    const stream = await fetch(`${url}/console/live?business=${businessId}`, {
      headers: { cookie: member.cookie() },
    })
    expect(stream.status).toBe(200)
    await require(owner)
    expect(await member.get(INVOICES)).toMatchObject(REQUIRED)
    await stream.text()
    const again = await fetch(`${url}/console/live?business=${businessId}`, {
      headers: { cookie: member.cookie() },
    })
    expect(again.status).toBe(403)
    expect((await server.get(INVOICES)).status).toBe(200)
  })

  test('200 in another business of the same person without the requirement', async () => {
    const { member } = await strict()
    const { businessId } = await business()
    await db.run`
      insert into members (business_id, person_id, role, created_at)
      values (${businessId}, ${member.id}, 'viewer', ${clock.now()})`
    member.choose(businessId)
    expect((await member.get(INVOICES)).status).toBe(200)
  })
})

describe('a live secret key', () => {
  const keys = '/console/keys'

  test('403 for creating or rotating it without a second factor; 200 with one', async () => {
    const { owner, businessId } = await business()
    const made = (await owner.post(keys)).body.data
    expect((await owner.post(`${keys}/${made.reference}/rotate`)).status).toBe(200)
    owner.choose(businessId, 'live')
    expect(await owner.post(keys)).toMatchObject(NEEDED)
    expect(await owner.post(keys, { scopes: ['invoices:read'] })).toMatchObject(NEEDED)
    expect((await owner.post(keys, { type: 'public' })).status).toBe(200)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from api_keys
      where business_id = ${businessId} and live and type = 'secret'`
    // The key that came with the business.
    expect(n).toBe(1)

    const { secret } = await turnTwoFactorOn(server, owner)
    const live = (await owner.post(keys)).body.data
    expect(live.key).toMatch(/^sk_live_/)
    const path = `${keys}/${live.reference}`
    expect((await owner.post(`${path}/rotate`)).status).toBe(200)
    clock.advance(60_000)
    const shown = { password: PASSWORD, code: codeAt(secret, clock.now()) }
    expect((await owner.post('/console/two-factor/remove', shown)).status).toBe(200)
    const [left] = (await owner.get(keys)).body.data
    expect(await owner.post(`${keys}/${left.reference}/rotate`)).toMatchObject(NEEDED)
    // Revoking a key requires nothing more.
    expect((await owner.post(`${keys}/${left.reference}/revoke`)).status).toBe(200)
  })

  test('200 with a passkey', async () => {
    const { owner, businessId } = await business()
    await addPasskey(owner)
    owner.choose(businessId, 'live')
    expect((await owner.post(keys)).status).toBe(200)
  })
})
