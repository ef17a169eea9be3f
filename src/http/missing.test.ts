import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const PAYMENT = '/api/payment-service/v1'
const TRANSACTION = '/api/transaction-service/v1'
const NONE = 999_999_999

const server = await startServer({ sweepers: false })

async function shop() {
  const { keys } = await server.newBusiness()
  const { post, put } = server.as(keys.testSecret)
  const made = await post(`${PAYMENT}/products/create-product`, { name: 'Shirt', price: 10 })
  return { post, put, productId: made.body.data.productId as string }
}

describe('404 for an id in the body', () => {
  test('names each product of a cart that does not exist', async () => {
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

  test('names the field in errors, and in the text where there is nothing else', async () => {
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
      ...{ productId, location: 'Ibadan', fees: '1.00' },
    })
    expect([fee.status, fee.body.error]).toEqual([404, 'No such delivery fee: location.'])
    const page = await post(`${PAYMENT}/payment-pages/delete-page`, { pageId: NONE })
    expect([page.status, page.body.error]).toEqual([404, 'No such payment page: pageId.'])
  })
})

describe('400 names everything that is missing', () => {
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
      'pageId is required; productId is required, or productIds',
    ],
    [
      'products/delete-delivery-fees',
      'productId is required; location is required, or deliveryFeeId',
    ],
  ])('in the text at %s', async (path, text) => {
    const { post } = await shop()
    const { status, body } = await post(`${PAYMENT}/${path}`, {})
    expect([status, body.error.split('; ').sort()]).toEqual([400, text.split('; ').sort()])
  })
})
