import { afterAll, describe, expect, test } from 'vitest'
import { statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { emailTo, lettersTo, memberOf } from '../../business/people/people.fixture.ts'
import { connect } from '../../providers/providers.fixture.ts'
import { NEXT, openShop, PAYOUTS, SETTINGS } from './payouts.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const server = await startServer({ jobs: false })
const { db, clock } = server
const DAY_MS = 24 * 3_600_000
// Noon, so that no day ends while a test counts what belongs to it.
clock.advance(1.5 * DAY_MS - (clock.now().getTime() % DAY_MS))

afterAll(async () => expect(await findings(server)).toEqual([]))

const shop = (options?: Parameters<typeof openShop>[1]) => openShop(server, options)

describe('POST wallet/payouts', () => {
  test('201 pays out the whole balance, less the fee, to the settlement account', async () => {
    const { payOut, payout, bank, wallet, eventTypes, get } = await shop()
    const { status, body } = await payOut()
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      origin: 'payout',
      status: 'Pending',
      amount: 999_950,
      fee: 50,
      currency: 'NGN',
      bankCode: '058',
      accountNumber: '0123456785',
      accountName: expect.any(String),
      narration: 'Payout',
      createdBy: { type: 'key' },
      needsSecondPerson: false,
    })
    expect(await wallet()).toEqual({ available: 0, held: 1_000_000 })
    const { reference } = body.data
    await bank()
    expect(await payout(reference)).toMatchObject({ status: 'Successful', origin: 'payout' })
    expect(await wallet()).toEqual({ available: 0, held: 0 })
    expect(await eventTypes()).toEqual([
      'account.verified',
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
    expect((await get(`${TRANSFERS}/${reference}`)).body.data.origin).toBe('payout')
  })

  test('201 for a part of the balance; 400 for more than there is', async () => {
    const { payOut, wallet } = await shop()
    const part = await payOut({ amount: '4000.50' })
    expect([part.status, part.body.data.amount, part.body.data.fee]).toEqual([201, 4000.5, 10])
    expect(await wallet()).toEqual({ available: 995_989.5, held: 4_010.5 })
    const more = await payOut({ amount: 995_980 })
    expect([more.status, more.body.errorCode]).toEqual([400, 'insufficient_balance'])
    expect(await wallet()).toEqual({ available: 995_989.5, held: 4_010.5 })
  })

  test.each([
    [5_015, 5_000, 10, 5],
    [5_026, 5_001, 25, 0],
    [60, 50, 10, 0],
  ])('201 of %d, pays out %d with a fee of %d', async (balance, amount, fee, left) => {
    const { payOut, fund, wallet } = await shop()
    await payOut()
    await fund(balance)
    const { body } = await payOut()
    expect([body.data.amount, body.data.fee]).toEqual([amount, fee])
    expect((await wallet()).available).toBe(left)
  })

  test('400 if the balance does not cover more than the fee', async () => {
    const { payOut, fund } = await shop()
    await payOut()
    const nothing = { status: 400, body: { errorCode: 'insufficient_balance' } }
    expect(await payOut()).toMatchObject(nothing)
    await fund(10)
    expect(await payOut()).toMatchObject(nothing)
    await fund(0.01)
    expect((await payOut()).body.data).toMatchObject({ amount: 0.01, fee: 10 })
  })

  test('409 without a settlement account, and after it is removed', async () => {
    const { payOut, set } = await shop({ accountNumber: null })
    const missing = { status: 409, body: { errorCode: 'settlement_account_missing' } }
    expect(await payOut()).toMatchObject(missing)
    await set({ settlementAccount: { bankCode: '058', accountNumber: '0123456785' } })
    expect((await payOut({ amount: 100 })).status).toBe(201)
    await set({ settlementAccount: null })
    expect(await payOut({ amount: 100 })).toMatchObject(missing)
  })

  test('409 while a provider pays out by itself, and 201 once it no longer does', async () => {
    const { businessId, payOut, put, next } = await shop()
    const id = await connect(server, businessId, { settings: { automaticSettlement: true } })
    const automatic = { status: 409, body: { errorCode: 'automatic_settlement' } }
    expect(await payOut()).toMatchObject(automatic)
    expect(await put(SETTINGS, { payoutSchedule: 'daily' })).toMatchObject(automatic)
    expect(await next()).toMatchObject({ blockedBy: 'automatic_settlement', nextAt: null })
    await db.run`
      update provider_connections set settings = '{"automaticSettlement": false}' where id = ${id}`
    expect((await put(SETTINGS, { payoutSchedule: 'daily' })).status).toBe(200)
    expect((await payOut({ amount: 100 })).status).toBe(201)
  })

  test('403 for a person until the password is entered, and for a role that cannot send', async () => {
    const { businessId } = await shop()
    const owner = await memberOf(server, 'owner', businessId)
    const viewer = await memberOf(server, 'viewer', businessId)
    clock.advance(6 * 60_000)
    const again = { status: 403, body: { errorCode: 'reauthentication_needed' } }
    expect(await owner.post(PAYOUTS, { amount: 100 })).toMatchObject(again)
    expect(await owner.put(SETTINGS, { payoutSchedule: 'daily' })).toMatchObject(again)
    expect((await viewer.post(PAYOUTS, { amount: 100 })).body.errorCode).toBe('insufficient_scope')
    await owner.post('/console/reauthenticate', { password: owner.password })
    const { status, body } = await owner.post(PAYOUTS, { amount: 100 })
    expect([status, body.data.createdBy]).toMatchObject([201, { type: 'person' }])
  })

  test('201 once for a repeated Idempotency-Key', async () => {
    const { post, list } = await shop()
    const headers = { 'idempotency-key': 'payout-1' }
    const replies = await times(6, () => post(PAYOUTS, { amount: 100 }, headers))
    expect(new Set(replies.map(({ body }) => body.data?.reference)).size).toBe(1)
    expect(await list()).toHaveLength(1)
  })

  test('201 waits while payouts are stopped, and is sent after they are resumed', async () => {
    const { businessId, payOut, payout, bank, next } = await shop()
    const owner = await memberOf(server, 'owner', businessId)
    await owner.post('/console/payouts/stop', { reason: 'A key was stolen' })
    const { status, body } = await payOut({ amount: 100 })
    expect([status, body.message]).toEqual([201, expect.stringMatching(/once payouts are resumed/)])
    expect((await next()).blockedBy).toBe('payouts_stopped')
    await bank()
    expect(await payout(body.data.reference)).toMatchObject({ status: 'Pending', canCancel: true })
    await owner.post('/console/reauthenticate', { password: owner.password })
    expect((await owner.post('/console/payouts/resume')).status).toBe(200)
    clock.advance(11 * 60_000)
    await bank()
    expect(await payout(body.data.reference)).toMatchObject({ status: 'Successful' })
  })
})

describe('limits', () => {
  test('201 waits for a second person above the limit, and counts towards the day', async () => {
    const { businessId, payOut, payout, bank, next } = await shop()
    const owner = await memberOf(server, 'owner', businessId)
    const finance = await memberOf(server, 'finance', businessId)
    const limits = { transferApprovalAbove: 5_000, dailyApprovalAbove: 6_000 }
    expect((await owner.put(SETTINGS, limits)).status).toBe(200)
    expect((await next()).needsApproval).toBe(true)
    const { body } = await owner.post(PAYOUTS, { amount: 5_001 })
    expect(body.data).toMatchObject({ status: 'Unverified', needsSecondPerson: true })
    expect(await emailTo(server, finance.email, 'needs approval')).toContain('5,001')
    const approve = `${TRANSFERS}/${body.data.reference}/approve`
    expect((await owner.post(approve)).body.errorCode).toBe('second_person_needed')
    expect((await finance.post(approve)).status).toBe(200)
    await bank()
    expect(await payout(body.data.reference)).toMatchObject({ status: 'Successful' })
    expect((await payOut({ amount: 1_000 })).body.data.status).toBe('Unverified')
  })
})

describe('the bank’s outcomes of a payout', () => {
  test('200 a rejected payout is back in the wallet, and those who can send money are mailed', async () => {
    const { businessId, payOut, payout, bank, wallet } = await shop({ accountNumber: '0000000004' })
    const owner = await memberOf(server, 'owner', businessId)
    const viewer = await memberOf(server, 'viewer', businessId)
    const { reference } = (await payOut({ amount: 100 })).body.data
    await bank()
    const ended = await payout(reference)
    expect(ended).toMatchObject({ status: 'Rejected', failureReason: expect.any(String) })
    expect(await wallet()).toEqual({ available: 1_000_000, held: 0 })
    expect(await emailTo(server, owner.email, 'payout failed')).toContain(ended.failureReason)
    expect(await lettersTo(server, viewer.email)).not.toContainEqual(
      expect.stringContaining('payout'),
    )
  })

  test('200 a returned payout is Failed, and its money and fee are back', async () => {
    const { businessId, payOut, payout, bank, wallet } = await shop({ accountNumber: '0000000007' })
    const owner = await memberOf(server, 'owner', businessId)
    const { reference } = (await payOut()).body.data
    await bank()
    expect(await payout(reference)).toMatchObject({ status: 'Successful' })
    await bank()
    expect(await payout(reference)).toMatchObject({
      status: 'Failed',
      reversedAt: expect.any(String),
    })
    expect(await wallet()).toEqual({ available: 1_000_000, held: 0 })
    expect(await emailTo(server, owner.email, 'payout was returned')).toContain('Returned by')
  })

  test('200 a payout without a response stays Pending, and is paid once', async () => {
    const { payOut, payout, bank } = await shop()
    const { reference } = (await payOut({ amount: 10.03 })).body.data
    await server.runJob('transfer-orders')
    expect(await payout(reference)).toMatchObject({ status: 'Pending' })
    await bank()
    expect(await payout(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
  })

  test('200 a blocked payout can be retried, and a Pending one cancelled', async () => {
    const { post, payOut, payout, bank } = await shop({ accountNumber: '0000000003' })
    const blocked = (await payOut({ amount: 100 })).body.data.reference
    await bank()
    expect(await payout(blocked)).toMatchObject({ status: 'Blocked' })
    expect((await post(`${TRANSFERS}/${blocked}/retry`)).status).toBe(200)
    const pending = (await payOut({ amount: 100 })).body.data.reference
    expect((await post(`${TRANSFERS}/${pending}/cancel`)).status).toBe(200)
    expect(await payout(pending)).toMatchObject({ status: 'Rejected' })
  })
})

describe('lists', () => {
  test('200 lists payouts only, and 404 for a transfer or another business’s payout', async () => {
    const { get, post, payOut, list } = await shop()
    const other = await shop()
    const { reference } = (await payOut({ amount: 100 })).body.data
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const sent = (await post(TRANSFERS, { amount: 50, ...account })).body.data.reference
    expect((await list()).map((one) => one.reference)).toEqual([reference])
    const origins = async (query: string) =>
      (await get(`${TRANSFERS}?sort=ASC&${query}`)).body.data.map(
        (one: { origin: string }) => one.origin,
      )
    expect(await origins('')).toEqual(['payout', 'transfer'])
    expect(await origins('origin=Payout')).toEqual(['payout'])
    expect(await origins('origin=transfer&bankCode=058')).toEqual(['transfer'])
    expect((await get(`${TRANSFERS}?origin=other`)).status).toBe(400)
    expect((await get(`${PAYOUTS}?status=Pending`)).body.data).toHaveLength(1)
    const unknown = { status: 404, body: { errorCode: 'payout_not_found' } }
    expect(await get(`${PAYOUTS}/${sent}`)).toMatchObject(unknown)
    expect(await other.get(`${PAYOUTS}/${reference}`)).toMatchObject(unknown)
    expect(await other.list()).toEqual([])
  })

  test('200 shows what can be paid out', async () => {
    const { next } = await shop()
    expect(await next()).toEqual({
      schedule: 'manual',
      nextAt: null,
      dates: [],
      blockedBy: null,
      pausedUntil: null,
      account: {
        bankCode: '058',
        bankName: 'Guaranty Trust Bank',
        accountNumberLast4: '6785',
        accountName: expect.any(String),
      },
      currency: 'NGN',
      available: 1_000_000,
      availableMinor: 100_000_000,
      amount: 999_950,
      amountMinor: 99_995_000,
      fee: 50,
      feeMinor: 5_000,
      needsApproval: false,
    })
    const empty = await shop({ accountNumber: null })
    expect(await empty.next()).toMatchObject({
      blockedBy: 'settlement_account_missing',
      account: null,
    })
    expect((await empty.get(`${NEXT}?schedule=hourly`)).status).toBe(400)
  })
})

describe('at once', () => {
  test('201 for one of two payouts of the whole balance', async () => {
    const { payOut, wallet, list } = await shop()
    const replies = await times(2, () => untilDone(payOut))
    expect(statusesOf(replies)).toEqual({ 201: 1, '400 insufficient_balance': 1 })
    expect(await wallet()).toEqual({ available: 0, held: 1_000_000 })
    expect(await list()).toHaveLength(1)
  })

  test('201 for one of 20 payouts of the whole balance', async () => {
    const { payOut, wallet, eventTypes } = await shop()
    const replies = await times(20, () => untilDone(payOut))
    expect(statusesOf(replies)).toEqual({ 201: 1, '400 insufficient_balance': 19 })
    expect(await wallet()).toEqual({ available: 0, held: 1_000_000 })
    expect((await eventTypes()).filter((type) => type === 'transfer.pending')).toHaveLength(1)
  })

  test('201 beside transfers and a change of the account, and the balance adds up', async () => {
    const { post, put, payOut, wallet, get } = await shop()
    const to = { bankCode: '058', accountNumber: '0123456780' }
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, () => post(TRANSFERS, { amount: 1_000, ...to })),
      ...Array.from({ length: 8 }, () => payOut()),
      put(SETTINGS, { settlementAccount: { bankCode: '057', accountNumber: '0123456781' } }),
    ])
    const made = replies.filter(({ status }) => status === 201)
    const taken = made.reduce((sum, { body }) => sum + body.data.amount + body.data.fee, 0)
    const { available, held } = await wallet()
    expect([held, available + held]).toEqual([taken, 1_000_000])
    const { body } = await get(`${PAYOUTS}?limit=100`)
    for (const one of body.data) expect(['058', '057']).toContain(one.bankCode)
  })
})

describe('audit', () => {
  test('finds a payout to an account without a holder, and one that waits for a name', async () => {
    const { payOut } = await shop()
    const { id, accountName } = (await payOut({ amount: 100 })).body.data
    const problems = async () => (await findings(server)).filter(({ check }) => check === 'payouts')
    await db.run`update transfers set account_name = null where id = ${id}`
    expect(await problems()).toMatchObject([
      { id: `${id}`, problem: expect.stringMatching(/no holder/) },
    ])
    await db.run`
      update transfers set account_name = ${accountName}, doubt = 'name' where id = ${id}`
    expect(await problems()).toMatchObject([
      { id: `${id}`, problem: expect.stringMatching(/confirm the holder/) },
    ])
    await db.run`update transfers set doubt = null, currency = 'USD' where id = ${id}`
    expect(await problems()).toMatchObject([
      { id: `${id}`, problem: expect.stringMatching(/in USD/) },
    ])
    await db.run`update transfers set currency = 'NGN' where id = ${id}`
    expect(await problems()).toEqual([])
  })

  test('finds a payout of another amount, as with every transfer', async () => {
    const { payOut } = await shop()
    const { id } = (await payOut({ amount: 100 })).body.data
    await db.run`update transfers set amount_minor = amount_minor + 1 where id = ${id}`
    expect(await findings(server)).toContainEqual(
      expect.objectContaining({ check: 'transfer-holds', id: `${id}` }),
    )
    await db.run`update transfers set amount_minor = amount_minor - 1 where id = ${id}`
  })
})
