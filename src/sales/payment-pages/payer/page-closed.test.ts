import { expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { openShop } from '../../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const PAGES = '/api/payment-service/external/v1/payment-pages'

const look = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(server.url + path, { redirect: 'manual', ...init })
  return { status: response.status, html: await response.text(), headers: response.headers }
}

test('503 says before anyone types that nothing can be paid here', async () => {
  const { live } = await openShop(server)
  const customLink = 'no-channel'
  const content = { title: 'Fees', amountType: 'fixed', amount: 1000, customLink }
  expect((await live.post(`${PAGES}/create-pages`, content)).status).toBe(200)
  const { status, html, headers } = await look(`/pay/${customLink}`)
  expect([status, headers.get('retry-after')]).toEqual([503, '3600'])
  expect(headers.get('content-type')).toContain('text/html')
  expect(html).toContain('Not open yet')
  expect(html).not.toContain('<form')
  const body = new URLSearchParams({ email: 'ada@example.com' })
  expect(await look(`/pay/${customLink}`, { method: 'POST', body })).toMatchObject({
    status: 503,
    html: expect.stringContaining('Not open yet'),
  })
})

test('200 for a live page that is free', async () => {
  const { live } = await openShop(server)
  const customLink = 'for-nothing'
  const products = '/api/payment-service/external/v1/products/create-product'
  const product = await live.post(products, { name: 'Leaflet', price: 0 })
  const { productId } = product.body.data
  const content = { title: 'Leaflets', amountType: 'variable', customLink }
  const { pageId } = (await live.post(`${PAGES}/create-pages`, content)).body.data
  await live.post(`${PAGES}/payment-page-add-product`, { pageId, productIds: productId })
  expect((await look(`/pay/${customLink}`)).status).toBe(200)
})

test.each(['/pay/%ff', '/checkout/%ff', '/receipt/%E0%A4%A', '/i/%ff?lang=fr'])(
  '404 as a page for %s, which is not valid text',
  async (path) => {
    const { status, html, headers } = await look(path)
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(html).toContain('<h1>We couldn’t find this page</h1>')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  },
)

test('400 as JSON for an API URL that is not valid text', async () => {
  const { status, html } = await look('/api/transaction-service/external/v1/fetch/%ff')
  expect([status, JSON.parse(html)]).toMatchObject([400, { errorCode: 'bad_url' }])
})
