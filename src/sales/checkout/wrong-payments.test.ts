import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { makeSplitPage } from '../../payments/attempts/attempts.fixture.ts'
import { approved, goods, openShop, payer, refundsArrive, type Shop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, runJob } = server
const { view, choose } = payer(server)

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000
const UPDATE_PRODUCT = '/api/payment-service/external/v1/products/update-product-details'
const DELETE_PRODUCT = '/api/payment-service/external/v1/products/delete-product'

/** Restarts a checkout as its payer, and returns the status of the response. */
async function reopen(accessCode: string): Promise<number> {
  const path = `${server.url}/checkout/${accessCode}/again`
  return (await fetch(path, { method: 'POST', redirect: 'manual' })).status
}

describe('too much, too little, late and duplicate payments', () => {
  test('too much, too little and a second deposit are sent back, as the policy says', async () => {
    const shop = await openShop(server)
    const { reference } = await shop.begun({ amount: 1000 })
    const { body } = await shop.account(reference)
    const { accountNumber } = body.data
    expect(await shop.deposit(accountNumber, 999)).toMatchObject({ reason: 'amount_too_low' })
    expect(await shop.deposit(accountNumber, 1001)).toMatchObject({ reason: 'amount_too_high' })
    expect(await shop.deposit(accountNumber, 1000)).toMatchObject({ accepted: true })
    expect(await shop.deposit(accountNumber, 1000)).toMatchObject({ reason: 'already_paid' })
  })

  test('an excess that the business accepts is owed back', async () => {
    const shop = await openShop(server, { settings: { virtualAccountPolicy: 'accept_over' } })
    const begun = await shop.begun({ amount: 1000 })
    await shop.paid(begun.reference, 1200)
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ overpaidAmount: 200 })
    expect(await view(begun.accessCode)).toMatchObject({
      status: 'Paid',
      owed: { amountMinor: 20_000n, state: 'Kept' },
    })
  })

  test('a part is sent back even if the business accepts parts for invoices', async () => {
    const shop = await openShop(server, { settings: { virtualAccountPolicy: 'accept_partial' } })
    const { id: splitPageId } = await makeSplitPage(shop.post, [50])
    const { products } = await goods(shop)
    const begun = await shop.begun({ products, splitPageId })
    expect(await shop.paid(begun.reference, 0.01)).toMatchObject({
      accepted: false,
      reason: 'amount_too_low',
    })
    const { body } = await shop.account(begun.reference)
    expect(body.data.amount).toBe(10_000)
    expect(await shop.deposit(body.data.accountNumber, 10_000)).toMatchObject({ accepted: true })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
    expect((await shop.transaction(body.data.transactionId)).split).toMatchObject([
      { amount: 5000 },
    ])
  })

  test('a second payment by another channel is kept as an overpayment', async () => {
    const shop = await openShop(server)
    const { products, productId } = await goods(shop)
    const begun = await shop.begun({ products })
    const ussd = await choose(begun, 'USSD')
    const { body } = await shop.account(begun.reference)
    expect(await shop.deposit(body.data.accountNumber, 10_000)).toMatchObject({ accepted: true })
    await approved(shop, ussd.reference)
    expect(await shop.transaction(begun.transactionId)).toMatchObject({
      status: 'Successful',
      overpaidAmount: 10_000,
    })
    expect(await shop.seen(begun.reference)).toMatchObject({
      transactionId: body.data.transactionId,
    })
    expect(await shop.stock(productId)).toMatchObject({ sold: 2, reserved: 0 })
    expect(await shop.eventsOf(begun.orderId)).toEqual(['order.created', 'order.paid'])
    // Refunding the second payment leaves the order unchanged.
    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Paid' })
    expect(await view(begun.accessCode)).toMatchObject({ owed: { state: 'Refunded' } })
  })

  const late = async (shop: Shop, body: Record<string, unknown>) => {
    const begun = await shop.begun({ ...body, expiresInMinutes: 10 })
    const { reference } = await choose(begun, 'USSD')
    clock.advance(11 * MINUTE_MS)
    await runJob('transaction-expiry')
    await runJob('checkout-expiry')
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Expired' })
    return { begun, approve: () => approved(shop, reference) }
  }

  test('a late payment counts if everything is still available', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const pageId = await shop.page({ productIds: productId, maxPayments: 1 })
    await shop.discount({ maxUses: 1 })
    const { begun, approve } = await late(shop, { pageId, products, discountCode: 'TEN' })
    await approve()
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ late: true })
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Paid' })
    expect(await shop.stock(productId)).toEqual({ onHand: 3, reserved: 0, available: 3, sold: 2 })
    expect(await shop.pageCounts(pageId)).toMatchObject({ open_checkouts: 0, payments: 1 })
  })

  interface Scarce {
    stock?: number
    maxUses?: number
    maxPayments?: number
  }
  test.each<[string, Scarce]>([
    ['the goods are gone', { stock: 2 }],
    ['the discount is used up', { maxUses: 1 }],
    ['the page has reached its payment limit', { maxPayments: 1 }],
  ])(
    'a late payment is refunded automatically when %s',
    async (_title, { stock = 9, maxUses, maxPayments }) => {
      const shop = await openShop(server)
      const { productId, products } = await goods(shop, stock)
      const pageId = await shop.page({ productIds: productId, ...(maxPayments && { maxPayments }) })
      await shop.discount({ ...(maxUses && { maxUses }) })
      const body = { pageId, products, discountCode: 'TEN' }
      const { begun, approve } = await late(shop, body)
      const other = await shop.begun(body)
      await shop.paid(other.reference)
      const before = await shop.stock(productId)
      await approve()

      expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Expired' })
      expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Cancelled' })
      expect(await shop.stock(productId)).toEqual(before)
      expect(await view(begun.accessCode)).toMatchObject({
        status: 'Expired',
        owed: { amountMinor: 900_000n, state: 'Refunding' },
      })
      await refundsArrive(server)
      expect(await shop.transaction(begun.transactionId)).toMatchObject({
        status: 'Refunded',
        late: true,
        refundedAmount: 9000,
      })
      expect(await view(begun.accessCode)).toMatchObject({ owed: { state: 'Refunded' } })
    },
  )

  test('409 to start again once the product is deleted, and a late payment is refunded', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ type: 'digital' })
    const products = [{ productId, quantity: 1 }]
    const { begun, approve } = await late(shop, { products })
    await shop.post(DELETE_PRODUCT, { productId })
    await approve()
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Expired' })
    await refundsArrive(server)
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ status: 'Refunded' })
    expect(await reopen(begun.accessCode)).toBe(409)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Cancelled' })
  })

  test.each<[string, (shop: Shop) => Promise<Record<string, unknown>>, number]>([
    [
      'split page',
      async (shop) => ({ splitPageId: (await makeSplitPage(shop.post, [50])).id }),
      5000,
    ],
    ['subaccount', async (shop) => ({ subaccountCode: (await shop.subaccount()).code }), 9750],
  ])(
    '200 a payment after an automatic refund gives a %s its whole share',
    async (_title, sharing, share) => {
      const shop = await openShop(server)
      const { productId, products } = await goods(shop, 2)
      const { begun, approve } = await late(shop, { products, ...(await sharing(shop)) })
      const other = await shop.begun({ products })
      await shop.paid(other.reference)
      await approve()
      await refundsArrive(server)
      expect(await shop.transaction(begun.transactionId)).toMatchObject({ status: 'Refunded' })

      const restocked = await shop.put(UPDATE_PRODUCT, { productId, quantity: 9 })
      expect(restocked).toMatchObject({ status: 200 })
      expect(await reopen(begun.accessCode)).toBe(303)
      const { body } = await shop.account(begun.reference)
      const { accountNumber, transactionId } = body.data
      expect((await shop.transaction(transactionId)).split).toMatchObject([{ amount: share }])
      expect(await shop.deposit(accountNumber, 10_000)).toMatchObject({ accepted: true })
      const { status, split } = await shop.transaction(transactionId)
      expect({ status, split }).toMatchObject({ status: 'Successful', split: [{ amount: share }] })
    },
  )
})

describe('refunds', () => {
  test('a full one returns goods and discount and revokes files; a partial one does nothing', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const { id: discountId } = await shop.discount({ maxUses: 1 })
    const begun = await shop.begun({ products, discountCode: 'TEN' })
    await shop.paid(begun.reference)
    await shop.refund(begun.transactionId, 4000)
    await refundsArrive(server)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Paid' })
    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Refunded' })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Refunded' })
    expect(await shop.stock(productId)).toEqual({ onHand: 5, reserved: 0, available: 5, sold: 0 })
    expect(await shop.eventsOf(begun.orderId)).toEqual([
      'order.created',
      'order.paid',
      'order.refunded',
    ])
    expect((await shop.eventsOf(discountId)).length).toBe(3)
    expect(await shop.begun({ products, discountCode: 'TEN' })).toMatchObject({ state: 'Open' })
    expect(await view(begun.accessCode)).toMatchObject({ isRefunded: true, downloads: [] })
  })
})
