import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { makeSplitPage } from '../../payments/attempts/attempts.fixture.ts'
import { approved, goods, openShop, payer } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { view, choose } = payer(server)

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

describe('a payment in full', () => {
  test('marks the checkout Paid, with its order, stock, discount, page, wallet and events', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    const pageId = await shop.page({ productIds: productId, maxPayments: 2 })
    const { id: discountId } = await shop.discount({ maxUses: 1 })
    const begun = await shop.begun({ pageId, products, discountCode: 'TEN' })
    expect(await shop.paid(begun.reference)).toMatchObject({ accepted: true })

    expect(await shop.seen(begun.reference)).toMatchObject({
      status: 'Successful',
      state: 'Paid',
      amount: 9000,
      paidAt: expect.any(String),
    })
    expect(await shop.order(begun.orderReference)).toMatchObject({
      status: 'Paid',
      discount: 1000,
      amount: 9000,
      paidAt: expect.any(String),
    })
    expect(await shop.stock(productId)).toEqual({ onHand: 3, reserved: 0, available: 3, sold: 2 })
    expect(await shop.pageCounts(pageId)).toEqual({
      checkouts: 1,
      open_checkouts: 0,
      payments: 1,
      amount_minor: 900_000n,
    })
    expect(await shop.eventsOf(begun.orderId)).toEqual(['order.created', 'order.paid'])
    expect(await shop.eventsOf(discountId)).toEqual([
      'discount.created',
      'discount.redeemed',
      'discount.exhausted',
    ])
    expect(await shop.transaction(begun.transactionId)).toMatchObject({
      status: 'Successful',
      channel: 'BANK_TRANSFER',
      netAmount: 9000 - 235,
      pageId,
      orderId: begun.orderId,
    })
    const again = await shop.begin({ pageId, products, discountCode: 'TEN' })
    expect([again.status, again.body.errors]).toEqual([400, { discountCode: ['exhausted'] }])
  })

  test('asks the payer for the fee on top if the payer pays it', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 1000, feeBearer: 'customer' })
    const { body } = await shop.account(begun.reference)
    expect(body.data.amount).toBe(1015)
    expect(await shop.deposit(body.data.accountNumber, 1000)).toMatchObject({
      accepted: false,
      reason: 'amount_too_low',
    })
    expect(await shop.deposit(body.data.accountNumber, 1015)).toMatchObject({ accepted: true })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', amount: 1000 })
  })

  test('happens at once if nothing is due, without a transaction', async () => {
    const shop = await openShop(server)
    const { productId, products } = await goods(shop)
    await shop.discount({ code: 'ALL', value: 100 })
    const { body, status } = await shop.begin({ products, discountCode: 'ALL' })
    expect([status, body.data.status, body.data.state]).toEqual([201, 'Successful', 'Paid'])
    expect(body.data).toMatchObject({ amount: 0, transactionId: null })
    expect(await shop.stock(productId)).toMatchObject({ sold: 2, reserved: 0 })
    expect(await shop.eventsOf(body.data.orderId)).toEqual(['order.created', 'order.paid'])
    expect((await shop.account(body.data.reference)).status).toBe(409)
  })

  test('200 is verified by the reference of the checkout', async () => {
    const shop = await openShop(server)
    const { reference, transactionId } = await shop.begun({ amount: 100, reference: 'cart-8812' })
    await shop.paid(reference)
    const path = `/api/transaction-service/external/v1/transactions/verify/${reference}`
    expect((await shop.get(path)).body.data).toMatchObject({
      id: transactionId,
      status: 'Successful',
    })
    expect((await shop.live.get(path)).status).toBe(404)
    expect((await server.get(path)).status).toBe(404)
  })

  test('is shared as fixed at creation, whichever channel is chosen', async () => {
    const shop = await openShop(server)
    const { id: splitPageId, subaccounts } = await makeSplitPage(shop.post, [25, 15])
    const begun = await shop.begun({ amount: 1000, splitPageId, feeBearer: 'subaccounts' })
    const { reference } = await choose(begun, 'USSD')
    await approved(shop, reference)
    const { split, channel } = await shop.transaction(begun.transactionId)
    expect(channel).toBe('USSD')
    expect(split).toMatchObject([
      { subaccount: subaccounts[0], share: 25, amount: 250, fee: 9.38 },
      { subaccount: subaccounts[1], share: 15, amount: 150, fee: 5.62 },
    ])
  })

  test('of a subaccount leaves the business its percentage', async () => {
    const shop = await openShop(server)
    const { code, id } = await shop.subaccount({ percentage_charge: 2.5 })
    const begun = await shop.begun({ amount: 1000.01, subaccountCode: code })
    expect(begun).toMatchObject({ subaccountCode: code })
    await shop.paid(begun.reference)
    expect((await shop.transaction(begun.transactionId)).split).toMatchObject([
      { subaccount: id, subaccountCode: code, share: 97, amount: 975 },
    ])
  })
})

describe('the ways to pay', () => {
  test('the first attempt, which no provider knows, takes the chosen channel', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 5000 })
    expect((await view(begun.accessCode)).payment).toBeUndefined()
    expect((await shop.transaction(begun.transactionId)).channel).toBe('BANK_TRANSFER')
    const ussd = await choose(begun, 'USSD')
    expect(ussd).toMatchObject({ channel: 'USSD', outcome: 'Pending', amountMinor: 500_000n })
    expect(await shop.transaction(begun.transactionId)).toMatchObject({ channel: 'USSD' })

    const transfer = await choose(begun, 'BANK_TRANSFER')
    expect(transfer.reference).not.toBe(ussd.reference)
    expect(await shop.seen(begun.reference)).toMatchObject({
      transactionReference: transfer.reference,
    })
    // Going back shows the code that is still open.
    const page = `${server.url}/checkout/${begun.accessCode}`
    await fetch(`${page}/cancel-payment`, { method: 'POST', redirect: 'manual' })
    expect((await view(begun.accessCode)).payment).toBeUndefined()
    expect((await choose(begun, 'USSD')).reference).toBe(ussd.reference)
    await approved(shop, ussd.reference)
    expect(await shop.seen(begun.reference)).toMatchObject({
      state: 'Paid',
      transactionId: begun.transactionId,
      status: 'Successful',
    })
  })

  test('409 for a channel that is not offered', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 100, channels: ['USSD', 'USSD'] })
    expect(begun).toMatchObject({ channels: ['USSD'] })
    const { status, body } = await shop.account(begun.reference)
    expect(status).toBe(409)
    expect(body.errorCode).toBe('channel_not_offered')
  })

  test('200 leaves it open for another channel after a decline', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 5000 })
    const { reference } = await choose(begun, 'USSD')
    await shop.post('/api/simulator/ussd', { reference, outcome: 'failed' })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Open', status: 'Failed' })
    expect((await view(begun.accessCode)).payment).toMatchObject({ outcome: 'Failed' })
    await shop.paid(begun.reference)
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
  })
})
