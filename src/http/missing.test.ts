import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const PAYMENT = '/api/payment-service/v1'
const TRANSACTION = '/api/transaction-service/v1'
const NONE = 999_999_999

const server = await startServer({ jobs: false })

async function shop() {
  const { keys } = await server.newBusiness()
  const { post, put } = server.as(keys.testSecret)
  const made = await post(`${PAYMENT}/products/create-product`, { name: 'Shirt', price: 10 })
  return { post, put, productId: made.body.data.productId as string }
}

describe('404 for an id in the body', () => {
  test('names each missing product of a cart', async () => {
    const { post, productId } = await shop()
    const { status, body } = await post(`${PAYMENT}/initialize-checkout`, {
      customerEmail: 'ada@example.com',
      products: [{ productId }, { productId: NONE }, { productId: '999999998' }],
    })
    expect([status, body.errorCode]).toEqual([404, 'product_not_found'])
    expect(body.errors).toEqual({
      'products.1.productId': ['does not exist'],
      'products.2.productId': ['does not exist'],
    })
  })

  test('names each missing product of a discount and subaccount of a split page', async () => {
    const { post, put, productId } = await shop()
    const discount = { code: 'SAVE10', type: 'percentage', value: 10 }
    const path = `${PAYMENT}/products/add-discount-code`
    const made = await post(path, { ...discount, productIds: [productId, NONE, productId, 5] })
    expect([made.status, made.body.errors]).toEqual([
      404,
      { 'productIds.1': ['does not exist'], 'productIds.3': ['does not exist'] },
    ])
    expect((await post(path, discount)).status).toBe(200)
    const changed = await put(`${PAYMENT}/products/update-discount-code-details`, {
      code: 'SAVE10',
      productId: NONE,
    })
    expect([changed.status, changed.body.errors]).toEqual([404, { productId: ['does not exist'] }])

    const known = await post(`${TRANSACTION}/subaccounts`, {
      business_name: 'Ngozi',
      account_number: '0123456789',
      percentage_charge: 5,
    })
    const page = await post(`${TRANSACTION}/split-page`, {
      name: 'Choir',
      subaccounts: [
        { subaccount: known.body.subaccount_code, share: 5 },
        { subaccount: 'ACCT_none', share: 5 },
        { sub_account_id: 'ACCT_nobody', share: 5 },
      ],
    })
    expect(page.status).toBe(404)
    expect(JSON.stringify(page.body)).toContain(
      'No such subaccount: subaccounts.1.subaccount, subaccounts.2.sub_account_id.',
    )
  })

  test('names the field in errors, or in the message where there is no errors object', async () => {
    const { post, put, productId } = await shop()
    const checkout = { customerEmail: 'ada@example.com', amount: 10 }
    for (const [path, sent, field] of [
      [`${PAYMENT}/initialize-checkout`, { ...checkout, splitPageId: NONE }, 'splitPageId'],
      [
        `${PAYMENT}/initialize-checkout`,
        { ...checkout, subaccountCode: 'ACCT_no' },
        'subaccountCode',
      ],
      [`${TRANSACTION}/refunds`, { transactionId: NONE }, 'transactionId'],
      [`${PAYMENT}/products/delete-product`, { productId: NONE }, 'productId'],
    ] as const) {
      const { status, body } = await post(path, sent)
      expect([status, body.errors]).toEqual([404, { [field]: ['does not exist'] }])
      expect(body.message).toMatch(new RegExp(`: ${field}\\.$`))
    }
    const fee = await put(`${PAYMENT}/products/update-delivery-fees`, {
      productId,
      location: 'Ibadan',
      fees: '1.00',
    })
    expect([fee.status, fee.body.error]).toEqual([404, 'No such delivery fee: location.'])
    const page = await post(`${PAYMENT}/payment-pages/delete-page`, { pageId: NONE })
    expect([page.status, page.body.error]).toEqual([404, 'No such payment page: pageId.'])
  })
})

describe('400 names all missing fields', () => {
  test.each([
    [`${TRANSACTION}/transfers`, ['accountNumber', 'amount', 'bankCode']],
    [`${PAYMENT}/initialize-checkout`, ['amount', 'customerEmail']],
    [`${TRANSACTION}/refunds`, ['transactionId']],
  ])('at %s', async (path, fields) => {
    const { post } = await shop()
    const { status, body } = await post(path, {})
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, fields])
  })

  test.each([
    [
      'payment-pages/payment-page-delete-product',
      'pageId is required; productId is required unless productIds is given',
    ],
    [
      'products/delete-delivery-fees',
      'productId is required; location is required unless deliveryFeeId is given',
    ],
  ])('in the message at %s', async (path, text) => {
    const { post } = await shop()
    const { status, body } = await post(`${PAYMENT}/${path}`, {})
    expect([status, body.error.split('; ').sort()]).toEqual([400, text.split('; ').sort()])
  })

  test('for a virtual account, and together with other faults of a discount', async () => {
    const { post, put } = await shop()
    const path = 'payment-pages/initiate-initialize-checkout-dynamic-virtual-account'
    const account = await post(`/api/payment-service/external/v1/${path}`, {})
    const missing = 'is required unless accessCode or reference is given'
    expect([account.status, account.body.error]).toEqual([
      400,
      `email ${missing}; amount ${missing}`,
    ])
    const discount = await put(`${PAYMENT}/products/update-discount-code-details`, { maxUses: 0 })
    expect([discount.status, Object.keys(discount.body.errors).sort()]).toEqual([
      400,
      ['discountId', 'maxUses'],
    ])
  })
})
