import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const BASE = '/api/user-service/external/v1/profile'
const PLAIN = '/api/user-service/v1/profile'
const SETTINGS = `${BASE}/settings`
const ACCOUNT = { bankCode: '058', accountNumber: '0123456789' }

const server = await startServer()
const { as, db } = server

/** A new business for each test that changes settings. */
async function fresh(title?: string) {
  const business = await server.newBusiness(title)
  const { testSecret, liveSecret } = business.keys
  return { ...business, test: as(testSecret), live: as(liveSecret) }
}

const verified = (businessId: number) =>
  db.many<{ live: boolean; sequence: number; object_id: number; data: string }>`
    select live, sequence, object_id, data from events
    where business_id = ${businessId} and type = 'account.verified' order by sequence`

describe('GET profile', () => {
  test('200 shows the business and the key, in both families', async () => {
    const { businessId, reference, test: merchant } = await fresh('Ada Ventures')
    const { status, body } = await merchant.get(BASE)

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      message: 'Profile retrieved.',
      data: {
        id: businessId,
        businessId,
        businessName: 'Ada Ventures',
        email: null,
        phone: null,
        firstName: null,
        lastName: null,
        country: 'NG',
        currency: 'NGN',
        timeZone: 'Africa/Lagos',
        mode: 'test',
        status: 'Active',
        accountVerified: false,
        settlementAccount: null,
        key: { type: 'secret', scopes: null, expiresAt: null },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        reference,
      },
    })
    expect((await merchant.get(`${PLAIN}/`)).body).toEqual(body)
  })

  test('405 for another method, naming the allowed one', async () => {
    const { status, headers } = await server.post(BASE)

    expect(status).toBe(405)
    expect(headers.get('allow')).toContain('GET')
  })
})

describe('GET profile/settings', () => {
  test('200 shows the defaults', async () => {
    const { reference, test: merchant } = await fresh()
    const { status, body } = await merchant.get(SETTINGS)

    expect(status).toBe(200)
    expect(body.data).toEqual({
      reference,
      status: 'Active',
      settlementAccount: null,
      payoutsPausedUntil: null,
      payoutSchedule: 'manual',
      manualPayment: null,
      feeBearer: 'business',
      origins: [],
      transferApprovalAbove: null,
      transferApprovalAboveMinor: null,
      dailyApprovalAbove: null,
      dailyApprovalAboveMinor: null,
      approvalSuspendedAt: null,
      pendingApprovalChange: null,
      currency: 'NGN',
      virtualAccountPolicy: 'exact',
      timeZone: 'Africa/Lagos',
      invoicePrefix: 'INV-',
      nextInvoiceNumber: 1,
      redirectSecret: expect.stringMatching(/^rsec_[0-9a-f]{64}$/),
      updatedAt: expect.any(String),
    })
    expect((await merchant.get(`${PLAIN}/settings`)).body).toEqual(body)
  })
})

describe('PUT profile/settings', () => {
  test('200 changes the named fields and keeps the rest', async () => {
    const { test: merchant } = await fresh()
    const first = await merchant.put(SETTINGS, {
      feeBearer: 'customer',
      origins: [
        'https://Shop.example.com/',
        'http://localhost:3000',
        'https://shop.example.com:443',
      ],
      virtualAccountPolicy: 'accept_over',
    })
    expect(first.status).toBe(200)
    const second = await merchant.put(`${PLAIN}/settings`, { timeZone: 'Africa/Nairobi' })

    expect(second.body.data).toMatchObject({
      feeBearer: 'customer',
      origins: ['https://shop.example.com', 'http://localhost:3000'],
      virtualAccountPolicy: 'accept_over',
      timeZone: 'Africa/Nairobi',
    })
    expect((await merchant.get(SETTINGS)).body.data).toEqual(second.body.data)
    expect((await merchant.get(BASE)).body.data.timeZone).toBe('Africa/Nairobi')
  })

  test.each([
    ['africa/LAGOS', 'Africa/Lagos'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
  ])('200 shows the time zone %s as %s', async (timeZone, shown) => {
    const { test: merchant } = await fresh()
    const { status, body } = await merchant.put(SETTINGS, { timeZone })
    expect([status, body.data.timeZone]).toEqual([200, shown])
    expect((await merchant.get(SETTINGS)).body.data.timeZone).toBe(shown)
  })

  test('200 for a key that keeps the limits; 403 if it changes one', async () => {
    const { test: merchant } = await fresh()
    const same = { transferApprovalAbove: null, dailyApprovalAbove: null }
    expect((await merchant.put(SETTINGS, same)).status).toBe(200)
    const denied = { status: 403, body: { errorCode: 'people_only' } }
    expect(await merchant.put(SETTINGS, { transferApprovalAbove: 1 })).toMatchObject(denied)
    expect(await merchant.put(SETTINGS, { dailyApprovalAbove: 1 })).toMatchObject(denied)
  })

  test('200 stores a settlement account with its holder and sends an event', async () => {
    const { businessId, reference, test: merchant } = await fresh()
    const { status, body } = await merchant.put(SETTINGS, { settlementAccount: ACCOUNT })

    expect(status).toBe(200)
    const { accountName } = body.data.settlementAccount
    expect(accountName).not.toBe('')
    expect(body.data.settlementAccount).toEqual({
      ...ACCOUNT,
      bankName: 'Guaranty Trust Bank',
      accountName,
    })
    expect((await merchant.get(BASE)).body.data).toMatchObject({
      accountVerified: true,
      settlementAccount: {
        bankName: 'Guaranty Trust Bank',
        accountNumber: '6789',
        accountName,
      },
    })
    const [event, ...more] = await verified(businessId)
    expect(more).toEqual([])
    expect(event).toMatchObject({ live: false, sequence: 1, object_id: businessId })
    expect(JSON.parse(event!.data)).toEqual({
      reference,
      status: 'Verified',
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '6789',
      accountNumberLast4: '6789',
      subject: 'business',
      accountName,
    })
  })

  test('200 sends an event for each new account, but not for the same one', async () => {
    const { businessId, test: merchant } = await fresh()
    for (const accountNumber of ['0123456789', '0123456789', '0123456780']) {
      await merchant.put(SETTINGS, { settlementAccount: { bankCode: '058', accountNumber } })
    }
    const { body } = await merchant.put(SETTINGS, { settlementAccount: null })

    expect(body.data.settlementAccount).toBeNull()
    expect((await verified(businessId)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('200 once for a repeated Idempotency-Key, without the secret', async () => {
    const { businessId, test: merchant } = await fresh()
    const change = { settlementAccount: ACCOUNT, feeBearer: 'customer' }
    const key = { 'idempotency-key': 'settings' }
    const first = await merchant.put(SETTINGS, change, key)
    await merchant.put(SETTINGS, { settlementAccount: null, feeBearer: 'business' })
    const second = await merchant.put(`${PLAIN}/settings`, change, key)

    const { redirectSecret } = first.body.data
    expect(redirectSecret).toMatch(/^rsec_/)
    expect(second.text).toBe(first.text.replace(`"${redirectSecret}"`, 'null'))
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect((await merchant.get(SETTINGS)).body.data.feeBearer).toBe('business')
    expect(await verified(businessId)).toHaveLength(1)
  })

  test('200 loses none of twenty simultaneous changes', async () => {
    const { businessId, test: merchant } = await fresh()
    const changes = Array.from({ length: 20 }, (_, i) => {
      if (i % 2) return { settlementAccount: { ...ACCOUNT, accountNumber: `01234567${10 + i}` } }
      return i === 0 ? { feeBearer: 'customer' } : { origins: [`https://${i}.example.com`] }
    })
    const replies = await Promise.all(changes.map((change) => merchant.put(SETTINGS, change)))

    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { body } = await merchant.get(SETTINGS)
    expect(body.data.feeBearer).toBe('customer')
    const sequences = (await verified(businessId)).map(({ sequence }) => sequence)
    expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('422 for the same Idempotency-Key with another change', async () => {
    const { test: merchant } = await fresh()
    const key = { 'idempotency-key': 'again' }
    await merchant.put(SETTINGS, { feeBearer: 'customer' }, key)
    const { status, body } = await merchant.put(SETTINGS, { feeBearer: 'business' }, key)

    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual(['Idempotency-Key'])
  })

  test.each([
    [{ feeBearer: 'nobody' }, 'feeBearer'],
    [{ feeBearer: null }, 'feeBearer'],
    [{ virtualAccountPolicy: 'any' }, 'virtualAccountPolicy'],
    [{ timeZone: 'Africa/Atlantis' }, 'timeZone'],
    [{ timeZone: '+01:00' }, 'timeZone'],
    [{ timeZone: 1 }, 'timeZone'],
    [{ transferApprovalAbove: 0 }, 'transferApprovalAbove'],
    [{ transferApprovalAbove: '0' }, 'transferApprovalAbove'],
    [{ transferApprovalAbove: -1 }, 'transferApprovalAbove'],
    [{ transferApprovalAbove: 0.001 }, 'transferApprovalAbove'],
    [{ transferApprovalAbove: true }, 'transferApprovalAbove'],
    [{ origins: 'https://shop.example.com' }, 'origins'],
    [{ origins: Array(21).fill('https://shop.example.com') }, 'origins'],
    [{ origins: ['https://ok.example.com', 'https://shop.example.com/pay'] }, 'origins.1'],
    [{ origins: ['shop.example.com'] }, 'origins.0'],
    [{ origins: ['ftp://shop.example.com'] }, 'origins.0'],
    [{ origins: ['https://ada@shop.example.com'] }, 'origins.0'],
    [{ origins: ['https://shop.example.com?x'] }, 'origins.0'],
    [{ origins: ['https://shop.example.com:99999'] }, 'origins.0'],
    [{ settlementAccount: {} }, 'settlementAccount.bankCode'],
    [{ settlementAccount: { ...ACCOUNT, accountNumber: '12' } }, 'settlementAccount.accountNumber'],
    [{ settlementAccount: { ...ACCOUNT, bankCode: true } }, 'settlementAccount.bankCode'],
    [{ settlementAccount: { ...ACCOUNT, bankCode: '999' } }, 'settlementAccount.bankCode'],
  ])('400 for %j, and nothing is stored', async (change, field) => {
    const before = await server.get(SETTINGS)
    const { status, body } = await server.put(SETTINGS, {
      virtualAccountPolicy: 'accept_partial',
      ...change,
    })

    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toContain(field)
    expect((await server.get(SETTINGS)).body).toEqual(before.body)
  })

  test('400 naming the account number that the bank rejects', async () => {
    const refused = { bankCode: '058', accountNumber: '0000000002' }
    const { businessId, test: merchant } = await fresh()
    const { status, body } = await merchant.put(SETTINGS, { settlementAccount: refused })

    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['settlementAccount.accountNumber'])
    expect((await merchant.get(SETTINGS)).body.data.settlementAccount).toBeNull()
    expect(await verified(businessId)).toEqual([])
  })

  test('503 for a live account without a live provider; other settings work', async () => {
    const { businessId, live } = await fresh()
    const { status, body, headers } = await live.put(SETTINGS, { settlementAccount: ACCOUNT })

    expect(status).toBe(503)
    expect(body.errorCode).toBe('live_provider_missing')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await verified(businessId)).toEqual([])
    expect((await live.put(SETTINGS, { feeBearer: 'customer' })).status).toBe(200)
  })

  test('200 keeps modes and businesses apart', async () => {
    const one = await fresh()
    const other = await fresh()
    await one.test.put(SETTINGS, { settlementAccount: ACCOUNT, feeBearer: 'customer' })

    for (const untouched of [one.live, other.test]) {
      expect((await untouched.get(SETTINGS)).body.data).toMatchObject({
        settlementAccount: null,
        feeBearer: 'business',
      })
      expect((await untouched.get(BASE)).body.data.accountVerified).toBe(false)
    }
  })
})
