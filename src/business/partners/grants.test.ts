import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'
import { runAudit } from '../../ledger/audit.ts'
import { createKey } from '../keys/service.ts'
import { partnerChecks } from './audit.ts'
import { INVOICES, PARTNERS, PROFILE, partnersOf } from './partners.fixture.ts'
import { newClientId } from './scopes.ts'
import { revokePartner } from './service.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock, business, as, newBusiness, name } = server
const { newPartner, tokenOf, grant, grantLive, revoke, acting } = partnersOf(server)
const { keys, businessId } = business

const grantsOf = (clientId: string) =>
  db.many<{ business_id: number; live: boolean; scopes: string[] | null; revoked: boolean }>`
    select g.business_id, g.live, g.scopes, g.revoked_at is not null as revoked
    from partner_grants g join partners p on p.id = g.partner_id
    where p.client_id = ${clientId} order by g.id`

describe('POST partners', () => {
  test('201 grants a partner access, with all its permissions', async () => {
    const { clientId } = await newPartner({ scopes: ['invoices:write', 'wallet:read'] })
    const { status, body } = await grant(keys.testSecret, clientId)

    expect(status).toBe(201)
    expect(body).toEqual({
      status: 'success',
      message: 'Partner granted access.',
      data: {
        reference: expect.stringMatching(/^GRT_/),
        status: 'Active',
        id: expect.any(Number),
        clientId,
        name: 'Books & Co',
        scopes: null,
        effectiveScopes: ['invoices:write', 'wallet:read'],
        lastUsedAt: null,
        revokedAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    })
    expect(await grantsOf(clientId)).toEqual([
      { business_id: businessId, live: false, scopes: null, revoked: false },
    ])
  })

  test('201 again replaces the scopes, and restores access after a revocation', async () => {
    const { clientId } = await newPartner()
    const first = await grant(keys.testSecret, clientId, ['invoices:write', 'invoices:read'])
    expect(first.body.data.scopes).toEqual(['invoices:read', 'invoices:write'])
    expect(first.body.data.effectiveScopes).toEqual(['invoices:write'])
    const second = await grant(keys.testSecret, clientId, ['wallet:read'])
    await revoke(keys.testSecret, clientId)
    const third = await grant(keys.testSecret, clientId, null)

    expect([second.body.data.effectiveScopes, third.body.data.status]).toEqual([
      ['wallet:read'],
      'Active',
    ])
    expect(new Set([first, second, third].map(({ body }) => body.data.id)).size).toBe(1)
    expect(await grantsOf(clientId)).toHaveLength(1)
  })

  test('201 once for each Idempotency-Key, and the same bytes after a revocation', async () => {
    const { clientId } = await newPartner()
    const key = { 'idempotency-key': 'grant-once' }
    const { post } = as(keys.testSecret)
    const first = await post(PARTNERS, { clientId }, key)
    await revoke(keys.testSecret, clientId)
    const again = await post(PARTNERS, { clientId }, key)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect((await grantsOf(clientId))[0]?.revoked).toBe(true)
  })

  test.each([
    [{}, 'clientId', 'is required'],
    [{ clientId: 5 }, 'clientId', 'must be a string'],
    [{ clientId: 'sk_test_x' }, 'clientId', 'pc_test_'],
    [{ scopes: ['invoices'] }, 'scopes', 'has the unknown scope "invoices"'],
    [{ scopes: ['keys:read'] }, 'scopes', 'which partners cannot have'],
    [{ scopes: ['webhooks:write'] }, 'scopes', 'which partners cannot have'],
    [{ scopes: ['invoices:read', 'keys:write'] }, 'scopes', 'which partners cannot have'],
    [{ scopes: ['requests:read'] }, 'scopes', 'which partners cannot have'],
    [{ scopes: [] }, 'scopes', 'at least 1'],
    [{ scopes: 'invoices:read' }, 'scopes', 'must be an array or null'],
  ])('400 for %j, and nothing is stored', async (wrong, field, says) => {
    const { clientId } = await newPartner()
    const asked = 'scopes' in wrong ? { clientId, ...wrong } : wrong
    const { status, body } = await as(keys.testSecret).post(PARTNERS, asked)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(body.errors[field].join()).toContain(says)
    expect(await grantsOf(clientId)).toEqual([])
  })

  test('404 for a partner that does not exist, is of the other mode, or was revoked', async () => {
    const [live, gone] = [await newPartner({ live: true }), await newPartner()]
    await db.transaction((tx) => revokePartner(tx, gone.clientId, clock.now()))
    for (const clientId of [newClientId(false), live.clientId, gone.clientId]) {
      const { status, body } = await grant(keys.testSecret, clientId)
      expect([status, body.errorCode]).toEqual([404, 'partner_not_found'])
    }
    expect((await grantLive(businessId, live.clientId)).status).toBe(201)
    expect(await grantsOf(live.clientId)).toMatchObject([{ live: true }])
  })

  test('403 for restricted keys, which can list (keys:read) and revoke (keys:write)', async () => {
    const { clientId } = await newPartner()
    const restricted = async (...scopes: string[]) => {
      const tenant = { businessId, live: false }
      const made = await db.transaction((tx) => createKey(tx, ids, tenant, { scopes }, clock.now()))
      return made.key
    }
    const [none, read, write] = [
      await restricted('invoices:write'),
      await restricted('keys:read'),
      await restricted('keys:write'),
    ]
    expect((await grant(none, clientId)).status).toBe(403)
    expect((await grant(read, clientId)).status).toBe(403)
    expect((await as(none).get(PARTNERS)).status).toBe(403)
    expect((await as(read).get(PARTNERS)).status).toBe(200)
    expect((await grant(write, clientId)).status).toBe(403)
    await grant(keys.testSecret, clientId)
    expect((await revoke(read, clientId)).status).toBe(403)
    expect((await revoke(write, clientId)).status).toBe(200)
  })
})

describe('GET partners', () => {
  test('200 lists the partners of the business and mode, newest first, whole or by page', async () => {
    const other = await newBusiness()
    const { get } = as(other.keys.testSecret)
    expect((await get(PARTNERS)).body).toMatchObject({ status: 'success', data: [] })
    const made = [await newPartner(), await newPartner(), await newPartner()]
    for (const { clientId } of made) await grant(other.keys.testSecret, clientId)
    await revoke(other.keys.testSecret, made[0]!.clientId)
    await db.transaction((tx) => revokePartner(tx, made[1]!.clientId, clock.now()))

    const { body } = await get(PARTNERS)
    type Listed = { clientId: string; status: string; effectiveScopes: string[] }
    expect(body.data.map(({ clientId, status }: Listed) => [clientId, status])).toEqual([
      [made[2]!.clientId, 'Active'],
      [made[1]!.clientId, 'Revoked'],
      [made[0]!.clientId, 'Revoked'],
    ])
    expect(body.data[1].effectiveScopes).toEqual([])
    expect(body.meta).toMatchObject({ total: 3, page: 1, hasNext: false })
    const page = await get(`${PARTNERS}?page=2&limit=2`)
    expect([page.body.data.length, page.body.meta.total]).toEqual([1, 3])
    expect((await as(other.keys.liveSecret).get(PARTNERS)).body.data).toEqual([])
  })
})

describe('POST partners/{clientId}/revoke', () => {
  test('200 revokes access to this business only; a repeat changes nothing', async () => {
    const partner = await newPartner()
    const other = await newBusiness()
    await grant(keys.testSecret, partner.clientId)
    await grant(other.keys.testSecret, partner.clientId)
    const token = await tokenOf(partner)
    expect((await acting(token, businessId).get(PROFILE)).status).toBe(200)

    const first = await revoke(keys.testSecret, partner.clientId)
    expect([first.status, first.body.data.status]).toEqual([200, 'Revoked'])
    expect((await acting(token, businessId).get(PROFILE)).status).toBe(401)
    expect((await acting(token, other.businessId).get(PROFILE)).status).toBe(200)
    const second = await revoke(keys.testSecret, partner.clientId)
    // The use before the first can be stored after it.
    const { lastUsedAt } = second.body.data
    expect(second.body.data).toEqual({ ...first.body.data, lastUsedAt })
  })

  test('404 for a partner never granted access here, 400 for an invalid client id', async () => {
    const partner = await newPartner()
    const other = await newBusiness()
    await grant(other.keys.testSecret, partner.clientId)
    for (const key of [keys.testSecret, other.keys.liveSecret]) {
      const { status, body } = await revoke(key, partner.clientId)
      expect([status, body.errorCode]).toEqual([404, 'partner_not_found'])
    }
    expect((await revoke(keys.testSecret, 'nonsense')).status).toBe(400)
    expect(await grantsOf(partner.clientId)).toMatchObject([{ revoked: false }])
  })

  test('200 and 201 in a race leave one row with the last result', async () => {
    const partner = await newPartner()
    await grant(keys.testSecret, partner.clientId)
    const token = await tokenOf(partner)
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 2
          ? revoke(keys.testSecret, partner.clientId)
          : grant(keys.testSecret, partner.clientId),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]))
    const [row, ...more] = await grantsOf(partner.clientId)
    expect(more).toEqual([])
    const { status } = await acting(token, businessId).get(PROFILE)
    expect(status).toBe(row!.revoked ? 401 : 200)
  })

  test('401 from the response of a revocation on, with requests in progress', async () => {
    const partner = await newPartner()
    await grant(keys.testSecret, partner.clientId)
    const { get } = acting(await tokenOf(partner), businessId)
    let isRevoked = false
    const calling = Array.from({ length: 5 }, async () => {
      const late: number[] = []
      for (let i = 0; i < 30; i++) {
        const began = isRevoked
        const { status } = await get(INVOICES)
        if (began) late.push(status)
        else expect([200, 401]).toContain(status)
      }
      return late
    })
    await get(INVOICES)
    await revoke(keys.testSecret, partner.clientId)
    isRevoked = true
    const late = (await Promise.all(calling)).flat()
    expect(late.filter((status) => status !== 401)).toEqual([])
    expect((await get(INVOICES)).status).toBe(401)
  })
})

test('the audit reports unknown scopes, and a partner without a secret', async () => {
  const { businessId: own, keys: ownKeys } = await newBusiness()
  const [one, other] = [await newPartner(), await newPartner()]
  for (const { clientId } of [one, other]) await grant(ownKeys.testSecret, clientId)
  const found = async () => {
    const findings = await runAudit(db, partnerChecks)
    return findings
      .filter((finding) => finding.businessId === own)
      .map(({ check, problem }) => `${check}: ${problem}`)
  }
  expect(await found()).toEqual([])
  await asOwner(name, async (client) => {
    await client.query(`update partner_grants set scopes = '{everything}' where partner_id = $1`, [
      one.id,
    ])
    await client.query('update partner_secrets set ends_at = created_at where partner_id = $1', [
      other.id,
    ])
  })
  expect(await found()).toEqual([
    'partner-scopes: its scopes {everything} include an unknown one',
    `partner-secrets: its partner ${other.id} has 0 current secrets`,
  ])
})
