import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { runAudit } from '../../ledger/audit.ts'
import { consoleChecks } from '../audit-log/audit.ts'
import {
  browserAt,
  emailTo,
  lettersTo,
  memberOf,
  PASSWORD,
  tokenIn,
} from '../people/people.fixture.ts'

const server = await startServer({ jobs: false })
const { db, url } = server
const INVOICES = '/api/payment-service/external/v1/invoices'

/** A business without members. */
async function business() {
  const { businessId } = await server.newBusiness()
  return {
    businessId,
    join: (role: Parameters<typeof memberOf>[1]) => memberOf(server, role, businessId),
  }
}

const rolesIn = async (businessId: number) =>
  (
    await db.many<{ role: string }>`
      select role from members where business_id = ${businessId} order by created_at, person_id`
  ).map(({ role }) => role)

describe('an invitation', () => {
  test('200 is mailed, works once, and is listed until then', async () => {
    const { businessId, join } = await business()
    const owner = await join('owner')
    const email = 'tunde@people.example'
    const invite = () =>
      owner.post('/console/team/invite', { email: ' Tunde@people.example', role: 'finance' })
    expect((await invite()).status).toBe(200)
    const { data } = (await owner.get('/console/team')).body
    expect(data.members).toMatchObject([{ personId: owner.id, role: 'owner', twoFactor: false }])
    expect(data.invitations).toMatchObject([
      { email, role: 'finance', invitedBy: expect.any(String) },
    ])

    const letter = await emailTo(server, email, 'Join Ada Ventures')
    expect(letter).toContain('http://127.0.0.1/invitation?token=')
    const token = tokenIn(letter)
    expect(JSON.stringify(data)).not.toContain(token)
    const link = (await browserAt(url).get(`/console/link?token=${token}`)).body.data
    expect(link).toMatchObject({ kind: 'invitation', email, role: 'finance' })
    const body = { token, name: 'Tunde', email: 'eve@people.example', password: PASSWORD }
    const tunde = browserAt(url)
    expect((await tunde.post('/console/sign-up', body)).status).toBe(200)
    expect((await tunde.get('/console/me')).body.data.person.email).toBe(email)
    expect((await owner.get('/console/team')).body.data).toMatchObject({
      members: [{}, { email, role: 'finance' }],
      invitations: [],
    })
    expect((await invite()).body).toMatchObject({ errorCode: 'member_exists' })
    expect(await rolesIn(businessId)).toEqual(['owner', 'finance'])
  })

  test('404 once it is revoked, and its mail is not sent', async () => {
    const { join } = await business()
    const owner = await join('owner')
    const email = 'ife@people.example'
    await owner.post('/console/team/invite', { email, role: 'viewer' })
    const token = tokenIn(await emailTo(server, email))
    const [{ id }] = (await owner.get('/console/team')).body.data.invitations
    const stranger = await memberOf(server, 'owner')
    expect((await stranger.post(`/console/team/invitations/${id}/revoke`)).status).toBe(404)
    expect((await owner.post(`/console/team/invitations/${id}/revoke`)).status).toBe(200)
    expect((await owner.post(`/console/team/invitations/${id}/revoke`)).status).toBe(404)
    const body = { token, name: 'Ife', password: PASSWORD }
    expect((await browserAt(url).post('/console/sign-up', body)).status).toBe(404)
    expect(await lettersTo(server, email)).toEqual([])
  })

  test('404 for the earlier of two to one address, and for those by a removed member', async () => {
    const { join } = await business()
    const [owner, admin] = [await join('owner'), await join('admin')]
    const email = 'uche@people.example'
    await admin.post('/console/team/invite', { email, role: 'viewer' })
    const first = tokenIn(await emailTo(server, email, 'as viewer'))
    await admin.post('/console/team/invite', { email, role: 'support' })
    const second = tokenIn(await emailTo(server, email, 'as support'))
    const look = async (token: string) =>
      (await browserAt(url).get(`/console/link?token=${token}`)).status
    expect([await look(first), await look(second)]).toEqual([404, 200])
    await owner.post(`/console/team/${admin.id}/remove`)
    expect(await look(second)).toBe(404)
  })

  test('400 for an invalid email address, and for an unknown role', async () => {
    const owner = await memberOf(server, 'owner')
    const invite = (email: string, role: string) =>
      owner.post('/console/team/invite', { email, role })
    expect((await invite('a@b.example, c@d.example', 'viewer')).status).toBe(400)
    expect((await invite('a@b.example', 'root')).status).toBe(400)
  })
})

describe('owners', () => {
  test('403 for others who create, invite or remove them', async () => {
    const { businessId, join } = await business()
    const [owner, admin, viewer] = [await join('owner'), await join('admin'), await join('viewer')]
    const denied = { status: 403, body: { errorCode: 'owner_needed' } }
    const role = (id: number, wanted: string) =>
      admin.post(`/console/team/${id}/role`, { role: wanted })
    expect(await role(viewer.id, 'owner')).toMatchObject(denied)
    expect(await role(admin.id, 'owner')).toMatchObject(denied)
    expect(await role(owner.id, 'viewer')).toMatchObject(denied)
    expect(await admin.post(`/console/team/${owner.id}/remove`)).toMatchObject(denied)
    const invitation = { email: 'o@people.example', role: 'owner' }
    expect(await admin.post('/console/team/invite', invitation)).toMatchObject(denied)
    await owner.post('/console/team/invite', invitation)
    const [{ id }] = (await owner.get('/console/team')).body.data.invitations
    expect(await admin.post(`/console/team/invitations/${id}/revoke`)).toMatchObject(denied)
    expect((await role(viewer.id, 'admin')).status).toBe(200)
    expect(await rolesIn(businessId)).toEqual(['owner', 'admin', 'admin'])
  })

  test('409 for removing the last one', async () => {
    const { businessId, join } = await business()
    const owner = await join('owner')
    await join('admin')
    const last = { status: 409, body: { errorCode: 'last_owner' } }
    expect(await owner.post(`/console/team/${owner.id}/remove`)).toMatchObject(last)
    const demoted = await owner.post(`/console/team/${owner.id}/role`, { role: 'viewer' })
    expect(demoted).toMatchObject(last)
    expect(await rolesIn(businessId)).toEqual(['owner', 'admin'])
  })

  test('409 for one of two who remove each other, or themselves, simultaneously', async () => {
    for (const self of [true, false]) {
      const { businessId, join } = await business()
      const [one, two] = [await join('owner'), await join('owner')]
      const answers = await Promise.all([
        one.post(`/console/team/${self ? one.id : two.id}/remove`),
        two.post(`/console/team/${self ? two.id : one.id}/remove`),
        one.post(`/console/team/${self ? one.id : two.id}/remove`),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await rolesIn(businessId)).toEqual(['owner'])
    }
    expect(await runAudit(db, consoleChecks)).toEqual([])
  })
})

describe('a member', () => {
  test('404 everywhere as soon as they are removed', async () => {
    const { businessId, join } = await business()
    const [owner, finance] = [await join('owner'), await join('finance')]
    expect((await finance.get(INVOICES)).status).toBe(200)
    expect((await owner.post(`/console/team/${finance.id}/remove`)).status).toBe(200)
    const denied = { status: 404, body: { errorCode: 'business_not_found' } }
    expect(await finance.get(INVOICES)).toMatchObject({ status: 404 })
    expect(await finance.get('/console/audit')).toMatchObject(denied)
    expect((await finance.get('/console/me')).body.data).toMatchObject({
      businesses: [],
      scopes: [],
    })
    expect((await owner.post(`/console/team/${finance.id}/remove`)).status).toBe(404)
    expect(await rolesIn(businessId)).toEqual(['owner'])
  })

  test('403 as soon as they have a lower role', async () => {
    const { join } = await business()
    const [owner, member] = [await join('owner'), await join('admin')]
    const body = { customerEmail: 'bola@example.com', amount: 100 }
    expect((await member.post(INVOICES, body)).status).toBe(201)
    await owner.post(`/console/team/${member.id}/role`, { role: 'viewer' })
    expect((await member.post(INVOICES, body)).status).toBe(403)
    expect((await member.get('/console/team')).status).toBe(403)
  })

  test('412 for a role that someone changed since; 200 undoes an unchanged one', async () => {
    const { businessId, join } = await business()
    const [owner, other, member] = [await join('owner'), await join('admin'), await join('viewer')]
    const give = ({ post }: typeof owner, role: string, tag?: string | null) =>
      post(`/console/team/${member.id}/role`, { role }, tag ? { 'if-match': tag } : {})
    const tag = (await give(owner, 'support')).headers.get('etag')
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    await give(other, 'finance')
    const entries = () => db.many`select seq from audit_log where business_id = ${businessId}`
    const before = await entries()
    expect(await give(owner, 'viewer', tag)).toMatchObject({
      status: 412,
      body: { errorCode: 'record_changed' },
    })
    expect(await rolesIn(businessId)).toEqual(['owner', 'admin', 'finance'])
    expect(await entries()).toHaveLength(before.length)

    const last = (await give(owner, 'support')).headers.get('etag')
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => give(owner, 'developer', last)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await rolesIn(businessId)).toEqual(['owner', 'admin', 'developer'])
  })

  test('404 for a member of another business', async () => {
    const [owner, stranger] = [
      await memberOf(server, 'owner'),
      await (await business()).join('viewer'),
    ]
    expect((await owner.post(`/console/team/${stranger.id}/remove`)).status).toBe(404)
    const role = await owner.post(`/console/team/${stranger.id}/role`, { role: 'admin' })
    expect(role).toMatchObject({ status: 404, body: { errorCode: 'member_not_found' } })
  })
})

describe('the copy of an invitation’s link', () => {
  const invited = async () => {
    const { businessId, join } = await business()
    const owner = await join('owner')
    const email = `copied-${businessId}@people.example`
    await owner.post('/console/team/invite', { email, role: 'admin' })
    const [{ id }] = (await owner.get('/console/team')).body.data.invitations
    const path = `/console/team/invitations/${id}/link`
    const copy = async () => (await owner.post(path)).body.data.url as string
    return { owner, email, join, path, copy, id: id as string }
  }
  const tokenOf = (link: string) => new URL(link).searchParams.get('token')!
  const look = async (token: string) =>
    (await browserAt(url).get(`/console/link?token=${token}`)).status

  test('200 works once, like the mailed link, but proves no mailbox', async () => {
    const { owner, email, copy } = await invited()
    const mailed = tokenIn(await emailTo(server, email, 'Join'))
    const [first, token] = [tokenOf(await copy()), tokenOf(await copy())]
    expect([await look(first), await look(token), await look(mailed)]).toEqual([404, 200, 200])
    const tries = await Promise.all(
      [token, mailed, token, mailed].map((one) =>
        browserAt(url).post('/console/sign-up', { token: one, name: 'Bisi', password: PASSWORD }),
      ),
    )
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
    expect([await look(token), await look(mailed)]).toEqual([404, 404])
    expect((await owner.get('/console/team')).body.data.invitations).toEqual([])
  })

  test('200 leaves the email address unconfirmed after a sign-up', async () => {
    const { email, copy } = await invited()
    const bisi = browserAt(url)
    const body = { token: tokenOf(await copy()), name: 'Bisi', password: PASSWORD }
    expect((await bisi.post('/console/sign-up', body)).status).toBe(200)
    expect((await bisi.get('/console/me')).body.data.person).toMatchObject({
      email,
      emailProved: false,
    })
    expect(await emailTo(server, email, 'Confirm your email address')).toContain('/confirm-email?')
  })

  test('404 once the invitation is revoked, and for another business', async () => {
    const { owner, path, copy, id } = await invited()
    const stranger = await memberOf(server, 'owner')
    expect((await stranger.post(path)).status).toBe(404)
    const token = tokenOf(await copy())
    await owner.post(`/console/team/invitations/${id}/revoke`)
    expect(await look(token)).toBe(404)
    expect((await owner.post(path)).status).toBe(404)
  })

  test('403 for a role that cannot invite, and for an admin who would invite an owner', async () => {
    const { owner, join, path } = await invited()
    for (const role of ['developer', 'finance', 'support', 'viewer'] as const) {
      expect((await (await join(role)).post(path)).status).toBe(403)
    }
    const email = 'next-owner@people.example'
    await owner.post('/console/team/invite', { email, role: 'owner' })
    const { invitations } = (await owner.get('/console/team')).body.data
    const { id } = invitations.find((one: { email: string }) => one.email === email)
    const admin = await join('admin')
    const answer = await admin.post(`/console/team/invitations/${id}/link`)
    expect(answer).toMatchObject({ status: 403, body: { errorCode: 'owner_needed' } })
    expect((await owner.post(`/console/team/invitations/${id}/link`)).status).toBe(200)
  })
})
