import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startSecond, startServer } from '../../../test/harness.ts'
import { INVOICE, INVOICES, PARTNERS, PROFILE, partnersOf } from './partners.fixture.ts'
import { newToken } from './scopes.ts'
import { revokePartner } from './service.ts'

const SETTINGS = '/api/user-service/external/v1/profile/settings'
const WALLET = '/api/user-service/external/v1/wallet/balance'

const server = await startServer({ jobs: false })
const { db, business, clock, as, newBusiness, logLines } = server
const { newPartner, tokenOf, grant, grantLive, revoke, acting } = partnersOf(server)
const { keys, businessId } = business

/** A partner with access to the first business, and its token. */
async function letIn(scopes?: string[] | null, partner?: { live?: boolean; scopes?: string[] }) {
  const made = await newPartner(partner)
  if (partner?.live) await grantLive(businessId, made.clientId, scopes)
  else await grant(keys.testSecret, made.clientId, scopes)
  return { ...made, token: await tokenOf(made) }
}

describe('a token in place of a key', () => {
  test('200 shows its business, scopes and expiry', async () => {
    const { token } = await letIn(['profile:read', 'invoices:write'])
    const { status, body } = await acting(token, businessId).get(PROFILE)

    expect([status, body.data.businessId, body.data.mode]).toEqual([200, businessId, 'test'])
    const { type, scopes, expiresAt } = body.data.key
    expect([type, scopes]).toEqual(['partner', ['profile:read', 'invoices:write']])
    const leftMs = Date.parse(expiresAt) - clock.now().getTime()
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(3_600_000)
  })

  test('201 and 200 for two businesses with one token, each with its own data', async () => {
    const other = await newBusiness('Bola Stores')
    const { token, clientId } = await letIn()
    await grant(other.keys.testSecret, clientId)
    const [here, there] = [acting(token, businessId), acting(token, other.businessId)]
    const made = await here.post(INVOICES, INVOICE)
    expect(made.status).toBe(201)

    const path = `${INVOICES}/${made.body.data.reference}`
    expect((await here.get(path)).status).toBe(200)
    expect((await there.get(path)).status).toBe(404)
    expect((await as(keys.testSecret).get(path)).status).toBe(200)
    expect((await there.get(PROFILE)).body.data.businessName).toBe('Bola Stores')
  })

  test('200 for an id with leading zeros, as everywhere', async () => {
    const { token } = await letIn()
    expect((await acting(token, `00${businessId}`).get(PROFILE)).status).toBe(200)
  })

  test('200 in live mode only with a live token', async () => {
    const [live, test] = [await letIn(null, { live: true }), await letIn()]
    expect(live.token).toMatch(/^pt_live_/)
    const profiles = await Promise.all(
      [live, test].map(({ token }) => acting(token, businessId).get(PROFILE)),
    )
    expect(profiles.map(({ body }) => body.data.mode)).toEqual(['live', 'test'])
    await revoke(keys.testSecret, test.clientId)
    expect((await revoke(keys.liveSecret, test.clientId)).status).toBe(404)
    expect((await acting(live.token, businessId).get(PROFILE)).status).toBe(200)
  })

  test('200 records its last use; the log names the partner, never the token', async () => {
    const { token, clientId } = await letIn()
    const { headers } = await acting(token, businessId).get(WALLET)
    const used = async () =>
      (await as(keys.testSecret).get(PARTNERS)).body.data.find(
        (one: { clientId: string }) => one.clientId === clientId,
      )
    await expect.poll(async () => (await used()).lastUsedAt).toEqual(expect.any(String))

    const id = headers.get('x-request-id')!
    const [line] = logLines.filter((one) => one.includes(id))
    expect(JSON.parse(line!)).toMatchObject({
      partner: clientId,
      businessId,
      keyId: (await used()).id,
    })
    expect(logLines.join()).not.toContain(token)
  })
})

describe('401, the same as for a key', () => {
  const refused = async (reply: ReturnType<ReturnType<typeof as>['get']>) => {
    const { status, body, headers } = await reply
    const { requestId: _, ...rest } = body
    expect([status, rest]).toEqual([
      401,
      {
        status: 'error',
        message: 'The secret key is missing or invalid.',
        errors: {},
        errorCode: 'invalid_key',
      },
    ])
    expect(headers.get('www-authenticate')).toBe('Bearer')
  }

  test('401 without a business, with another, or with an invalid id', async () => {
    const other = await newBusiness()
    const { token } = await letIn()
    await refused(as(token).get(PROFILE))
    const reference = (await as(keys.testSecret).get(PROFILE)).body.data.reference
    for (const named of [other.businessId, 999_999, 0, -1, '', 'x', reference, '9'.repeat(17)]) {
      await refused(acting(token, named).get(PROFILE))
    }
    await refused(acting(token, `${businessId}, ${businessId}`).get(PROFILE))
  })

  test('401 for an unknown or misspelt token, one in the URL, or one from a browser', async () => {
    const { token } = await letIn()
    const { get } = acting(token, businessId)
    await refused(acting(newToken(false), businessId).get(PROFILE))
    await refused(acting(`${token}0`, businessId).get(PROFILE))
    await refused(acting(token.replace('test', 'live'), businessId).get(PROFILE))
    await refused(get(`${PROFILE}?token=${token}`))
    await refused(as(keys.testSecret).get(`${PROFILE}?token=${token}`))
    for (const origin of ['https://shop.example.com', 'http://127.0.0.1', 'null']) {
      const { status, body } = await get(PROFILE, { origin })
      expect([status, body.message]).toEqual([401, expect.stringContaining('Origin header')])
    }
    expect((await get(PROFILE)).status).toBe(200)
    const warned = logLines.filter((line) => line.includes('partner token was used from'))
    expect(warned).toHaveLength(1)
  })

  test('401 for a business that never granted access, revoked it, or is suspended', async () => {
    const partner = await newPartner()
    const token = await tokenOf(partner)
    const { businessId: own, keys: ownKeys } = await newBusiness()
    await refused(acting(token, own).get(PROFILE))
    await grant(ownKeys.liveSecret, partner.clientId)
    await refused(acting(token, own).get(PROFILE))
    await grant(ownKeys.testSecret, partner.clientId)
    expect((await acting(token, own).get(PROFILE)).status).toBe(200)
    await revoke(ownKeys.testSecret, partner.clientId)
    await refused(acting(token, own).get(PROFILE))

    const closed = await newBusiness()
    await grant(closed.keys.testSecret, partner.clientId)
    await db.run`update businesses set status = 'Suspended' where id = ${closed.businessId}`
    await refused(acting(token, closed.businessId).get(PROFILE))
  })

  test('401 within a second after the operator revoked the partner, and no new token', async () => {
    const { token, clientId, clientSecret } = await letIn()
    const { get } = acting(token, businessId)
    expect((await get(PROFILE)).status).toBe(200)
    await db.transaction((tx) => revokePartner(tx, clientId, clock.now()))
    await sleep(1_000)
    await refused(get(PROFILE))
    expect(
      (await as('').post('/api/auth-service/v1/token', { clientId, clientSecret })).status,
    ).toBe(401)
  })

  test('401 within a second on a server that was not notified of the revocation', async () => {
    const second = await startSecond(server)
    const { token, clientId } = await letIn()
    const named = { 'x-business-id': `${businessId}`, authorization: `Bearer ${token}` }
    expect((await second.get(PROFILE, named)).status).toBe(200)
    await revoke(keys.testSecret, clientId)
    await sleep(1_000)
    await refused(second.get(PROFILE, named))
  })
})

describe('the permissions of a partner', () => {
  test.each([
    [['invoices:write'], null, null, 'invoices:write'],
    [['invoices:read'], ['invoices:write'], null, 'invoices:read'],
    [['invoices:write', 'wallet:read'], ['invoices:write'], 'invoices:read', 'invoices:read'],
    [null, ['invoices:write', 'profile:read'], 'invoices:write', 'invoices:write'],
  ])(
    '200 is the common part of %j granted, %j owned and %j requested',
    async (granted, owned, asked, left) => {
      const partner = await newPartner({ scopes: owned })
      await grant(keys.testSecret, partner.clientId, granted)
      const { get, post } = acting(await tokenOf(partner, asked ?? undefined), businessId)
      expect((await get(INVOICES)).status).toBe(200)
      expect((await post(INVOICES, INVOICE)).status).toBe(left === 'invoices:write' ? 201 : 403)
      expect((await get(WALLET)).status).toBe(403)
    },
  )

  test('403 at once for scopes that a business removes from an issued token', async () => {
    const { token, clientId } = await letIn(['invoices:write'])
    const { get, post } = acting(token, businessId)
    expect((await post(INVOICES, INVOICE)).status).toBe(201)
    await grant(keys.testSecret, clientId, ['invoices:read'])
    expect((await post(INVOICES, INVOICE)).status).toBe(403)
    expect((await get(INVOICES)).status).toBe(200)
    await grant(keys.testSecret, clientId, ['invoices:write'])
    expect((await post(INVOICES, INVOICE)).status).toBe(201)
  })

  test('403 for everything if they have no scope in common', async () => {
    const { clientId, clientSecret } = await newPartner()
    await grant(keys.testSecret, clientId, ['wallet:read'])
    const { get } = acting(await tokenOf({ clientId, clientSecret }, 'invoices:write'), businessId)
    const { status, body } = await get(WALLET)
    expect([status, body.errorCode]).toEqual([403, 'insufficient_scope'])
  })

  test('403 for granting, listing and revoking, whatever was granted', async () => {
    const { token, clientId } = await letIn()
    const another = await newPartner()
    const { get, post } = acting(token, businessId)
    expect((await get(PROFILE)).body.data.key.scopes.join()).not.toMatch(/keys|requests/)
    expect((await get(PARTNERS)).status).toBe(403)
    expect((await post(PARTNERS, { clientId: another.clientId })).status).toBe(403)
    expect((await post(PARTNERS, { clientId })).status).toBe(403)
    expect((await post(`${PARTNERS}/${clientId}/revoke`)).status).toBe(403)
    // Not even a row that no request could have created allows it.
    const forbidden = db.run`update partner_grants set scopes = '{keys:write}'`
    await expect(forbidden).rejects.toThrow(/check/)
    const { grants } = await db.one<{ grants: number }>`
      select count(*) as grants from partner_grants where partner_id = ${another.id}`
    expect(grants).toBe(0)
  })

  test('200 without the redirect secret for callers who cannot change settings', async () => {
    const { token } = await letIn(['profile:read'])
    const { get, put } = acting(token, businessId)
    expect((await get(SETTINGS)).body.data.redirectSecret).toBeNull()
    expect((await put(SETTINGS, { timeZone: 'Asia/Tokyo' })).status).toBe(403)
  })

  test('200 without the redirect secret, which stays valid, also for partners that can change settings', async () => {
    const { token } = await letIn()
    const { get, put } = acting(token, businessId)
    expect((await get(SETTINGS)).body.data.redirectSecret).toBeNull()
    const changed = await put(SETTINGS, { feeBearer: 'business' })
    expect([changed.status, changed.body.data.redirectSecret]).toEqual([200, null])
    const { body } = await as(keys.testSecret).get(SETTINGS)
    expect(body.data.redirectSecret).toMatch(/^rsec_/)
  })
})

describe('Idempotency-Key', () => {
  test('201 for a business and each of its partners, and the same again for each', async () => {
    const [one, two] = [await letIn(), await letIn()]
    const key = { 'idempotency-key': 'shared-by-chance' }
    const asks = [
      () => as(keys.testSecret).post(INVOICES, INVOICE, key),
      () => acting(one.token, businessId).post(INVOICES, INVOICE, key),
      () => acting(two.token, businessId).post(INVOICES, INVOICE, key),
    ]
    const firsts = await Promise.all(asks.map((ask) => ask()))
    expect(firsts.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(firsts.map(({ body }) => body.data.reference)).size).toBe(3)

    const agains = await Promise.all(asks.map((ask) => ask()))
    expect(agains.map(({ text }) => text)).toEqual(firsts.map(({ text }) => text))
    const next = await tokenOf(one)
    const later = await acting(next, businessId).post(INVOICES, INVOICE, key)
    expect(later.text).toBe(firsts[1]!.text)
  })
})

describe('X-Business-Id beside a key', () => {
  const get = (named: string) => as(keys.testSecret).get(PROFILE, { 'x-business-id': named })

  test('200 when it is the business of the key', async () => {
    expect((await get(`${businessId}`)).status).toBe(200)
  })

  test('400 when it is not, or is not an id', async () => {
    const other = await newBusiness()
    for (const [named, says] of [
      [`${other.businessId}`, 'must be the id of the business that the key belongs to'],
      ['999999', 'must be the id of the business that the key belongs to'],
      ['ada', 'must be an id: a whole number or a numeric string'],
    ] as const) {
      const { status, body } = await get(named)
      expect([status, body.errors]).toEqual([400, { 'X-Business-Id': [says] }])
    }
  })
})
