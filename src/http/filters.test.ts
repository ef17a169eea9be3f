import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const COMMERCE = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'

const server = await startServer()
const { get, post } = server

test.each([
  [`${COMMERCE}/invoices`, 'reference'],
  [`${MONEY}/transactions`, 'page'],
  ['/transactions', 'orderId'],
  [`${MONEY}/subaccounts/all`, 'status'],
  [`${MONEY}/split-page/all`, '__proto__'],
])('400 for %s with an unknown parameter: %s', async (path, name) => {
  const { status, body } = await get(`${path}?${name}=1`)
  expect([status, body.errorCode]).toEqual([400, 'validation_failed'])
  expect(body.message).toMatch(
    new RegExp(`^${name} is not a parameter of this list; accepted parameters: \\w`),
  )
})

test('400 names each unknown parameter and lists the known ones', async () => {
  const { body } = await get(`${COMMERCE}/invoices?stauts=Paid&pgae=2&limit=1`)
  expect(Object.keys(body.errors)).toEqual(['stauts', 'pgae'])
  expect(body.errors.stauts[0]).toMatch(/\bpage\b.*\bstatus\b/)
})

test('200 for the business and mode of the key, which every list accepts', async () => {
  const { businessId } = server.business
  for (const path of [`${COMMERCE}/invoices`, '/transactions', `${MONEY}/bank-list`]) {
    expect(await get(`${path}?businessId=${businessId}&isLive=false`)).toMatchObject({
      status: 200,
    })
  }
})

test('200 for the business and mode of the key beside the options of a product', async () => {
  const options = [{ name: 'Size', values: ['S', 'M'] }]
  const product = { name: 'Shirt', price: 10, options }
  const made = await post('/api/payment-service/v1/products/create-product', product)
  const path = '/api/payment-service/v1/products/filter-for-products-variant'
  const query = `productId=${made.body.data.productId}&Size=M`
  const own = `businessId=${server.business.businessId}&isLive=false`
  const { status, body } = await get(`${path}?${query}&${own}`)
  expect([status, body.data?.length]).toEqual([200, 1])
  const other = await get(`${path}?${query}&businessId=999999`)
  expect([other.status, Object.keys(other.body.errors)]).toEqual([400, ['businessId']])
})

test('200 for filters in any case', async () => {
  const page = { title: 'Market day', amount: 100 }
  expect((await post(`${COMMERCE}/payment-pages/create-pages`, page)).status).toBe(200)
  const { status, body } = await get(`${COMMERCE}/payment-pages/get-pages?status=published`)
  expect([status, body.data.length, body.data[0]?.status]).toEqual([200, 1, 'Published'])
  for (const query of ['currency=ngn', 'country=ng']) {
    expect((await get(`${MONEY}/bank?${query}`)).body.data.length).toBeGreaterThan(0)
  }
})

test('200 for an enum value in any case, returned as the contract spells it', async () => {
  const payment = { channel: 'ussd', amount: 100, bankCode: '058' }
  expect((await post(`${MONEY}/transaction-with-ussd`, payment)).status).toBe(200)
  const { body } = await get('/transactions?channel=ussd')
  expect(body.data.map(({ channel }: { channel: string }) => channel)).toEqual(['USSD'])
})
