import { afterAll, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { CHECKOUT, openShop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

afterAll(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000
const countOf = async (businessId: number) => {
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from checkouts where business_id = ${businessId}`
  return n
}

describe('POST initialize-checkout', () => {
  test('201 for an amount, in both families, returns the whole record', async () => {
    const shop = await openShop(server)
    const { status, body } = await shop.begin({ amount: '2500.50', metadata: { cart: 7 } })
    expect(status).toBe(201)
    const { data } = body
    expect(data).toEqual({
      id: expect.any(Number),
      reference: expect.stringMatching(/^CHK_\w{20}$/),
      status: 'Pending',
      state: 'Open',
      accessCode: expect.stringMatching(/^[0-9a-z]+t-[0-9a-z]+-\w{22}$/),
      authorizationUrl: `http://127.0.0.1/checkout/${data.accessCode}`,
      amount: 2500.5,
      amountMinor: 250050,
      currency: 'NGN',
      feeBearer: 'business',
      channels: ['BANK_TRANSFER', 'USSD', 'CARD'],
      customer: { email: 'ada@example.com', name: null, phone: null },
      customFields: [],
      pageId: null,
      orderId: null,
      orderReference: null,
      shippingAddress: null,
      splitPageId: null,
      subaccountCode: null,
      callbackUrl: null,
      metadata: { cart: 7 },
      transactionId: expect.any(Number),
      transactionReference: expect.stringMatching(/^TRX_/),
      expiresAt: expect.any(String),
      paidAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(Date.parse(data.expiresAt) - Date.parse(data.createdAt)).toBe(30 * MINUTE_MS)
    expect(await shop.seen(data.reference)).toEqual(data)
    const plain = await shop.post(CHECKOUT.replace('/external', ''), {
      customerEmail: 'ada@example.com',
      amount: 10,
    })
    expect(plain.status).toBe(201)
    expect(await shop.transaction(data.transactionId)).toMatchObject({
      amount: 2500.5,
      status: 'Pending',
      metadata: { cart: 7 },
      pageId: null,
    })
    expect(await shop.eventsOf(data.transactionId)).toEqual(['transaction.pending'])
  })

  test('201 computes the total from our prices, discount and delivery, and reserves everything', async () => {
    const shop = await openShop(server)
    const shirt = await shop.product({ price: 5000, quantity: 10 })
    const mug = await shop.product({ name: 'Mug', price: 1500.5, quantity: 4 })
    await shop.deliveryFee(shirt, 'Lagos', '800.00')
    await shop.deliveryFee(shirt, 'Everywhere', '2500.00')
    await shop.deliveryFee(mug, 'lagos', '1200.00')
    await shop.discount()
    const begun = await shop.begun({
      products: [
        { productId: shirt, quantity: 2 },
        { productId: Number(mug), quantity: 1 },
        { productId: shirt, quantity: 1 },
      ],
      discountCode: ' ten ',
      deliveryLocation: 'LAGOS',
      deliveryAddress: '1 Broad Street',
      customerName: 'Ada Obi',
      customerPhone: '+234 803 000 0000',
    })
    // 16,500.50 less 10 %, plus the higher of the two fees.
    expect(begun).toMatchObject({ amountMinor: 16_500_50 - 1_650_05 + 1_200_00 })
    expect(await shop.order(begun.orderReference)).toMatchObject({
      id: begun.orderId,
      status: 'Pending',
      transactionId: begun.transactionId,
      customer: { email: 'ada@example.com', name: 'Ada Obi', phone: '+234 803 000 0000' },
      lines: [
        { productId: shirt, variantId: null, name: 'Shirt', quantity: 2, unitPrice: 5000 },
        { productId: mug, name: 'Mug', quantity: 1, unitPrice: 1500.5, amount: 1500.5 },
        { productId: shirt, quantity: 1, amount: 5000 },
      ],
      subtotal: 16500.5,
      discountCode: 'TEN',
      discount: 1650.05,
      deliveryFee: 1200,
      amount: 16050.45,
      delivery: { location: 'LAGOS', address: '1 Broad Street' },
      downloads: [],
      paidAt: null,
    })
    expect(await shop.stock(shirt)).toMatchObject({ onHand: 10, reserved: 3, available: 7 })
    expect(await shop.eventsOf(begun.orderId)).toEqual(['order.created'])
  })

  test('201 ignores prices, amounts, states and modes in the request', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ price: 5000, quantity: 3 })
    const begun = await shop.begun({
      products: [
        { productId, quantity: 2, price: 1, unitPrice: 1, amount: 1, unit_price_minor: 1 },
      ],
      total: 1,
      amountMinor: 1,
      subtotal: 1,
      discount: 9999,
      deliveryFee: 0,
      status: 'Paid',
      state: 'Paid',
      live: true,
    })
    expect(begun).toMatchObject({ amountMinor: 1_000_000, state: 'Open', status: 'Pending' })
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from checkouts where id = ${begun.id} and not live`
    expect(n).toBe(1)
    const { body } = await shop.account(begun.reference, { amount: 1 })
    expect(body.data.amount).toBe(10_000)
  })

  test('201 uses the price and the stock of the variant', async () => {
    const shop = await openShop(server)
    const options = [{ name: 'Size', values: ['M', 'L'] }]
    const productId = await shop.product({ options, quantity: 5 })
    const { body } = await shop.get(
      `/api/payment-service/v1/products/filter-for-products-variant?productId=${productId}&Size=L`,
    )
    const [{ variantId }] = body.data
    await shop.put('/api/payment-service/v1/products/update-product-variant-details', {
      productId,
      variantId,
      price: 7000,
      quantity: 2,
    })
    const begun = await shop.begun({ products: [{ productId, variantId, quantity: 2 }] })
    expect(begun).toMatchObject({ amount: 14_000 })
    expect((await shop.order(begun.orderReference)).lines).toMatchObject([
      { productId, variantId, name: 'Shirt (L)', unitPrice: 7000 },
    ])
    const more = await shop.begin({ products: [{ productId, variantId, quantity: 1 }] })
    expect([more.status, more.body.errorCode]).toEqual([409, 'out_of_stock'])
    const without = await shop.begin({ products: [{ productId, quantity: 1 }] })
    expect(without.status).toBe(400)
    expect(Object.keys(without.body.errors)).toEqual(['products.0.variantId'])
    const foreign = await shop.product({ name: 'Cap', options, quantity: 1 })
    const wrong = await shop.begin({ products: [{ productId: foreign, variantId, quantity: 1 }] })
    expect([wrong.status, wrong.body.errorCode]).toEqual([404, 'product_variant_not_found'])
  })

  test('201 on a page: fixed amount, chosen amount, minimum, and its products', async () => {
    const shop = await openShop(server)
    const fixed = await shop.page()
    expect(await shop.begun({ pageId: fixed })).toMatchObject({ amount: 1000, pageId: fixed })
    expect(await shop.begun({ pageId: fixed, amount: 1000 })).toMatchObject({ amount: 1000 })
    const variable = await shop.page({ amountType: 'variable', amount: undefined })
    expect(await shop.begun({ pageId: variable, amount: 77 })).toMatchObject({ amount: 77 })
    const minimum = await shop.page({ amountType: 'minimum', amount: 500 })
    expect(await shop.begun({ pageId: minimum, amount: 500 })).toMatchObject({ amount: 500 })
    const productId = await shop.product()
    const sells = await shop.page({ productIds: productId })
    const products = [{ productId, quantity: 2 }]
    expect(await shop.begun({ pageId: sells, products })).toMatchObject({ amount: 10_000 })
    expect(await shop.pageCounts(fixed)).toMatchObject({ checkouts: 2, open_checkouts: 2 })

    const other = await shop.product({ name: 'Other' })
    for (const [body, field] of [
      [{ pageId: fixed, amount: 999 }, 'amount'],
      [{ pageId: variable }, 'amount'],
      [{ pageId: minimum, amount: 499.99 }, 'amount'],
      [{ pageId: sells }, 'products'],
      [{ pageId: sells, products: [{ productId: other, quantity: 1 }] }, 'products.0.productId'],
    ] as const) {
      const reply = await shop.begin(body)
      expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, [field]])
    }
  })

  test('409 for a used reference, with the state of the checkout that uses it', async () => {
    const shop = await openShop(server)
    const reference = 'order-2041'
    expect(await shop.begun({ amount: 100, reference })).toMatchObject({ reference })
    const open = await shop.begin({ amount: 100, reference })
    expect([open.status, open.body.errorCode]).toEqual([409, 'checkout_reference_used'])
    expect(open.body.message).toContain('Pending')
    await shop.paid(reference)
    expect((await shop.begin({ amount: 9, reference })).body.message).toContain('Successful')
    const other = await openShop(server)
    expect(await other.begun({ amount: 100, reference })).toMatchObject({ reference })
  })

  test('201 once for one Idempotency-Key, byte for byte; 422 with another body', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 10 })
    const body = { products: [{ productId, quantity: 1 }] }
    const key = { 'idempotency-key': 'cart-7' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => shop.begin(body, key)))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await countOf(shop.businessId)).toBe(1)
    expect(await shop.stock(productId)).toMatchObject({ reserved: 1 })
    expect((await shop.begin({ ...body, customerName: 'Bola' }, key)).status).toBe(422)
  })
})
