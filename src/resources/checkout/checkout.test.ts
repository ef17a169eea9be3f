import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { ACCOUNT, CHECKOUT, findings, ORDERS, openShop, SETTINGS } from './testing.ts'

const server = await startServer({ sweepers: false })
const { db, clock, sweep } = server

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
  test('201 for an amount, in both families, answers all that is known of it', async () => {
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
      channels: ['BANK_TRANSFER', 'USSD'],
      customer: { email: 'ada@example.com', name: null, phone: null },
      customFields: [],
      pageId: null,
      orderId: null,
      orderReference: null,
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

  test('201 works the total out of our prices, discount and delivery, and puts all aside', async () => {
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
    // 16,500.50 less 10 %, and the higher of the two fees.
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

  test('201 ignores prices, amounts, states and modes that a request brings along', async () => {
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

  test('201 takes the price of the variant, and its stock', async () => {
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

  test('201 on a page: fixed, chosen, least, and of its products', async () => {
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

  test('400 for answers that do not fit the fields of the page', async () => {
    const shop = await openShop(server)
    const field = (name: string, type: string, more: object = {}) => ({
      label: name.toUpperCase(),
      name,
      type,
      required: false,
      ...more,
    })
    const pageId = await shop.page({
      customFields: [
        field('class', 'select', { options: ['JSS1', 'JSS2'] }),
        field('age', 'number'),
        field('born', 'date'),
        field('call', 'phone'),
        field('note', 'text', { required: true }),
      ],
    })
    const customFields = {
      class: 'JSS2',
      age: 12,
      born: '2014-02-28',
      call: '0803 123',
      note: ' x ',
    }
    const begun = await shop.begun({ pageId, customFields })
    expect(begun).toMatchObject({
      customFields: [
        { label: 'CLASS', name: 'class', value: 'JSS2' },
        { label: 'AGE', name: 'age', value: '12' },
        { label: 'BORN', name: 'born', value: '2014-02-28' },
        { label: 'CALL', name: 'call', value: '0803 123' },
        { label: 'NOTE', name: 'note', value: 'x' },
      ],
    })
    for (const [name, value] of [
      ['class', 'JSS3'],
      ['age', 'twelve'],
      ['born', '2014-02-30'],
      ['call', 'x'],
      ['note', 'x'.repeat(501)],
      ['constructor', 'x'],
    ]) {
      const { status, body } = await shop.begin({ pageId, customFields: { [name!]: value } })
      expect([status, Object.keys(body.errors)]).toEqual([400, [`customFields.${name}`]])
    }
    const loose = await shop.begin({ amount: 10, customFields: { note: 'x' } })
    expect(Object.keys(loose.body.errors)).toEqual(['customFields'])
  })

  test.each([
    [{}, 'amount'],
    [{ amount: 0 }, 'amount'],
    [{ amount: -1 }, 'amount'],
    [{ amount: 1.001 }, 'amount'],
    [{ amount: '1e3' }, 'amount'],
    [{ amount: 100, products: [{ productId: 1, quantity: 1 }] }, 'amount'],
    [{ amount: 10, currency: 'USD' }, 'currency'],
    [{ amount: 10, currency: 'naira' }, 'currency'],
    [{ amount: 10, customerEmail: 'ada' }, 'customerEmail'],
    [{ amount: 10, customerEmail: undefined }, 'customerEmail'],
    [{ amount: 10, reference: 'short' }, 'reference'],
    [{ amount: 10, reference: 'with space' }, 'reference'],
    [{ amount: 10, callbackUrl: 'ftp://x.example' }, 'callbackUrl'],
    [{ amount: 10, callbackUrl: 'javascript:alert(1)' }, 'callbackUrl'],
    [{ amount: 10, callbackUrl: 'https://ada:pw@x.example/' }, 'callbackUrl'],
    [{ amount: 10, callbackUrl: '//x.example' }, 'callbackUrl'],
    [{ amount: 10, channels: ['CASH'] }, 'channels.0'],
    [{ amount: 10, channels: [] }, 'channels'],
    [{ amount: 10, expiresInMinutes: 4 }, 'expiresInMinutes'],
    [{ amount: 10, expiresInMinutes: 481 }, 'expiresInMinutes'],
    [{ amount: 10, feeBearer: 'nobody' }, 'feeBearer'],
    [{ amount: 10, metadata: 'x' }, 'metadata'],
    [{ amount: 10, discountCode: 'NONE' }, 'discountCode'],
    [{ products: [] }, 'products'],
    [{ products: [{ productId: 1, quantity: 0 }] }, 'products.0.quantity'],
    [{ products: [{ productId: 1, quantity: 1_000_001 }] }, 'products.0.quantity'],
    [{ products: [{ productId: 1, quantity: 1.5 }] }, 'products.0.quantity'],
    [{ products: [{ productId: 1, quantity: '2' }] }, 'products.0.quantity'],
    [{ products: [{ quantity: 1 }] }, 'products.0.productId'],
    [{ amount: 10, splitPageId: 1, subaccountCode: 'ACCT_x' }, 'subaccountCode'],
  ])('400 for %j, and nothing is stored', async (body, field) => {
    const shop = await openShop(server)
    const { status, body: said } = await shop.begin(body)
    expect([status, Object.keys(said.errors ?? {})]).toEqual([400, [field]])
    expect(await countOf(shop.businessId)).toBe(0)
  })

  test('400 for a place that it is not delivered to; free where no fee was ever set', async () => {
    const shop = await openShop(server)
    const productId = await shop.product()
    const products = [{ productId, quantity: 1 }]
    expect(await shop.begun({ products })).toMatchObject({ amount: 5000 })
    await shop.deliveryFee(productId, 'Abuja', '300.00')
    for (const place of [{}, { deliveryLocation: 'Lagos' }]) {
      const { status, body } = await shop.begin({ products, ...place })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['deliveryLocation']])
    }
    await shop.deliveryFee(productId, 'Everywhere', '900.00')
    expect(await shop.begun({ products })).toMatchObject({ amount: 5900 })
    const lagos = { products, deliveryLocation: 'Lagos' }
    expect(await shop.begun(lagos)).toMatchObject({ amount: 5900 })
    const digital = await shop.product({ type: 'digital' })
    expect(await shop.begun({ products: [{ productId: digital, quantity: 1 }] })).toMatchObject({
      amount: 5000,
    })
  })

  test('400 for more than can be paid at once', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ price: 1_000_000 })
    const { status, body } = await shop.begin({ products: [{ productId, quantity: 1_000_000 }] })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['products']])
  })

  test('409 for what is not sold now, or is not there any more', async () => {
    const shop = await openShop(server)
    const draft = await shop.product({ status: 'Draft' })
    const few = await shop.product({ quantity: 3 })
    const closed = await shop.page({ status: 'Unpublished' })
    const soon = new Date(clock.now().getTime() + MINUTE_MS).toISOString()
    const over = await shop.page({ expiresAt: soon })
    const full = await shop.page({ maxPayments: 1 })
    await shop.begun({ pageId: full })
    clock.advance(2 * MINUTE_MS)
    for (const [body, code] of [
      [{ products: [{ productId: draft, quantity: 1 }] }, 'product_not_for_sale'],
      [
        {
          products: [
            { productId: few, quantity: 2 },
            { productId: few, quantity: 2 },
          ],
        },
        'out_of_stock',
      ],
      [{ pageId: closed }, 'page_closed'],
      [{ pageId: over }, 'page_closed'],
      [{ pageId: full }, 'page_full'],
    ] as const) {
      const reply = await shop.begin(body)
      expect([reply.status, reply.body.errorCode]).toEqual([409, code])
    }
    expect(await shop.stock(few)).toMatchObject({ reserved: 0 })
  })

  test('404 for ids of others, of the other mode, and that never were', async () => {
    const [shop, other] = [await openShop(server), await openShop(server)]
    const product = await other.product()
    const page = await other.page()
    const { code } = await other.subaccount()
    const foreign: [object, string][] = [
      [{ products: [{ productId: product, quantity: 1 }] }, 'product_not_found'],
      [{ products: [{ productId: '999999999', quantity: 1 }] }, 'product_not_found'],
      [{ pageId: page }, 'payment_page_not_found'],
      [{ pageId: 999_999_999 }, 'payment_page_not_found'],
      [{ amount: 10, splitPageId: 999_999_999 }, 'split_page_not_found'],
      [{ amount: 10, subaccountCode: code }, 'subaccount_not_found'],
    ]
    for (const by of [shop, { ...other, begin: liveBegin(other) }]) {
      for (const [body, errorCode] of foreign) {
        const reply = await by.begin(body as Record<string, unknown>)
        expect([reply.status, reply.body.errorCode, reply.body.errors]).toEqual([
          404,
          errorCode,
          {},
        ])
      }
    }
    const { reference, accessCode, orderReference } = await other.begun({ pageId: page })
    for (const by of [shop, other.live]) {
      expect((await by.get(`${CHECKOUT}/${reference}`)).status).toBe(404)
      expect((await by.post(`${CHECKOUT}/${reference}/cancel`)).status).toBe(404)
      expect((await by.get(`${ORDERS}/${orderReference}`)).status).toBe(404)
      for (const key of [{ reference }, { accessCode }]) {
        const { status, body } = await by.post(ACCOUNT, key)
        expect([status, typeof body.error]).toEqual([404, 'string'])
      }
    }
  })

  const liveBegin =
    ({ live }: { live: { post: typeof server.post } }) =>
    (body: Record<string, unknown>) =>
      live.post(CHECKOUT, { customerEmail: 'ada@example.com', ...body })

  test('503 in live mode without a provider, and nothing is stored', async () => {
    const shop = await openShop(server)
    const { status, body } = await liveBegin(shop)({ amount: 10 })
    expect([status, body.errorCode]).toEqual([503, 'live_provider_missing'])
    expect(await countOf(shop.businessId)).toBe(0)
  })

  test('400 for a callback on no origin of the business in live mode, whoever it is', async () => {
    const shop = await openShop(server)
    await shop.live.put(SETTINGS, { origins: ['https://shop.example.com'] })
    const free = { name: 'Free', price: 0, type: 'service' }
    const made = await shop.live.post(
      '/api/payment-service/external/v1/products/create-product',
      free,
    )
    const { productId } = made.body.data
    const begin = (callbackUrl: string) =>
      liveBegin(shop)({ products: [{ productId, quantity: 1 }], callbackUrl })
    for (const url of [
      'https://evil.example',
      'https://shop.example.com.evil.example/x',
      'http://shop.example.com',
    ]) {
      const { status, body } = await begin(url)
      expect([status, Object.keys(body.errors)]).toEqual([400, ['callbackUrl']])
    }
    const paid = await begin('https://shop.example.com/thanks?x=1')
    expect([paid.status, paid.body.data.state]).toEqual([201, 'Paid'])
  })

  test('409 for a used reference, saying how that one stands', async () => {
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

describe('POST initialize-checkout/{reference}/cancel', () => {
  test('200 gives all back once; 409 after that', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 5 })
    const pageId = await shop.page({ productIds: productId, maxPayments: 1 })
    await shop.discount({ maxUses: 1 })
    const products = [{ productId, quantity: 5 }]
    const body = { pageId, products, discountCode: 'TEN' }
    const begun = await shop.begun(body)
    const path = `${CHECKOUT}/${begun.reference}/cancel`
    const replies = await Promise.all(Array.from({ length: 10 }, () => shop.post(path)))
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

describe('the expiry of checkouts', () => {
  test('gives all back, once, when the time is over and not before', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 5 })
    const pageId = await shop.page({ productIds: productId })
    const products = [{ productId, quantity: 2 }]
    const begun = await shop.begun({ pageId, products, expiresInMinutes: 10 })
    clock.advance(9 * MINUTE_MS)
    await sweep('checkout-expiry')
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Open' })
    clock.advance(2 * MINUTE_MS)
    await Promise.all([
      sweep('checkout-expiry'),
      sweep('checkout-expiry'),
      sweep('transaction-expiry'),
    ])
    expect(await shop.seen(begun.reference)).toMatchObject({
      state: 'Expired',
      status: 'Abandoned',
    })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 0 })
    expect(await shop.pageCounts(pageId)).toMatchObject({ checkouts: 1, open_checkouts: 0 })
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Cancelled' })
  })

  test('leaves goods to others after 15 minutes, and takes them again for whoever pays then', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const products = [{ productId, quantity: 1 }]
    const slow = await shop.begun({ products, expiresInMinutes: 60 })
    clock.advance(16 * MINUTE_MS)
    await sweep('stock-expiry')
    expect(await shop.stock(productId)).toMatchObject({ available: 1 })
    expect((await shop.account(slow.reference)).status).toBe(200)
    expect(await shop.stock(productId)).toMatchObject({ available: 0 })
    const late = await shop.begin({ products })
    expect(late.status).toBe(409)
  })

  test('409 for a way to pay when somebody else has the goods meanwhile', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const products = [{ productId, quantity: 1 }]
    const slow = await shop.begun({ products, expiresInMinutes: 60 })
    clock.advance(16 * MINUTE_MS)
    await sweep('stock-expiry')
    await shop.begun({ products })
    const { status, body } = await shop.account(slow.reference)
    expect([status, body.errorCode]).toEqual([409, 'out_of_stock'])
  })
})
