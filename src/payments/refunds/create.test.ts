import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { createKey } from '../../business/keys/service.ts'
import { openShop as openMarket } from '../../money/settlements/settlements.fixture.ts'
import { orderJob } from '../../provider-orders/orders.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import type { RefundedPayment } from '../attempts/settle.ts'
import { refundOrders } from './provider-order.ts'
import { openBank, openShop, REFUNDS } from './refunds.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterEach(async () => expect(await findings(server)).toEqual([]))

const shop = (settings?: object) => openShop(server, settings)
const { order, bankActs, pass } = openBank(server)

describe('a refund', () => {
  test('201 holds the amount, and the payer has it when the bank reports so', async () => {
    const { businessId, paid, refund, wallet, one, payment, told } = await shop()
    const { id, reference } = await paid(10_000)
    const { available } = await wallet()

    const { status, body } = await refund({ transactionId: id, amount: 2_500.5, reason: 'Torn' })
    expect([status, body.status]).toEqual([201, 'success'])
    expect(body.data).toEqual({
      id: expect.any(Number),
      reference: expect.stringMatching(/^RFD_[0-9A-Za-z]{20}$/),
      status: 'Pending',
      transactionId: id,
      transactionReference: reference,
      amount: 2500.5,
      amountMinor: 250_050,
      currency: 'NGN',
      reason: 'Torn',
      message: null,
      shares: [],
      overpaidAmount: 0,
      canRetry: false,
      canCancel: true,
      businessId,
      timeline: [{ status: 'Pending', at: body.data.createdAt, message: null }],
      processedAt: null,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(await wallet()).toEqual({ available: available - 2500.5, held: 2500.5 })
    expect(server.nudged).toContain('refund-orders')
    const open = { status: 'Successful', refunding_minor: 250_050n, refunded_minor: 0n }
    expect(await payment(id)).toEqual(open)

    await order()
    expect(await one(body.data.reference)).toMatchObject({ status: 'Processing' })
    expect(await payment(id)).toEqual(open)
    await bankActs()

    const processed = await one(body.data.reference)
    expect(processed).toMatchObject({ status: 'Processed', message: 'Paid' })
    expect(Date.parse(processed.processedAt)).toBeGreaterThan(Date.parse(processed.createdAt))
    expect(processed.timeline.map((entry: { status: string }) => entry.status)).toEqual([
      'Pending',
      'Processing',
      'Processed',
    ])
    expect(await wallet()).toEqual({ available: available - 2500.5, held: 0 })
    expect(await payment(id)).toEqual({
      status: 'PartiallyRefunded',
      refunding_minor: 250_050n,
      refunded_minor: 250_050n,
    })
    expect(await told()).toEqual(['refund.pending', 'refund.processed', 'wallet.debited'])
  })

  test('201 without an amount refunds everything left, and then no more', async () => {
    const { paid, refund, payment, rows } = await shop()
    const { id, reference } = await paid(100)
    await refund({ transactionReference: reference, amount: '40.10' })
    const rest = await refund({ transactionId: String(id), transactionReference: reference })
    expect([rest.status, rest.body.data.amountMinor]).toEqual([201, 5_990])
    const none = await refund({ transactionId: id })
    expect([none.status, none.body.errorCode]).toEqual([400, 'refund_exceeds_payment'])
    await pass()
    expect(await payment(id)).toMatchObject({ status: 'Refunded', refunded_minor: 10_000n })
    const entries = await db.one<{ timeline: string }>`
      select timeline from transactions where id = ${id}`
    expect(JSON.parse(entries.timeline).map(({ status }: { status: string }) => status)).toEqual([
      'Pending',
      'Successful',
      'PartiallyRefunded',
      'Refunded',
    ])
    for (const amount of [undefined, 0.01]) {
      const { status, body } = await refund({ transactionId: id, amount })
      expect([status, body.errorCode]).toEqual([400, 'refund_exceeds_payment'])
      expect(body.errors.amount[0]).toContain('already been refunded in full')
    }
    expect(await rows()).toBe(2)
  })

  test('201 takes the overpayment first, which costs the business nothing', async () => {
    const { paid, refund, wallet, owed, told, payment } = await shop({
      virtualAccountPolicy: 'accept_over',
    })
    const { id } = await paid(1_000, 1_200)
    const { available } = await wallet()

    const first = await refund({ transactionId: id, amount: 150 })
    expect(first.body.data).toMatchObject({ amount: 150, overpaidAmount: 150 })
    await pass()
    expect((await wallet()).available).toBe(available)
    expect(await owed()).toBe(5_000n)
    expect(await told()).toEqual(['refund.pending', 'refund.processed'])

    const second = await refund({ transactionId: id, amount: 300 })
    expect(second.body.data).toMatchObject({ amount: 300, overpaidAmount: 50 })
    expect([(await wallet()).available, await owed()]).toEqual([available - 250, 0n])
    await pass()
    const { body } = await refund({ transactionId: id })
    expect(body.data).toMatchObject({ amount: 750, overpaidAmount: 0 })
    await pass()
    expect(await payment(id)).toMatchObject({ status: 'Refunded', refunded_minor: 120_000n })
  })

  test('201 refunds an overpayment again if the earlier refund failed', async () => {
    const { paid, refund, owed, simulate } = await shop({ virtualAccountPolicy: 'accept_over' })
    const { id } = await paid(1_000, 1_200)
    const { body } = await refund({ transactionId: id, amount: 250 })
    expect(await owed()).toBe(0n)
    await simulate(body.data.reference, 'failed')
    expect(await owed()).toBe(20_000n)
    expect((await refund({ transactionId: id, amount: 250 })).body.data.overpaidAmount).toBe(200)
  })

  test('201 for a shared payment takes from each party its part', async () => {
    const { businessId, get, shared, refund, simulate, wallet, shares, told } = await shop()
    // The fee of ₦15 comes out of the business's ₦200.
    const { id } = await shared(1_000, [50, 30])
    expect(await shares()).toEqual([50_000n, 30_000n])
    const { available } = await wallet()
    const { data } = (await refund({ transactionId: id, amount: 100.1 })).body
    const code = expect.stringMatching(/^ACCT_/)
    expect(data.shares).toEqual([
      { subaccount: expect.any(Number), subaccountCode: code, amount: 50.05, amountMinor: 5_005 },
      { subaccount: expect.any(Number), subaccountCode: code, amount: 30.03, amountMinor: 3_003 },
    ])
    expect(await shares()).toEqual([44_995n, 26_997n])
    expect(await wallet()).toEqual({ available: available - 20.02, held: 100.1 })
    const split = async () => {
      const { body } = await get(`/api/transaction-service/external/v1/fetch/${id}`)
      return body.data.split.map((one: { refundedAmount: number }) => one.refundedAmount)
    }
    expect(await split()).toEqual([50.05, 30.03])

    await simulate(data.reference, 'failed')
    expect(await shares()).toEqual([50_000n, 30_000n])
    expect(await split()).toEqual([0, 0])
    expect(await wallet()).toEqual({ available, held: 0 })
    expect(
      await db.many`
        select kind, amount_minor from subaccount_entries
        where business_id = ${businessId} order by subaccount_id, id`,
    ).toEqual([
      { kind: 'share', amount_minor: 50_000n },
      { kind: 'refund', amount_minor: -5_005n },
      { kind: 'refund_failed', amount_minor: 5_005n },
      { kind: 'share', amount_minor: 30_000n },
      { kind: 'refund', amount_minor: -3_003n },
      { kind: 'refund_failed', amount_minor: 3_003n },
    ])
    const { reference } = (await refund({ transactionId: id })).body.data
    expect(await shares()).toEqual([0n, 0n])
    await simulate(reference, 'success')
    expect(await wallet()).toEqual({ available: available - 200, held: 0 })
    expect(await told()).toEqual([
      ...['refund.pending', 'refund.failed'],
      ...['refund.pending', 'refund.processed', 'wallet.debited'],
    ])
  })

  test('201 includes the fee that the customer paid on top; the business pays it', async () => {
    const { paid, refund, wallet } = await shop({ feeBearer: 'customer' })
    const { available } = await wallet()
    // 1.5 % of 2,000.
    const { id } = await paid(2_000, 2_030)
    const { body } = await refund({ transactionId: id })
    expect(body.data.amount).toBe(2_030)
    await pass()
    expect(await wallet()).toEqual({ available: available - 30, held: 0 })
  })

  test('201 notifies the payable in the same transaction', async () => {
    const { paid, refund } = await shop()
    const { id } = await paid(500)
    const heard: RefundedPayment[] = []
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const options = { db, ids, clock, log, simulatorDelayMs: 0, nudge: () => {} }
    const invoice = {
      lock: async () => {},
      receive: async () => ({ applied_minor: 0n, events: [] }),
      refunded: async (_tx: unknown, given: RefundedPayment) => {
        heard.push(given)
        return []
      },
    }
    const simulator = openSimulator(options)
    const providers = openProviders(db, { simulator })
    const kind = refundOrders({ ...options, payables: { invoice } })
    const { run } = orderJob({ ...options, providers }, kind)
    for (const amount of [200, 300]) {
      const { body } = await refund({ transactionId: id, amount })
      await run(db, clock.now())
      await db.run`update simulator_orders set status = 'Successful', due_at = null
        where reference = ${sentReferenceOf(body.data.reference, 1)}`
      clock.advance(61_000)
      await run(db, clock.now())
    }
    expect(heard.map(({ isFull, transaction }) => [isFull, transaction.status])).toEqual([
      [false, 'PartiallyRefunded'],
      [true, 'Refunded'],
    ])
  })
})

describe('errors of POST refunds', () => {
  test.each([
    [{}, 'transactionId'],
    [{ transactionId: 'x' }, 'transactionId'],
    [{ transactionId: 1.5 }, 'transactionId'],
    [{ transactionId: null }, 'transactionId'],
    [{ transactionReference: '' }, 'transactionReference'],
    [{ transactionReference: 'x'.repeat(65) }, 'transactionReference'],
    [{ transactionReference: 7 }, 'transactionReference'],
    [{ amount: 0 }, 'amount'],
    [{ amount: -1 }, 'amount'],
    [{ amount: 1.005 }, 'amount'],
    [{ amount: '1e3' }, 'amount'],
    [{ amount: true }, 'amount'],
    [{ amount: 1e12 }, 'amount'],
    [{ amount: 100.01 }, 'amount'],
    [{ reason: ' ' }, 'reason'],
    [{ reason: 'two\nlines' }, 'reason'],
    [{ reason: 'x'.repeat(201) }, 'reason'],
    [{ reference: '' }, 'reference'],
    [{ reference: 'short' }, 'reference'],
    [{ reference: 'RFD_0123456789abcdefghij' }, 'reference'],
    [{ reference: 'TRF_0123456789abcdefghij' }, 'reference'],
    [{ reference: 'STL_0123456789abcdefghij' }, 'reference'],
    [{ reference: 'x'.repeat(65) }, 'reference'],
    [{ reference: 'with space' }, 'reference'],
  ])('400 for %j names %s, and stores nothing', async (fields, field) => {
    const { paid, refund, rows, wallet } = await shop()
    const { id } = await paid(100)
    const before = await wallet()
    const isOfField = field === 'transactionId' || field === 'transactionReference'
    const { status, body } = await refund(isOfField ? fields : { transactionId: id, ...fields })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect([await rows(), await wallet()]).toEqual([0, before])
  })

  test('400 for the id and reference of different payments', async () => {
    const { paid, refund, rows } = await shop()
    const [one, other] = [await paid(100), await paid(100)]
    const { status, body } = await refund({
      transactionId: one.id,
      transactionReference: other.reference,
    })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['transactionReference']])
    expect(await rows()).toBe(0)
  })

  test('404 for an unknown payment, another business, and the other mode', async () => {
    const [mine, other] = [await shop(), await shop()]
    const { id, reference } = await other.paid(100)
    const live = server.as(other.keys.liveSecret)
    const answers = [
      await mine.refund({ transactionId: 999_999_999 }),
      await mine.refund({ transactionId: id }),
      await mine.refund({ transactionReference: reference }),
      await live.post(REFUNDS, { transactionId: id }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.errorCode]).toEqual([404, 'transaction_not_found'])
      expect(Object.values(body.errors)).toEqual([['does not exist']])
    }
    expect(await other.rows()).toBe(0)
  })

  test('409 for a payment that is not Successful, or was not received by Tradepost', async () => {
    const { post, invoice, transactionOf, refund, rows } = await shop()
    const refused = async (reference: string, says: RegExp) => {
      const { id } = await transactionOf(reference)
      const { status, body } = await refund({ transactionId: id, amount: 1 })
      expect([status, body.errorCode]).toEqual([409, 'transaction_state'])
      expect(body.message).toMatch(says)
    }
    const unpaid = await invoice(500)
    await unpaid.page('/pay', { channel: 'USSD' })
    await refused(unpaid.reference, /is Pending/)
    await unpaid.page('/simulate', { outcome: 'failed' })
    await refused(unpaid.reference, /is Failed/)
    const late = await invoice(500)
    await late.page('/pay', { channel: 'USSD' })
    clock.advance(11 * 60_000)
    await server.runJob('transaction-expiry')
    await refused(late.reference, /is Abandoned/)
    const cash = await invoice(500)
    await post(`/api/payment-service/v1/invoices/${cash.reference}/mark-paid`)
    await refused(cash.reference, /did not receive this payment/)
    expect(await rows()).toBe(0)
  })

  test('400 for more than the wallet has left, and holds nothing', async () => {
    const { post, paid, refund, wallet, rows, payment, told } = await shop()
    const { id } = await paid(10_000)
    const { available } = await wallet()
    const account = { bankCode: '058', accountNumber: '0000000006' }
    // The fee is ₦50.
    await post(TRANSFERS, { ...account, amount: available - 50 - 99 })
    const { status, body } = await refund({ transactionId: id, amount: 100 })
    expect([status, body.errorCode]).toEqual([400, 'insufficient_balance'])
    expect(body.message).toBe('Insufficient balance: ₦100.00 needed, ₦99.00 available.')
    expect([await rows(), await told(), (await wallet()).available]).toEqual([0, [], 99])
    expect(await payment(id)).toMatchObject({ refunding_minor: 0n })
    expect((await refund({ transactionId: id, amount: 99 })).status).toBe(201)
  })

  test('400 names the subaccount whose shares were already settled', async () => {
    const { businessId, post, stall, pay, settle } = await openMarket(server)
    const { code, page } = await stall()
    const { id } = await pay(1_000, page)
    await settle()
    const { status, body } = await post(REFUNDS, { transactionId: id, amount: 100 })
    expect([status, body.errorCode]).toEqual([400, 'insufficient_balance'])
    const figures = '₦50.00 needed, ₦0.00 available'
    expect(body.message).toBe(
      `Insufficient balance in ${code}, whose shares have already been settled: ${figures}.`,
    )
    expect(body.errors).toEqual({ amount: [`is more than the balance of ${code}: ${figures}`] })
    expect(await db.many`select 1 from refunds where business_id = ${businessId}`).toEqual([])
  })

  test('409 for a used reference, whatever the other fields', async () => {
    const { paid, refund, rows } = await shop()
    const { id } = await paid(100)
    const reference = 'order-17.A_b'
    expect((await refund({ transactionId: id, reference })).body.data.reference).toBe(reference)
    const { status, body } = await refund({ transactionId: id, reference })
    expect([status, body.errorCode]).toEqual([409, 'refund_reference_used'])
    expect(Object.keys(body.errors)).toEqual(['reference'])
    const other = await paid(100)
    expect((await refund({ transactionId: other.id, reference })).status).toBe(409)
    expect(await rows()).toBe(1)
    const elsewhere = await shop()
    const { id: theirs } = await elsewhere.paid(100)
    expect((await elsewhere.refund({ transactionId: theirs, reference })).status).toBe(201)
  })

  test('201 is replayed by its Idempotency-Key; 422 with another body', async () => {
    const { paid, refund, rows } = await shop()
    const { id } = await paid(100)
    const key = { 'idempotency-key': 'refund-1' }
    const first = await refund({ transactionId: id, amount: 60 }, key)
    const other = await refund({ transactionId: id, amount: 40 }, key)
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['Idempotency-Key']])
    const same = await refund({ transactionId: id, amount: '60.00' }, key)
    expect([same.status, same.text]).toEqual([201, first.text])
    expect(same.headers.get('idempotent-replayed')).toBe('true')
    expect(await rows()).toBe(1)
  })

  test('403 with a key that can only read; 401 without a key', async () => {
    const { businessId, keys, paid, refund, find } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id, amount: 1 })).body.data
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, { businessId, live: false }, { scopes: ['refunds:read'] }, clock.now()),
    )
    const reader = server.as(key)
    expect((await reader.get(`${REFUNDS}?transactionId=${id}`)).body.meta.total).toBe(1)
    expect((await reader.post(REFUNDS, { transactionId: id })).status).toBe(403)
    expect((await server.as(keys.testPublic).post(REFUNDS, { transactionId: id })).status).toBe(401)
    expect((await find(reference)).status).toBe(200)
  })
})
