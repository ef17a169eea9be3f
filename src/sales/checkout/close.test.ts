import { afterAll, describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { CHECKOUT, openShop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server

afterAll(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000

describe('POST initialize-checkout/{reference}/cancel', () => {
  test('200 releases everything once; 409 after that', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 5 })
    const pageId = await shop.page({ productIds: productId, maxPayments: 1 })
    await shop.discount({ maxUses: 1 })
    const products = [{ productId, quantity: 5 }]
    const body = { pageId, products, discountCode: 'TEN' }
    const begun = await shop.begun(body)
    const path = `${CHECKOUT}/${begun.reference}/cancel`
    const replies = await times(10, () => untilDone(() => shop.post(path)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(replies.find(({ status }) => status === 200)!.body.data).toMatchObject({
      status: 'Abandoned',
      state: 'Cancelled',
    })
    expect(replies.find(({ status }) => status === 409)!.body.errorCode).toBe('checkout_state')
    expect(await shop.stock(productId)).toMatchObject({ reserved: 0, available: 5 })
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Cancelled' })
    expect(await shop.eventsOf(begun.transactionId)).toEqual([
      'transaction.pending',
      'transaction.abandoned',
    ])
    expect(await shop.begun(body)).toMatchObject({ state: 'Open' })
    expect((await shop.account(begun.reference)).status).toBe(409)
  })
})

describe('a checkout past its expiry, before the job runs', () => {
  test('200 is Expired, not Open; 409 for cancelling it, which changes nothing', async () => {
    const shop = await openShop(server)
    const { reference } = await shop.begun({ amount: 100, expiresInMinutes: 5 })
    clock.advance(4 * MINUTE_MS)
    expect(await shop.seen(reference)).toMatchObject({ state: 'Open' })
    clock.advance(MINUTE_MS)
    expect(await shop.seen(reference)).toMatchObject({ state: 'Expired' })
    const { status, body } = await shop.post(`${CHECKOUT}/${reference}/cancel`)
    expect([status, body.errorCode]).toEqual([409, 'checkout_state'])
    expect(body.message).toContain('is Expired')
    const row = await db.one`select status from checkouts where reference = ${reference}`
    expect(row).toEqual({ status: 'Open' })
    await runJob('checkout-expiry')
    expect(await shop.seen(reference)).toMatchObject({ state: 'Expired', status: 'Abandoned' })
  })
})

describe('the expiry of checkouts', () => {
  test('releases everything once, after the expiry and not before', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 5 })
    const pageId = await shop.page({ productIds: productId })
    const products = [{ productId, quantity: 2 }]
    const begun = await shop.begun({ pageId, products, expiresInMinutes: 10 })
    clock.advance(9 * MINUTE_MS)
    await runJob('checkout-expiry')
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Open' })
    clock.advance(2 * MINUTE_MS)
    await Promise.all([
      runJob('checkout-expiry'),
      runJob('checkout-expiry'),
      runJob('transaction-expiry'),
    ])
    expect(await shop.seen(begun.reference)).toMatchObject({
      state: 'Expired',
      status: 'Abandoned',
    })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 0 })
    expect(await shop.pageCounts(pageId)).toMatchObject({ checkouts: 1, open_checkouts: 0 })
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Cancelled' })
  })

  test('releases goods to others after 15 minutes, and takes them again if the payer pays then', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const products = [{ productId, quantity: 1 }]
    const slow = await shop.begun({ products, expiresInMinutes: 60 })
    clock.advance(16 * MINUTE_MS)
    await runJob('stock-expiry')
    expect(await shop.stock(productId)).toMatchObject({ available: 1 })
    expect((await shop.account(slow.reference)).status).toBe(200)
    expect(await shop.stock(productId)).toMatchObject({ available: 0 })
    const late = await shop.begin({ products })
    expect(late.status).toBe(409)
  })

  test('409 for starting a payment when someone else has bought the goods', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const products = [{ productId, quantity: 1 }]
    const slow = await shop.begun({ products, expiresInMinutes: 60 })
    clock.advance(16 * MINUTE_MS)
    await runJob('stock-expiry')
    await shop.begun({ products })
    const { status, body } = await shop.account(slow.reference)
    expect([status, body.errorCode]).toEqual([409, 'out_of_stock'])
  })
})
