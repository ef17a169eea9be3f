import { afterEach, describe, expect, test } from 'vitest'
import { FAR_MS, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openShop, REFUNDS } from './refunds.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const proxy = await startProxy(server.connection)
const far = await startSecond(server, { connection: proxy.connection, connectionsMax: 10 })

afterEach(async () => {
  proxy.slow(0)
  expect(await findings(server)).toEqual([])
})

type Shop = Awaited<ReturnType<typeof openShop>>

/** The payments of ₦100 that concurrent refunds take from. */
const payments = {
  'a payment': (shop: Shop) => shop.paid(100),
  'a payment with three shares': (shop: Shop) => shop.shared(100, [33, 33, 33]),
  'a payment with three shares that pay the fee': (shop: Shop) =>
    shop.shared(100, [33, 33, 33], 'subaccounts'),
}

/** Lets all ordered refunds succeed. */
async function arrive() {
  await server.runJob('refund-orders')
  clock.advance(1_000)
  await server.runJob('simulator')
}

describe.each(Object.entries(payments))(
  '50 concurrent refunds of 60, of %s of 100',
  (_title, pay) => {
    test.each([
      ['near', server.url, 0],
      ['far away', far.url, FAR_MS],
    ])(
      '201 once, with a database that is %s',
      { timeout: 60_000 },
      async (_where, url, delayMs) => {
        const shop = await openShop(server)
        const { id } = await pay(shop)
        const { post } = callerWith(url, shop.keys.testSecret)
        proxy.slow(delayMs)
        const replies = await times(50, () =>
          untilDone(() => post(REFUNDS, { transactionId: id, amount: 60 })),
        )
        proxy.slow(0)

        expect(statusesOf(replies)).toEqual({ 201: 1, '400 refund_exceeds_payment': 49 })
        expect(await shop.rows()).toBe(1)
        expect(await shop.payment(id)).toMatchObject({ refunding_minor: 6_000n })
        expect((await shop.wallet()).held).toBe(60)
        await arrive()
        expect((await shop.refund({ transactionId: id, amount: 40 })).status).toBe(201)
        await arrive()
        expect(await shop.payment(id)).toMatchObject({
          status: 'Refunded',
          refunded_minor: 10_000n,
        })
      },
    )
  },
)

describe('concurrent refunds with odd kobo', () => {
  test('201 returns exactly what three subaccounts and the business had', async () => {
    const shop = await openShop(server)
    const before = (await shop.wallet()).available
    const { id } = await shop.shared(100.07, [33, 33, 33])
    // ₦99.07 minus 50 kobo of the ₦1.50 fee: the business had only ₦1 of this payment to cover it.
    expect(sumOf(await shop.shares())).toBe(9_857n)
    const amounts = Array.from({ length: 100 }, (_, i) => (i + 1) / 100)
    const replies = await times(100, (i) => shop.refund({ transactionId: id, amount: amounts[i]! }))

    expect(statusesOf(replies)).toEqual({ 201: 100 })
    expect(await shop.payment(id)).toMatchObject({ refunding_minor: 5_050n })
    const shared = await db.many<{ refunded_minor: bigint; net_minor: bigint }>`
      select refunded_minor, amount_minor - fee_minor as net_minor
      from transaction_shares where transaction_id = ${id} order by subaccount_id`
    expect(await shop.shares()).toEqual(
      shared.map(({ net_minor, refunded_minor }) => net_minor - refunded_minor),
    )
    for (const { refunded_minor, net_minor } of shared) {
      const fair = Number(5_050n * net_minor) / 10_007
      expect(Math.abs(Number(refunded_minor) - fair)).toBeLessThan(2)
    }
    expect((await shop.refund({ transactionId: id })).status).toBe(201)
    expect(await shop.shares()).toEqual([0n, 0n, 0n])
    // The operator keeps the fee.
    expect((await shop.wallet()).available).toBeCloseTo(before - 1.5, 6)
  })

  test('201 for refunds of 1 kobo each, which empty a payment with three shares', async () => {
    const shop = await openShop(server)
    const { id } = await shop.shared(1, [33, 33, 33])
    const replies = await times(110, () => shop.refund({ transactionId: id, amount: 0.01 }))
    expect(statusesOf(replies)).toEqual({ 201: 100, '400 refund_exceeds_payment': 10 })
    expect(await shop.shares()).toEqual([0n, 0n, 0n])
    expect(await shop.payment(id)).toMatchObject({ refunding_minor: 100n })
  })
})

describe('concurrent refunds of everything left', () => {
  test('201 once', async () => {
    const shop = await openShop(server)
    const { id } = await shop.shared(100, [50, 20])
    await shop.refund({ transactionId: id, amount: 12.34 })
    const replies = await times(20, () => shop.refund({ transactionId: id }))
    expect(statusesOf(replies)).toEqual({ 201: 1, '400 refund_exceeds_payment': 19 })
    const [made] = replies.filter(({ status }) => status === 201)
    expect(made!.body.data.amount).toBe(87.66)
  })
})

describe('concurrent requests with one reference', () => {
  test('201 once, and 409 for the others, for one payment or several', async () => {
    const shop = await openShop(server)
    const [one, other] = [await shop.paid(100), await shop.paid(100)]
    const replies = await times(20, (i) =>
      shop.refund({ transactionId: (i % 2 ? one : other).id, reference: 'refund-42', amount: 60 }),
    )
    expect(statusesOf(replies)).toEqual({ 201: 1, '409 refund_reference_used': 19 })
    expect(await shop.rows()).toBe(1)
  })
})

const SHORT = /^Insufficient balance: ₦[\d,.]+ needed, ₦[\d,.]+ available\.$/

describe('refunds of several payments from one wallet', () => {
  test('201 as often as the balance allows; the errors state what is available', async () => {
    const shop = await openShop(server)
    const paid = await times(12, () => shop.paid(1_000))
    const { available } = await shop.wallet()
    const account = { bankCode: '058', accountNumber: '0000000006' }
    // The fee is ₦50.
    const rest = { ...account, amount: available - 50 - 5_500 }
    await shop.post('/api/transaction-service/external/v1/transfers', rest)
    const replies = await times(12, (i) => shop.refund({ transactionId: paid[i]!.id }))
    expect(statusesOf(replies)).toEqual({ 201: 5, '400 insufficient_balance': 7 })
    for (const { status, body } of replies) {
      if (status === 400) expect(body.message).toMatch(SHORT)
    }
    expect((await shop.wallet()).available).toBe(500)
    expect(await shop.rows()).toBe(5)
  })
})

describe('concurrent reports from the bank', () => {
  test.each([
    ['Successful', 'Processed', false],
    ['Failed', 'Failed', true],
  ])('201 %s counts once', async (answer, status, isBack) => {
    const shop = await openShop(server)
    const { id } = await shop.shared(100, [33, 33, 33])
    const { reference } = (await shop.refund({ transactionId: id, amount: 60 })).body.data
    const before = sumOf(await shop.shares())
    await server.runJob('refund-orders')
    await db.run`update simulator_orders set status = ${answer}, due_at = null, notify = true
      where reference = ${sentReferenceOf(reference, 1)}`
    clock.advance(61_000)
    await times(10, (i) => server.runJob(i % 2 ? 'simulator' : 'refund-orders'))
    expect(await shop.one(reference)).toMatchObject({ status })
    // 60 % of their shares: ₦99 minus 50 kobo of the fee.
    expect(sumOf(await shop.shares()) - before).toBe(isBack ? 5_910n : 0n)
    expect((await shop.wallet()).held).toBe(0)
    expect(await shop.told()).toHaveLength(isBack ? 2 : 3)
  })
})

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
