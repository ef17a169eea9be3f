import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop, PLAIN } from './discounts.fixture.ts'

const PAGES = '/api/payment-service/external/v1/payment-pages'

const server = await startServer({ jobs: false })
const shop = () => openShop(server)

describe('verify', () => {
  test('200 returns the discount without using the code', async () => {
    const { make, verify, list } = await shop()
    const made = await make({ value: 12.5 })
    const { status, body } = await verify({ amount: '999.99', email: 'ada@example.com' })
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Discount code is valid.',
        data: {
          valid: true,
          code: 'SAVE-10',
          type: 'percentage',
          value: 12.5,
          amount: 999.99,
          amountMinor: 99_999,
          discountAmount: 125,
          discountAmountMinor: 12_500,
          finalAmount: 874.99,
          finalAmountMinor: 87_499,
          currency: 'NGN',
        },
      },
    ])
    expect((await list()).data).toEqual([made])
  })

  test('200 never takes off more than the amount', async () => {
    const { make, verify } = await shop()
    await make({ type: 'fixed', value: 5_000 })
    const data = { discountAmount: 1000, finalAmount: 0 }
    expect(await verify()).toMatchObject({ status: 200, body: { data } })
  })

  test('404 in the plain family', async () => {
    const { make, post } = await shop()
    await make()
    const reply = await post(`${PLAIN}/verify-discount-code`, { code: 'SAVE-10', amount: 1 })
    expect(reply).toMatchObject({ status: 404, body: { errorCode: 'route_not_found' } })
  })

  test.each([
    ['not_found', {}, { code: 'NONE' }],
    ['not_found', {}, { code: 'no such code ₦' }],
    ['inactive', { status: 'Inactive', endsAt: '2020-01-01' }, {}],
    ['not_started', { startsAt: '2999-01-01', minSpend: 5000 }, {}],
    ['expired', { endsAt: '2020-01-01', minSpend: 5000 }, {}],
    ['not_applicable', { minSpend: 5000 }, { currency: 'USD' }],
    ['min_spend', { minSpend: 1000.01 }, {}],
  ])('400 %s for %j and %j', async (reason, terms, asked) => {
    const { make, verify } = await shop()
    await make({ maxUses: 1, ...terms })
    const { status, body } = await verify(asked)
    expect([status, body]).toEqual([
      400,
      {
        status: 'error',
        message: expect.stringMatching(/discount code/),
        errors: { code: [reason] },
        errorCode: 'discount_refused',
        requestId: expect.any(String),
      },
    ])
  })

  test('400 exhausted and customer_limit once it was used', async () => {
    const { make, verify, reserve } = await shop()
    await make({ maxUses: 2, maxUsesPerCustomer: 1 })
    const reason = async (email?: string) => (await verify({ email })).body.errors?.code?.[0]
    expect(await reason('ada@example.com')).toBeUndefined()
    await reserve('SAVE-10')
    expect(await reason('ADA@example.com')).toBe('customer_limit')
    expect(await reason('bola@example.com')).toBeUndefined()
    expect(await reason()).toBeUndefined()
    await reserve('SAVE-10', 'bola@example.com')
    expect(await reason('chi@example.com')).toBe('exhausted')
    expect(await reason('ada@example.com')).toBe('exhausted')
  })

  test('200 for the product that it applies to, 400 for others', async () => {
    const { product, make, verify } = await shop()
    const [shirt, cap] = [await product(), await product()]
    await make({ productId: shirt })
    expect((await verify({ productId: shirt })).status).toBe(200)
    expect((await verify({ productId: cap })).body.errors).toEqual({ code: ['not_applicable'] })
    expect((await verify()).body.errors).toEqual({ code: ['not_applicable'] })
    expect(await verify({ productId: '999999999' })).toMatchObject({
      status: 404,
      body: { errorCode: 'product_not_found' },
    })
  })

  test('200 for a page that accepts codes and sells that product, 400 for others', async () => {
    const { post, product, make, verify } = await shop()
    const [shirt, cap] = [await product(), await product()]
    await make({ productId: shirt })
    const page = async (productId: string, body: object = {}): Promise<number> => {
      const wanted = { title: 'Shop', amountType: 'variable', productIds: [productId], ...body }
      const { pageId } = (await post(`${PAGES}/create-pages`, wanted)).body.data
      return pageId
    }
    const [selling, other] = [await page(shirt), await page(cap)]
    const closed = await page(shirt, { allowDiscountCodes: false })
    expect((await verify({ pageId: selling })).status).toBe(200)
    expect((await verify({ pageId: other })).body.errors).toEqual({ code: ['not_applicable'] })
    expect((await verify({ pageId: closed })).body.errors).toEqual({ code: ['not_applicable'] })
    await post(`${PAGES}/delete-page`, { pageId: selling })
    for (const pageId of [selling, 999_999_999]) {
      expect(await verify({ pageId })).toMatchObject({
        status: 404,
        body: { errorCode: 'payment_page_not_found' },
      })
    }
  })

  test.each([
    ['code', ''],
    ['code', undefined],
    ['code', 'x'.repeat(101)],
    ['amount', undefined],
    ['amount', 0],
    ['amount', -5],
    ['amount', 1.234],
    ['amount', 'x'],
    ['amount', null],
    ['currency', 'ZZZ'],
    ['currency', 5],
    ['productId', 'x'],
    ['pageId', 'x'],
    ['email', 'ada'],
  ])('400 names %s = %j', async (field, value) => {
    const { make, verify } = await shop()
    await make()
    const { status, body } = await verify({ [field]: value })
    expect([status, Object.keys(body.errors), body.errorCode]).toEqual([
      400,
      [field],
      'validation_failed',
    ])
  })
})
