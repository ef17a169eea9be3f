import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { createKey } from '../keys/service.ts'
import { addPasskey } from '../people/passkey.fixture.ts'
import { memberOf } from '../people/people.fixture.ts'
import { PARTNERS, partnersOf } from './partners.fixture.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock, business, as } = server
const { newPartner, tokenOf, grant, revoke, acting } = partnersOf(server)
const { keys, businessId } = business

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const INVOICES = '/api/payment-service/external/v1/invoices'
const NEEDED = { status: 403, body: { errorCode: 'second_factor_needed' } }
const LACKING = { status: 403, body: { errorCode: 'insufficient_scope' } }

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const countGrants = async (clientId: string) =>
  (
    await db.one<{ n: number }>`
      select count(*) as n from partner_grants g join partners p on p.id = g.partner_id
      where p.client_id = ${clientId} and g.revoked_at is null`
  ).n

describe('granting a partner access', () => {
  test('403 for a member without a second factor in live mode, and for every live key', async () => {
    const { clientId } = await newPartner({ live: true })
    for (const role of ['owner', 'admin', 'developer'] as const) {
      const member = await memberOf(server, role)
      member.choose(businessId, 'live')
      expect(await member.post(PARTNERS, { clientId })).toMatchObject(NEEDED)
      expect(await member.post(PARTNERS, { clientId, scopes: ['invoices:read'] })).toMatchObject(
        NEEDED,
      )
    }
    expect(await grant(keys.liveSecret, clientId)).toMatchObject(NEEDED)
    expect(await countGrants(clientId)).toBe(0)
  })

  test('403 naming the scope that the member lacks; 201 with their own scopes by default', async () => {
    const { clientId, clientSecret } = await newPartner({ live: true })
    const developer = await memberOf(server, 'developer')
    await addPasskey(developer)
    developer.choose(businessId, 'live')
    for (const scope of ['transfers:write', 'profile:write', 'refunds:write']) {
      const refused = await developer.post(PARTNERS, { clientId, scopes: ['invoices:read', scope] })
      expect(refused).toMatchObject(LACKING)
      expect(refused.body.message).toContain(scope)
    }
    expect(await countGrants(clientId)).toBe(0)

    const { status, body } = await developer.post(PARTNERS, { clientId })
    expect(status).toBe(201)
    const writes = body.data.effectiveScopes.filter((scope: string) => scope.endsWith(':write'))
    expect(writes).toEqual(['simulator:write'])
    expect(body.data.effectiveScopes).toContain('transfers:read')
    const { post, get } = acting(await tokenOf({ clientId, clientSecret }), businessId)
    expect((await post(TRANSFERS, {})).status).toBe(403)
    expect((await get(`${TRANSFERS}/TRF_none`)).status).toBe(404)
  })

  test('201 for an owner with a second factor, with all scopes of the partner', async () => {
    const { clientId } = await newPartner({ live: true })
    const owner = await memberOf(server, 'owner')
    await addPasskey(owner)
    owner.choose(businessId, 'live')
    const { status, body } = await owner.post(PARTNERS, { clientId })
    expect([status, body.data.scopes]).toEqual([201, null])
    expect(body.data.effectiveScopes).toContain('transfers:write')
  })

  test('403 for each of many simultaneous grants by a restricted key, whatever its scopes', async () => {
    const { clientId } = await newPartner()
    const restricted = async (...scopes: string[]) => {
      const tenant = { businessId, live: false }
      const made = await db.transaction((tx) => createKey(tx, ids, tenant, { scopes }, clock.now()))
      return made.key
    }
    const [narrow, wide] = [
      await restricted('keys:write'),
      await restricted('keys:write', 'invoices:write', 'transfers:write'),
    ]
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        grant(i % 2 ? narrow : wide, clientId, i % 3 ? null : ['invoices:read']),
      ),
    )
    for (const reply of replies) expect(reply).toMatchObject(LACKING)
    expect(await countGrants(clientId)).toBe(0)
    // Revoking access requires only the scope.
    await grant(keys.testSecret, clientId)
    expect((await revoke(narrow, clientId)).status).toBe(200)
  })

  test('403 for a second grant that would widen the first, which stays unchanged', async () => {
    const { clientId, clientSecret } = await newPartner({ live: true })
    const owner = await memberOf(server, 'owner')
    await addPasskey(owner)
    owner.choose(businessId, 'live')
    await owner.post(PARTNERS, { clientId, scopes: ['invoices:read'] })
    const developer = await memberOf(server, 'developer')
    await addPasskey(developer)
    developer.choose(businessId, 'live')
    const wider = { clientId, scopes: ['invoices:read', 'invoices:write'] }
    expect(await developer.post(PARTNERS, wider)).toMatchObject(LACKING)
    const { post, get } = acting(await tokenOf({ clientId, clientSecret }), businessId)
    expect((await get(INVOICES)).status).toBe(200)
    expect((await post(INVOICES, {})).status).toBe(403)
  })

  test('404 for other businesses', async () => {
    const { clientId } = await newPartner()
    const other = await server.newBusiness()
    const owner = await memberOf(server, 'owner')
    owner.choose(other.businessId)
    expect((await owner.post(PARTNERS, { clientId })).status).toBe(404)
    expect((await as(other.keys.testSecret).get(PARTNERS)).body.data).toEqual([])
  })
})
