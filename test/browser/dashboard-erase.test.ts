import { expect, test } from 'vitest'
import { choose, isAt, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, settled, WAIT } from './dashboard.ts'
import { INVOICES, startShops } from './dashboard-shops.ts'

const { newPage } = withBrowser()
const { server, openShop } = await startShops(newPage)

const ada = { customerEmail: 'ada@example.com', customerName: 'Ada Obi' }
const SCREEN = '/test/customers/ada%40example.com'

test('an owner erases a customer’s data after a confirmation', LONG, async () => {
  const shop = await openShop()
  await shop.api.post(INVOICES, { ...ada, amount: 100 })
  const { page, trouble } = await shop.openAs('owner', SCREEN)
  await settled(page)
  await press(page, 'More actions')
  await choose(page, 'Erase personal data')
  await shows(page, 'Erase this customer’s data?')
  await shows(page, /This cannot be undone/)
  await settled(page)
  await expectFine(page)
  await press(page, 'Erase data')
  // The message, which does not stay, comes before the next screen.
  await shows(page, 'The customer’s personal data is being erased.')
  await isAt(page, '/test/customers')

  await page.goto(server.url + SCREEN)
  await shows(page, 'This customer’s data is being erased')
  await expectFine(page)
  await server.runJob('erasures')
  await page.goto(server.url + SCREEN)
  await shows(page, 'This customer’s data could not be erased')
  await shows(page, /not paid yet: void them/)
  await expectFine(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await settled(page)
  await expectFine(page)
  expect(trouble()).toEqual([])
})

test('a finance member sees no such action', LONG, async () => {
  const shop = await openShop()
  await shop.api.post(INVOICES, { ...ada, amount: 100 })
  const { page } = await shop.openAs('finance', SCREEN)
  await page.getByText('First seen').waitFor(WAIT)
  expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
})
