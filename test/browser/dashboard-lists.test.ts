import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { goods, openShop } from '../../src/sales/checkout/checkout.fixture.ts'
import { startServer } from '../harness.ts'
import { field, isTitled, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { LONG, openerOf, pageOf, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)
const PRODUCTS = '/api/payment-service/external/v1/products'

test('a list goes to its last page once the rows of the current one are gone', LONG, async () => {
  const { page, api, trouble } = await openAt('/test/products')
  const made = async (_: unknown, i: number) =>
    (await api.post(`${PRODUCTS}/create-product`, { name: `Cap ${i}`, price: 10 })).body.data
  const [{ productId }] = await Promise.all(Array.from({ length: 26 }, made))
  await page.goto(`${server.url}/test/products?page=2`)
  await shows(page, '26 total')
  const rows = page.locator('main tbody tr')
  expect(await rows.count()).toBe(1)
  await api.post(`${PRODUCTS}/delete-product`, { productId })
  await page.waitForURL(({ search }) => search === '?page=1', WAIT)
  await expect.poll(() => rows.count(), WAIT).toBe(25)
  expect(trouble()).toEqual([])
})

test('a search of refunds for an unknown payment finds nothing', LONG, async () => {
  const { page, trouble } = await openAt('/test/refunds?transactionReference=TRX_nothing')
  await shows(page, 'No refunds of this payment')
  expect(await page.getByPlaceholder('Full payment reference').inputValue()).toBe('TRX_nothing')
  expect(await page.getByText('Not found').count()).toBe(0)
  expect(trouble()).toEqual([])
})

test('a payment links to its order by its number, which the list finds', LONG, async () => {
  const shop = await openShop(server)
  const { products } = await goods(shop)
  const { orderReference, reference } = await shop.begun({ products })
  await shop.paid(reference)
  await shop.begun({ products })
  const { transactionReference } = await shop.seen(reference)
  const owner = await memberOf(server, 'owner', shop.businessId)
  const missing: string[] = []
  const at = `/test/payments/${transactionReference}`
  const { page, trouble } = await pageOf(newPage, server.url, owner, at, {
    before: async (opened) =>
      opened.on('response', (one) => one.status() === 404 && missing.push(one.url())),
  })
  const number = `#${orderReference.slice(-6).toUpperCase()}`
  await page.getByRole('link', { name: number }).click()
  await isTitled(page, `Order ${number}`)
  await page.goto(`${server.url}/test/orders`)
  await shows(page, '2 total')
  await field(page, 'Search').fill(number)
  await shows(page, '1 total')
  await page.getByRole('cell', { name: number }).waitFor(WAIT)
  expect(missing).toEqual([])
  expect(trouble()).toEqual([])
})
