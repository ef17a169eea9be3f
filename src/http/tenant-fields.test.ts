import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const PRODUCTS = '/api/payment-service/external/v1/products'
const PRODUCT = { name: 'Shirt', price: 5 }
const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }

const server = await startServer({ jobs: false })
const { get, post, business, as } = server
const { businessId } = business

const WRITES = [
  [`${PRODUCTS}/create-product`, PRODUCT],
  [INVOICES, INVOICE],
] as const

describe('a write', () => {
  test.each([
    ['businessId', 999_999_999, 'must be the id of the business that the key belongs to'],
    ['businessId', '1', 'must be the id of the business that the key belongs to'],
    [
      'businessId',
      '99999999999999999999',
      'must be the id of the business that the key belongs to',
    ],
    ['businessId', 'x', 'must be an id: a whole number or a numeric string'],
    ['businessId', 1.5, 'must be an id: a whole number or a numeric string'],
    ['businessId', null, 'must be an id: a whole number or a numeric string'],
    ['businessId', [businessId], 'must be an id: a whole number or a numeric string'],
    ['isLive', true, 'does not match the key, which is a test key'],
    ['isLive', 1, 'does not match the key, which is a test key'],
    ['isLive', 'true', 'does not match the key, which is a test key'],
    ['isLive', 'yes', 'must be true or false'],
    ['isLive', null, 'must be true or false'],
  ])('400 naming %s when it is %j', async (name, value, says) => {
    for (const [path, good] of WRITES) {
      const { status, body } = await post(path, { ...good, [name]: value })
      expect([status, body.message, body.errors]).toEqual([
        400,
        expect.any(String),
        { [name]: [says] },
      ])
    }
  })

  test('400 in a query too', async () => {
    const { status, body } = await post(`${PRODUCTS}/create-product?businessId=1&isLive=1`, PRODUCT)
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, ['businessId', 'isLive']])
  })

  test('200 with the values of the key, in any spelling', async () => {
    for (const [path, good] of WRITES) {
      for (const own of [
        { businessId, isLive: false },
        { businessId: String(businessId), isLive: 'false' },
        { isLive: 0 },
      ]) {
        expect((await post(path, { ...good, ...own })).status).toBeLessThan(300)
      }
    }
    const live = as(business.keys.liveSecret)
    const [[path, good]] = WRITES
    expect((await live.post(path, { ...good, isLive: true })).status).toBe(200)
    expect((await live.post(path, { ...good, isLive: false })).status).toBe(400)
  })
})

describe('a read', () => {
  test.each([
    [400, 'businessId=1'],
    [400, 'businessId=x'],
    [400, 'isLive=x'],
    [200, `businessId=${businessId}`],
    [200, 'isLive=true'],
    [200, 'isLive=0'],
  ])('%i with %s', async (wanted, query) => {
    const { status } = await get(`${INVOICES}?${query}`)
    expect(status).toBe(wanted)
  })
})
