import { afterAll, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { ACCOUNT, CHECKOUT, ORDERS, openShop, SETTINGS } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server

afterAll(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000
const PRODUCTS = '/api/payment-service/external/v1/products'
const countOf = async (businessId: number) => {
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from checkouts where business_id = ${businessId}`
  return n
}

describe('POST initialize-checkout rejects', () => {
  test('400 for answers that do not match the fields of the page', async () => {
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
    [{ amount: 10, customerName: 'Ada\u202eobO' }, 'customerName'],
    [{ amount: 10, customerName: '\u2066Ada\u2069' }, 'customerName'],
    [{ amount: 10, callbackUrl: ' ' }, 'callbackUrl'],
    [{ amount: 10, reference: '' }, 'reference'],
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
  ])('400 for %j, and stores nothing', async (body, field) => {
    const shop = await openShop(server)
    const { status, body: said } = await shop.begin(body)
    expect([status, Object.keys(said.errors ?? {})]).toEqual([400, [field]])
    expect(await countOf(shop.businessId)).toBe(0)
  })

  test('400 for a place without delivery; free if there never was a fee', async () => {
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

  test('400 for more than the most that can be paid at once', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ price: 1_000_000 })
    const { status, body } = await shop.begin({ products: [{ productId, quantity: 1_000_000 }] })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['products']])
  })

  test('400 for more than that with delivery, 201 for exactly that', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ price: 99_999_999_999 })
    await shop.deliveryFee(productId, 'Jos', '1')
    await shop.deliveryFee(productId, 'Lagos', '1.01')
    const products = [{ productId, quantity: 1 }]
    const { status, body } = await shop.begin({ products, deliveryLocation: 'Lagos' })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['products']])
    expect(body.errors.products[0]).toMatch(
      /^must total at most ₦100,000,000,000.*, including delivery/,
    )
    expect(await countOf(shop.businessId)).toBe(0)
    const most = await shop.begun({ products, deliveryLocation: 'Jos' })
    expect(most).toMatchObject({ amountMinor: 10_000_000_000_000 })
  })

  test('201 for names in right-to-left scripts, with the marks that belong to them', async () => {
    const shop = await openShop(server)
    const customerName = 'محمد\u200f Obi\u200e'
    expect(await shop.begun({ amount: 10, customerName })).toMatchObject({
      customer: { name: customerName },
    })
  })

  test('409 for products that are no longer on sale or were removed', async () => {
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

  test('404 for ids of other businesses, of the other mode, deleted and unknown', async () => {
    const [shop, other] = [await openShop(server), await openShop(server)]
    const product = await other.product()
    const gone = await shop.product()
    await shop.post(`${PRODUCTS}/delete-product`, { productId: gone })
    const page = await other.page()
    const { code } = await other.subaccount()
    const foreign: [object, string][] = [
      [{ products: [{ productId: product, quantity: 1 }] }, 'product_not_found'],
      [{ products: [{ productId: gone, quantity: 1 }] }, 'product_not_found'],
      [{ products: [{ productId: '999999999', quantity: 1 }] }, 'product_not_found'],
      [{ pageId: page }, 'payment_page_not_found'],
      [{ pageId: 999_999_999 }, 'payment_page_not_found'],
      [{ amount: 10, splitPageId: 999_999_999 }, 'split_page_not_found'],
      [{ amount: 10, subaccountCode: code }, 'subaccount_not_found'],
    ]
    for (const by of [shop, { ...other, begin: liveBegin(other) }]) {
      for (const [body, errorCode] of foreign) {
        const reply = await by.begin(body as Record<string, unknown>)
        expect([reply.status, reply.body.errorCode]).toEqual([404, errorCode])
        // The response names the field, as for an id that never existed.
        expect(Object.values(reply.body.errors)).toEqual([['does not exist']])
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

  test('503 in live mode without a provider, and stores nothing', async () => {
    const shop = await openShop(server)
    const { status, body } = await liveBegin(shop)({ amount: 10 })
    expect([status, body.errorCode]).toEqual([503, 'live_provider_missing'])
    expect(await countOf(shop.businessId)).toBe(0)
  })

  test('400 for a callback in live mode on no origin of the business, for every kind of caller', async () => {
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
})

describe('a checkout that lists what has left the catalogue', () => {
  const PLAIN = '/api/payment-service/v1/products'
  const SIZE = { name: 'Size', values: ['S', 'M'] }
  type Shop = Awaited<ReturnType<typeof openShop>>

  /** Returns a checkout for an hour that no longer reserves anything. */
  const lapsed = async (shop: Shop, products: object[]) => {
    const begun = await shop.begun({ products, expiresInMinutes: 60 })
    clock.advance(16 * MINUTE_MS)
    await runJob('stock-expiry')
    return begun
  }
  const isRefused = async (shop: Shop, reference: string) => {
    const { status, body } = await shop.account(reference)
    expect([status, body.errorCode]).toEqual([409, 'out_of_stock'])
    expect(await shop.seen(reference)).toMatchObject({ state: 'Open' })
  }

  test('409 for a product whose stock is now that of its variants', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const begun = await lapsed(shop, [{ productId, quantity: 1 }])
    const added = await shop.post(`${PLAIN}/add-product-options`, { productId, options: [SIZE] })
    const { variantId } = added.body.data.variants[0]
    const other = await shop.begun({ products: [{ productId, variantId, quantity: 1 }] })
    await shop.paid(other.reference)
    await isRefused(shop, begun.reference)
    expect(await shop.stock(productId)).toMatchObject({ onHand: 0, reserved: 0, sold: 1 })

    // Once the product has no variants, it has the stock itself again.
    const [{ optionId }] = added.body.data.options
    await shop.post(`${PLAIN}/delete-product-options`, { productId, optionId })
    await isRefused(shop, begun.reference)
    await shop.put(`${PLAIN}/update-product-details`, { productId, quantity: 1 })
    await shop.paid(begun.reference)
    expect(await shop.stock(productId)).toMatchObject({ onHand: 0, reserved: 0, sold: 2 })
  })

  test('409 for a variant that was deleted', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 1 })
    const added = await shop.post(`${PLAIN}/add-product-options`, { productId, options: [SIZE] })
    const [{ variantId }] = added.body.data.variants
    const begun = await lapsed(shop, [{ productId, variantId, quantity: 1 }])
    const [{ optionId, values }] = added.body.data.options
    const { optionVariantId } = values[0]
    const named = { productId, optionId, optionVariantId }
    const deleted = await shop.post(`${PLAIN}/delete-product-option-variant`, named)
    expect(deleted).toMatchObject({ status: 200 })
    await isRefused(shop, begun.reference)
  })
})
