import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { addPasskey } from '../people/passkey.fixture.ts'
import { memberOf } from '../people/people.fixture.ts'

const server = await startServer({ jobs: false })
const { db, as } = server
const INVOICES = '/api/payment-service/external/v1/invoices'

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

async function shop() {
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  return { businessId, owner }
}

describe('POST /console/keys', () => {
  test('200 shows a working key once; the log names its maker', async () => {
    const { owner, businessId } = await shop()
    const made = await owner.post('/console/keys', {
      label: ' Shop ',
      scopes: ['invoices:write'],
      allowedIps: ['127.0.0.1'],
    })
    expect(made.status).toBe(200)
    const { key, ...record } = made.body.data
    expect(record).toMatchObject({
      label: 'Shop',
      type: 'secret',
      mode: 'test',
      status: 'Active',
      scopes: ['invoices:write'],
      allowedIps: ['127.0.0.1'],
      expiresAt: null,
    })
    expect((await as(key).get(INVOICES)).status).toBe(200)
    expect((await as(key).get('/api/user-service/external/v1/wallet/balance')).status).toBe(403)

    const { body, text } = await owner.get('/console/keys')
    expect(body.data).toHaveLength(3)
    expect({ ...body.data[0], lastUsedAt: null }).toEqual(record)
    expect(text).not.toContain(key)
    const entries = await db.many`
      select action, object, live from audit_log where business_id = ${businessId}
      order by seq desc limit 1`
    expect(entries).toEqual([{ action: 'key.create', object: record.reference, live: false }])
    expect((await owner.get('/console/audit')).text).not.toContain(key)
  })

  test('200 makes a public key, and a live one in live mode', async () => {
    const { owner, businessId } = await shop()
    const made = await owner.post('/console/keys', { type: 'public' })
    expect(made.body.data).toMatchObject({
      type: 'public',
      key: expect.stringMatching(/^pk_test_/),
    })
    owner.choose(businessId, 'live')
    await addPasskey(owner)
    const live = await owner.post('/console/keys', { label: 'Live' })
    expect(live.body.data).toMatchObject({ mode: 'live', key: expect.stringMatching(/^sk_live_/) })
    const { data } = (await owner.get('/console/keys')).body
    expect(data.map(({ mode }: { mode: string }) => mode)).toEqual(data.map(() => 'live'))
  })

  test.each([
    [{ scopes: ['invoices:fly'] }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ allowedIps: ['nowhere'] }, 'allowedIps'],
    [{ label: 'two\nlines' }, 'label'],
    [{ label: 'a'.repeat(101) }, 'label'],
    [{ type: 'other' }, 'type'],
    [{ expiresAt: 'soon' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01' }, 'expiresAt'],
  ])('400 for %j', async (body, field) => {
    const { owner } = await shop()
    const answer = await owner.post('/console/keys', body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]])
  })

  test('403 requires the password again after five minutes', async () => {
    const { owner } = await shop()
    const { reference } = (await owner.post('/console/keys')).body.data
    server.clock.advance(5 * 60_000 + 1_000)
    for (const path of ['', `/${reference}/rotate`, `/${reference}/revoke`]) {
      const { status, body } = await owner.post(`/console/keys${path}`)
      expect([status, body.errorCode]).toEqual([403, 'reauthentication_needed'])
    }
    expect((await owner.get('/console/keys')).status).toBe(200)
    const again = await owner.post('/console/reauthenticate', { password: owner.password })
    expect(again.status).toBe(200)
    expect((await owner.post(`/console/keys/${reference}/revoke`)).body).toMatchObject({
      status: 'success',
    })
  })

  test('403 for a key with more access than its maker', async () => {
    const { businessId, owner } = await shop()
    const developer = await memberOf(server, 'developer', businessId)
    expect((await developer.post('/console/keys')).status).toBe(200)

    for (const member of [owner, developer]) {
      await addPasskey(member)
      member.choose(businessId, 'live')
    }
    const whole = (await owner.post('/console/keys')).body.data
    for (const refused of [
      await developer.post('/console/keys'),
      await developer.post('/console/keys', { scopes: ['transfers:write'] }),
      await developer.post(`/console/keys/${whole.reference}/rotate`),
    ]) {
      expect([refused.status, refused.body.errorCode]).toEqual([403, 'insufficient_scope'])
    }
    const scopes = ['transfers:read', 'webhooks:write']
    const made = await developer.post('/console/keys', { scopes })
    expect([made.status, made.body.data.scopes]).toEqual([200, scopes])
    // Revoking a key does not require its permissions.
    expect((await developer.post(`/console/keys/${whole.reference}/revoke`)).status).toBe(200)
    expect((await as(whole.key).get(INVOICES)).status).toBe(401)
  })

  test('403 by role; 401 without a session and for keys', async () => {
    const { businessId } = await shop()
    for (const role of ['finance', 'support', 'viewer'] as const) {
      const member = await memberOf(server, role, businessId)
      expect((await member.get('/console/keys')).status).toBe(403)
      expect((await member.post('/console/keys')).status).toBe(403)
    }
    expect((await server.get('/console/keys')).status).toBe(401)
    expect((await server.get('/console/keys', { authorization: '' })).status).toBe(401)
  })
})

describe('POST /console/keys/{reference}/rotate', () => {
  test('200 creates a successor, and lets the old key expire in a few hours', async () => {
    const { owner } = await shop()
    const first = (await owner.post('/console/keys', { label: 'Shop' })).body.data
    const path = `/console/keys/${first.reference}/rotate`
    const { status, body } = await owner.post(path, { graceHours: 1 })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ label: 'Shop', status: 'Active' })
    for (const { key } of [first, body.data]) expect((await as(key).get(INVOICES)).status).toBe(200)
    server.clock.advance(3_600_000 + 1_000)
    await expect.poll(async () => (await as(first.key).get(INVOICES)).status).toBe(401)
    expect((await as(body.data.key).get(INVOICES)).status).toBe(200)
  })

  test('409 for a rotated key; only one of ten simultaneous rotations succeeds', async () => {
    const { owner } = await shop()
    const { reference } = (await owner.post('/console/keys')).body.data
    const path = `/console/keys/${reference}/rotate`
    const answers = await Promise.all(Array.from({ length: 10 }, () => owner.post(path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
    expect((await owner.get('/console/keys')).body.data).toHaveLength(4)
  })

  test('400 for more hours than a week', async () => {
    const { owner } = await shop()
    const { reference } = (await owner.post('/console/keys')).body.data
    for (const graceHours of [-1, 169, 'a day']) {
      const answer = await owner.post(`/console/keys/${reference}/rotate`, { graceHours })
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, ['graceHours']])
    }
  })
})

describe('POST /console/keys/{reference}/revoke', () => {
  test('200 revokes a key; a repeat changes nothing', async () => {
    const { owner } = await shop()
    const { key, reference } = (await owner.post('/console/keys')).body.data
    const path = `/console/keys/${reference}/revoke`
    expect((await owner.post(path)).body.data).toMatchObject({ status: 'Revoked' })
    expect((await as(key).get(INVOICES)).status).toBe(401)
    expect((await owner.post(path)).status).toBe(200)
  })

  test('404 for a key of another business or mode, and for an unknown key', async () => {
    const [one, other] = [await shop(), await shop()]
    const { reference, key } = (await one.owner.post('/console/keys')).body.data
    expect((await other.owner.post(`/console/keys/${reference}/revoke`)).status).toBe(404)
    expect((await other.owner.post(`/console/keys/${reference}/rotate`)).status).toBe(404)
    one.owner.choose(one.businessId, 'live')
    expect((await one.owner.post(`/console/keys/${reference}/revoke`)).status).toBe(404)
    expect((await one.owner.post('/console/keys/KEY_none/revoke')).status).toBe(404)
    expect((await as(key).get(INVOICES)).status).toBe(200)
    other.owner.choose(one.businessId)
    expect((await other.owner.get('/console/keys')).body.errorCode).toBe('business_not_found')
  })
})
