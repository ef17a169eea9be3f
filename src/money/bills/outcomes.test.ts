import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import {
  AIRTIME,
  BEGAN_WITH,
  METER,
  PHONE,
  PROCESS,
  shopOn,
  TOP_UP,
  UTILITY,
} from './bills.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = () => shopOn(server)

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const nothing = { available: BEGAN_WITH, held: 0 }

describe('a refused payment', () => {
  test.each([
    ['an amount in .01', { amount: 500.01 }, /Declined/],
    ['an amount in .02', { amount: 500.02 }, /insufficient funds/],
    ['customer …02', { ...METER, customerId: '0000000002' }, /refused this customer/],
    ['customer …04', { ...METER, customerId: '0000000004' }, /does not accept/],
  ])('500 %s: nothing was bought, and the money is back', async (_title, more, says) => {
    const { buy, wallet, eventTypes, payment } = await shop()
    const { status, body } = await buy({ ...more, paymentReference: 'refused' })
    expect([status, body]).toEqual([
      500,
      {
        error: true,
        message: expect.stringMatching(says),
        errorCode: 'utility_payment_failed',
        requestId: expect.any(String),
      },
    ])
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toEqual(['utility.pending', 'utility.failed'])
    const read = await payment('refused')
    expect(read).toMatchObject({ error: false, responseCode: '06' })
    expect(read.responseData).toMatchObject({
      status: 'Failed',
      failureReason: expect.stringMatching(says),
      completedAt: expect.any(String),
      token: null,
    })
  })

  test('500 frees the reference for the same body or another', async () => {
    const { enquire, buy, post, payment, wallet, orders } = await shop()
    const paymentReference = 'tried-again'
    await enquire('0000000002', METER.packageSlug)
    const refused = { ...METER, customerId: '0000000002', paymentReference }
    expect((await post(PROCESS, refused)).status).toBe(500)
    expect((await post(PROCESS, refused)).status).toBe(500)
    const { status, body } = await buy({ ...TOP_UP, paymentReference })
    expect([status, body.responseData.status]).toEqual([200, 'Successful'])
    expect(new Set((await orders()).map(({ reference }) => reference)).size).toBe(3)
    expect((await payment(paymentReference)).responseData).toEqual(body.responseData)
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
    // Now the reference is taken.
    expect((await post(PROCESS, refused)).status).toBe(409)
  })

  test('500 is not kept for an Idempotency-Key either', async () => {
    const { enquire, post, wallet } = await shop()
    await enquire('0000000002', METER.packageSlug)
    const body = { ...METER, customerId: '0000000002' }
    const key = { 'idempotency-key': 'tried-again' }
    expect((await post(PROCESS, body, key)).status).toBe(500)
    expect((await post(PROCESS, body, key)).status).toBe(500)
    const rows = await db.many`select from idempotency_keys where key = 'tried-again'`
    expect(rows).toEqual([])
    await enquire()
    const bought = await post(PROCESS, TOP_UP, key)
    expect([bought.status, bought.body.responseCode]).toEqual([200, '00'])
    const again = await post(PROCESS, TOP_UP, key)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([bought.text, 'true'])
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
  })
})

test('200 for the wallet’s ledger, which names the payment that took and returned the money', async () => {
  const { get, buy } = await shop()
  const { reference } = (await buy()).body.responseData
  expect((await buy({ amount: 500.01, paymentReference: 'back' })).status).toBe(500)
  const failed = (await get(`${UTILITY}/transactions/back`)).body.responseData
  const { body } = await get('/api/user-service/external/v1/wallet/ledger?limit=3')
  const entries = (body.data as Entry[]).map(({ type, kind, amount, cause }) => [
    type,
    kind,
    amount,
    cause.type,
    cause.reference,
  ])
  expect(entries).toEqual([
    ['credit', 'void', 500.01, 'utility_payment', failed.reference],
    ['debit', 'hold', 500.01, 'utility_payment', failed.reference],
    ['debit', 'hold', 500, 'utility_payment', reference],
  ])
})

interface Entry {
  type: string
  kind: string
  amount: number
  cause: { type: string; reference: string | null }
}

describe('magic customers', () => {
  test.each(['0000000001', '0000000007'])('200 00 for …%s', async (customerId) => {
    const { buy } = await shop()
    const { status, body } = await buy({ ...METER, customerId })
    expect([status, body.responseCode]).toEqual([200, '00'])
  })
})

describe('a used reference', () => {
  test('200 replays the same body, in any spelling, even much later', async () => {
    const { buy, post, orders, wallet } = await shop()
    const asked = { ...TOP_UP, paymentReference: 'same' }
    const { body } = await buy(asked)
    const spellings = [
      { amount: 500, paymentReference: 'same', customerId: PHONE, packageSlug: AIRTIME },
      { ...asked, amount: '500.00' },
      { ...asked, unknown: true },
    ]
    for (const spelling of spellings) {
      const again = await post(PROCESS, spelling)
      expect([again.status, again.body]).toEqual([200, body])
    }
    // The enquiry has expired and is not checked.
    clock.advance(365 * 24 * 3_600_000)
    expect((await post(PROCESS, asked)).body).toEqual(body)
    expect(await orders()).toHaveLength(1)
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
  })

  test.each([
    ['amount', 501],
    ['amount', -1],
    ['amount', undefined],
    ['customerId', '08039999999'],
    ['packageSlug', 'glo-airtime-top-up'],
    ['channel', 'web'],
    ['email', 'ada@example.com'],
  ])('409 with another %s: %j, before the enquiry and the amount', async (field, value) => {
    const { buy, post, wallet } = await shop()
    const asked = { ...TOP_UP, paymentReference: 'same' }
    await buy(asked)
    const { status, body } = await post(PROCESS, { ...asked, [field]: value })
    expect([status, body]).toEqual([
      409,
      {
        error: true,
        message: expect.stringContaining('paymentReference'),
        responseCode: '94',
        errorCode: 'payment_reference_used',
        requestId: expect.any(String),
      },
    ])
    expect((await wallet()).available).toBe(BEGAN_WITH - 500)
  })
})
