import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { createKey } from '../../business/keys/service.ts'
import { runAudit } from '../../ledger/audit.ts'
import { BEGAN_WITH, PHONE, PROCESS, shopOn, TOP_UP, UTILITY } from './bills.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => shopOn(server)

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

describe('POST process-payment', () => {
  test('200 buys airtime, and the held amount leaves the wallet', async () => {
    const { buy, wallet, eventTypes, orders, payment } = await shop()
    const { status, body } = await buy({ paymentReference: 'top-up-1', channel: 'web' })

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'error',
      'status',
      'message',
      'responseCode',
      'responseData',
    ])
    expect(body).toMatchObject({ error: false, status: 'success', responseCode: '00' })
    expect(body.responseData).toMatchObject({
      paymentReference: 'top-up-1',
      reference: expect.stringMatching(/^UTL_/),
      transactionId: expect.any(Number),
      status: 'Successful',
      vendStatus: 'Successful',
      customerId: PHONE,
      billerName: 'MTN Airtime',
      category: 'airtime',
      amount: 500,
      amountMinor: 50_000,
      fee: 0,
      total: 500,
      currency: 'NGN',
      channel: 'web',
      email: null,
      token: null,
      pins: [],
      failureReason: null,
      timeline: [{ status: 'Pending' }, { status: 'Successful', message: 'Delivered' }],
    })
    const { createdAt, completedAt } = body.responseData
    expect(Date.parse(completedAt)).toBeGreaterThan(Date.parse(createdAt))
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
    expect(await eventTypes()).toEqual(['utility.pending', 'utility.successful', 'wallet.debited'])
    expect(await orders()).toEqual([
      { reference: body.responseData.reference, status: 'Successful' },
    ])
    expect(await payment('top-up-1')).toEqual(body)
    expect(await payment(body.responseData.reference)).toEqual(body)
  })

  test('200 sends events with the payment, and with the amount that left the wallet', async () => {
    const { buy, businessId } = await shop()
    const { responseData } = (await buy()).body
    const events = await db.many<{ type: string; object_id: number; data: string }>`
      select type, object_id, data from events where business_id = ${businessId} order by id`
    const told = events.map(({ data }) => JSON.parse(data))
    expect(told[0]).toMatchObject({ status: 'Pending', reference: responseData.reference })
    expect(told[1]).toEqual(responseData)
    expect(events[1]!.object_id).toBe(responseData.transactionId)
    expect(told[2]).toMatchObject({
      amount: 500,
      source: { type: 'utility_payment', reference: responseData.reference },
    })
  })

  test('200 buys electricity, and the token is the same on every read', async () => {
    const { buy, payment } = await shop()
    const { body } = await buy({
      customerId: '45012345678',
      packageSlug: 'ikedc-prepaid',
      amount: 5_000,
      paymentReference: 'light',
    })
    expect(body.responseData.token).toEqual({
      value: expect.stringMatching(/^\d{4}(-\d{4}){4}$/),
      units: 23.8,
    })
    expect((await payment('light')).responseData.token).toEqual(body.responseData.token)
  })

  test.each([
    ['ikedc-postpaid', '45012345678', 5_000, null, 0],
    ['dstv-compact', '7012345678', 19_000, null, 0],
    ['mtn-data-1gb-daily', PHONE, 500, null, 0],
    ['waec-result-checker', PHONE, 3_900, null, 1],
  ])('200 buys %s', async (packageSlug, customerId, amount, token, pins) => {
    const { buy, wallet } = await shop()
    const { status, body } = await buy({ packageSlug, customerId, amount })
    expect([status, body.responseCode]).toEqual([200, '00'])
    expect(body.responseData.token).toBe(token)
    expect(body.responseData.pins).toHaveLength(pins)
    const { pinDetails } = body.responseData as { pinDetails: { pin: string; serial: string }[] }
    expect(pinDetails.map(({ pin, serial }) => `${pin} (serial ${serial})`)).toEqual(
      body.responseData.pins,
    )
    for (const { pin, serial } of pinDetails) {
      expect([pin, serial]).toEqual([
        expect.stringMatching(/^[\d-]+$/),
        expect.stringMatching(/^\d+$/),
      ])
    }
    expect(await wallet()).toEqual({ available: BEGAN_WITH - amount, held: 0 })
  })

  test('200 accepts kobo and decimal text, under the plain family too', async () => {
    const { enquire, post, wallet } = await shop()
    await enquire()
    const plain = PROCESS.replace('external/', '')
    const { status, body } = await post(plain, { ...TOP_UP, amount: '500.50' })
    expect([status, body.responseData.amount]).toEqual([200, 500.5])
    expect((await wallet()).available).toBe(BEGAN_WITH - 500.5)
  })

  test('200 stores the buyer’s details', async () => {
    const { buy } = await shop()
    const buyer = {
      customerName: 'Ngozi Okafor',
      phoneNumber: '08099999999',
      email: 'ngozi@example.com',
      accountNumber: '0123456789',
    }
    expect((await buy(buyer)).body.responseData).toMatchObject(buyer)
  })
})

describe('refusals', () => {
  test('412 without an enquiry, or without a customer or package', async () => {
    const { post, enquire, wallet, eventTypes } = await shop()
    const bodies = [
      TOP_UP,
      {},
      { customerId: PHONE, amount: 500 },
      { packageSlug: TOP_UP.packageSlug, amount: 500 },
      { ...TOP_UP, packageSlug: 'no-such-thing' },
      { ...TOP_UP, customerId: '' },
      // The amount is checked later.
      { ...TOP_UP, amount: -1 },
    ]
    for (const asked of bodies) {
      const { status, body } = await post(PROCESS, asked)
      expect([status, body]).toMatchObject([
        412,
        { error: true, responseCode: '12', errorCode: 'enquiry_required' },
      ])
      expect(body.message).toMatch(/enquiry/)
    }
    // An enquiry for another customer or package does not count.
    await enquire('08039999999')
    await enquire(PHONE, 'glo-airtime-top-up')
    expect((await post(PROCESS, TOP_UP)).status).toBe(412)
    expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
    expect(await eventTypes()).toEqual([])
  })

  test('412 once the enquiry is 30 minutes old; until then it can be used again', async () => {
    const { enquire, post } = await shop()
    await enquire()
    expect((await post(PROCESS, TOP_UP)).status).toBe(200)
    expect((await post(PROCESS, TOP_UP)).status).toBe(200)
    const forward = (seconds: number) =>
      post('/api/simulator/clock', { advanceSeconds: seconds }).then(({ status }) =>
        expect(status).toBe(200),
      )
    await forward(29 * 60)
    expect((await post(PROCESS, TOP_UP)).status).toBe(200)
    await forward(60)
    expect((await post(PROCESS, TOP_UP)).status).toBe(412)
    await enquire()
    expect((await post(PROCESS, TOP_UP)).status).toBe(200)
  })

  test.each([
    ['missing', undefined, /is required/],
    ['nothing', 0, /more than 0/],
    ['negative', -500, /more than 0/],
    ['too little', 49.99, /at least ₦50.00/],
    ['too much', 50_000.01, /at most ₦50,000.00/],
    ['with fractions of a kobo', 500.005, /naira, not kobo/],
    ['no number', '5e2', /digits/],
    ['endless', 1e300, /digits/],
  ])('400 for an amount that is %s', async (_title, amount, says) => {
    const { buy, wallet } = await shop()
    const { status, body } = await buy({ amount })
    expect([status, body]).toMatchObject([
      400,
      { error: true, responseCode: '13', errorCode: 'utility_amount_refused' },
    ])
    expect(body.message).toMatch(says)
    expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
  })

  test('400 for another price than the package’s', async () => {
    const { buy } = await shop()
    const dstv = { packageSlug: 'dstv-compact', customerId: '7012345678' }
    for (const amount of [18_999.99, 19_000.01, 1]) {
      const { status, body } = await buy({ ...dstv, amount })
      expect([status, body.responseCode]).toEqual([400, '13'])
      expect(body.message).toMatch(/₦19,000.00, the price/)
    }
  })

  test('400 if the wallet is one kobo short, and nothing is stored', async () => {
    const { buy, post, wallet, eventTypes, payment } = await shop()
    const light = { packageSlug: 'ikedc-prepaid', customerId: '45012345678' }
    await buy({ ...light, amount: 999_000 })
    const { status, body } = await buy({
      ...light,
      amount: 1_000.05,
      paymentReference: 'too-much',
    })
    expect([status, body]).toMatchObject([
      400,
      { error: true, responseCode: '51', errorCode: 'insufficient_balance' },
    ])
    expect(await wallet()).toEqual({ available: 1_000, held: 0 })
    expect(await eventTypes()).toHaveLength(3)
    expect((await payment('too-much')).errorCode).toBe('utility_payment_not_found')

    await post('/api/simulator/wallet', { amount: 0.05 })
    const again = await buy({ ...light, amount: 1_000.05, paymentReference: 'too-much' })
    expect(again.status).toBe(200)
    expect(await wallet()).toEqual({ available: 0, held: 0 })
  })

  test.each([
    ['customerId', 8031234567],
    ['packageSlug', ['mtn']],
    ['amount', true],
    ['amount', [500]],
    ['amount', '5'.repeat(41)],
    ['channel', 1],
    ['customerName', {}],
    ['phoneNumber', 8031234567],
    ['email', false],
    ['accountNumber', 1],
    ['paymentReference', 12],
    ['paymentReference', ''],
    ['paymentReference', 'x'.repeat(65)],
    ['paymentReference', 'a/b'],
    ['paymentReference', 'UTL_mine'],
    ['paymentReference', '..'],
    ['paymentReference', 'process-payment'],
  ])('400 for %s as %j, before any other check', async (field, value) => {
    const { post } = await shop()
    const { status, body } = await post(PROCESS, { ...TOP_UP, [field]: value })
    expect([status, body]).toMatchObject([
      400,
      { error: true, errorCode: 'validation_failed', message: expect.stringContaining(field) },
    ])
    expect(Object.keys(body)).toEqual(['error', 'message', 'errorCode', 'requestId'])
  })

  test.each(['[]', '"x"', 'null', '{'])('400 for a body of %s', async (text) => {
    const { post } = await shop()
    const { status, body } = await post(PROCESS, text)
    expect([status, body.error]).toEqual([400, true])
  })

  test('503 with a live key, without a provider', async () => {
    const { keys, businessId } = await shop()
    const live = server.as(keys.liveSecret)
    const { status, body } = await live.post(PROCESS, TOP_UP)
    expect([status, body]).toMatchObject([503, { error: true, errorCode: 'live_provider_missing' }])
    const rows = await db.many`select from utility_payments where business_id = ${businessId}`
    expect(rows).toEqual([])
  })

  test('401 without a key; 403 without the scope', async () => {
    const { tenant, enquire, buy } = await shop()
    const none = await server.as('sk_test_none').post(PROCESS, TOP_UP)
    expect([none.status, none.body]).toMatchObject([401, { error: true }])
    expect(none.body.errorCode).toBe('invalid_key')

    const restricted = async (scopes: string[]) => {
      const made = await db.transaction((tx) =>
        createKey(tx, server.ids, tenant, { scopes }, clock.now()),
      )
      return server.as(made.key)
    }
    await enquire()
    const { reference } = (await buy()).body.responseData
    const reader = await restricted(['utility:read', 'transfers:write'])
    expect((await reader.post(PROCESS, TOP_UP)).body.errorCode).toBe('insufficient_scope')
    expect((await reader.get(`${UTILITY}/transactions/${reference}`)).status).toBe(200)
    expect((await reader.get(`${UTILITY}/packages`)).status).toBe(200)
    const writer = await restricted(['utility:write'])
    expect((await writer.post(PROCESS, TOP_UP)).status).toBe(200)
    const stranger = await restricted(['wallet:read'])
    expect((await stranger.get(`${UTILITY}/transactions/${reference}`)).status).toBe(403)
    expect((await stranger.get(`${UTILITY}/packages`)).status).toBe(403)
  })
})

describe('the reference of a payment', () => {
  test('200 replays under reference or paymentReference; 409 names the payment that has it', async () => {
    const { buy } = await shop()
    const first = await buy({ reference: 'top-up-1' })
    expect(first.body.responseData.paymentReference).toBe('top-up-1')
    const again = await buy({ paymentReference: 'top-up-1' })
    expect(again.body.responseData.transactionId).toBe(first.body.responseData.transactionId)
    const other = await buy({ reference: 'top-up-1', channel: 'web' })
    expect([other.status, other.body.responseCode]).toEqual([409, '94'])
    expect(other.body.message).toContain(first.body.responseData.reference)
    expect(other.body.message).toContain('Successful')
    const two = await buy({ reference: 'top-up-1', paymentReference: 'top-up-2' })
    expect([two.status, two.body.message]).toEqual([
      400,
      'reference differs from paymentReference; send only one of them',
    ])
  })
})

describe('other tenants', () => {
  test('412 with another business’s enquiry; 404 for its payment; its reference is free', async () => {
    const one = await shop()
    const other = await shop()
    const body = { ...TOP_UP, paymentReference: 'shared' }
    await one.buy(body)
    expect((await other.post(PROCESS, body)).status).toBe(412)
    const { status, body: missing } = await other.get(`${UTILITY}/transactions/shared`)
    expect([status, missing]).toMatchObject([
      404,
      { error: true, errorCode: 'utility_payment_not_found' },
    ])
    const live = server.as(one.keys.liveSecret)
    expect((await live.get(`${UTILITY}/transactions/shared`)).status).toBe(404)

    expect((await other.buy({ ...body, amount: 700 })).status).toBe(200)
    expect((await other.payment('shared')).responseData.amount).toBe(700)
    expect((await one.payment('shared')).responseData.amount).toBe(500)
  })

  test('200 deletes expired enquiries', async () => {
    const { enquire, businessId } = await shop()
    await enquire()
    const count = () =>
      db.one<{ n: number }>`
        select count(*) as n from utility_enquiries where business_id = ${businessId}`
    await server.runJob('utility-enquiries')
    expect(await count()).toEqual({ n: 1 })
    clock.advance(31 * 60_000)
    await server.runJob('utility-enquiries')
    expect(await count()).toEqual({ n: 0 })
  })
})
