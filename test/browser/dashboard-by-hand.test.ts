import { describe, expect, test } from 'vitest'
import { dialog, expectState, field, isTitled, pick, press } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { LONG, unfold, WAIT } from './dashboard.ts'
import { PRODUCTS, startShops } from './dashboard-shops.ts'

/* API features that no other dashboard test covers. */

const { newPage } = withBrowser()
const { openShop } = await startShops(newPage)
const TRANSFERS = '/api/transaction-service/external/v1/transfers'

describe('a payment', LONG, () => {
  test('is received through a payment link and a virtual account', async () => {
    const { openAs } = await openShop()
    const { page, trouble, go } = await openAs('owner', '/test/payments')
    await page.getByRole('link', { name: 'Take a payment' }).first().click()
    await isTitled(page, 'Take a payment')
    await press(page, /^Create link/)
    await page.getByText('Must be more than zero.').waitFor(WAIT)
    await field(page, 'Amount').fill('1500')
    await field(page, 'Payer’s email address').fill('ada@example.com')
    await press(page, 'Create link for ₦1,500.00')
    await isTitled(page, '₦1,500.00')
    await expectState(page, 'Open')
    const checkout = new URL(page.url()).pathname
    await page.getByRole('link', { name: /\/checkout\// }).waitFor(WAIT)

    await press(page, 'Create account number')
    await page.getByRole('link', { name: 'Simulate a transfer' }).click()
    await isTitled(page, 'Test tools')
    await press(page, 'Simulate a transfer of ₦1,500.00')
    await page.getByText('Money accepted').waitFor(WAIT)
    await go(checkout)
    await expectState(page, 'Paid')
    expect(trouble()).toEqual([])
  })

  test('cannot be made through a cancelled link, which search finds by its payer', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/payments/new')
    await field(page, 'Amount').fill('700')
    await field(page, 'Payer’s email address').fill('chidi@found.example')
    await press(page, 'Create link for ₦700.00')
    await expectState(page, 'Open')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('chidi@found')
    await page.getByText(/^Checkout · /).waitFor(WAIT)
    await page.keyboard.press('Escape')
    await press(page, 'Cancel link')
    await dialog(page).getByText('This cannot be undone.').waitFor(WAIT)
    await dialog(page).getByRole('button', { name: 'Cancel link' }).click()
    await expectState(page, 'Cancelled')
  })

  test('is received through a USSD code and approved in the simulator', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/payments/new?by=ussd')
    await field(page, 'Amount').fill('2500')
    await press(page, 'Get a code for ₦2,500.00')
    await page
      .getByText(/^\*\d+\*[\d*]+#$/)
      .first()
      .waitFor(WAIT)
    await page.getByRole('link', { name: 'View payment' }).click()
    await expectState(page, 'Pending')
    await press(page, 'The payer approves')
    await expectState(page, 'Successful')
    await page.getByText('Simulate the outcome').waitFor({ ...WAIT, state: 'detached' })
  })
})

test('a discount code can be tested, which shows why it is refused', LONG, async () => {
  const { openAs, api } = await openShop()
  const code = { code: 'TEN', type: 'percentage', value: 10, minSpend: 500 }
  expect((await api.post(`${PRODUCTS}/add-discount-code`, code)).status).toBe(200)
  const { page } = await openAs('owner', '/test/discounts')
  await press(page, 'Test a code')
  await dialog(page).getByLabel('Code').fill('ten')
  await dialog(page).getByLabel('Amount to pay').fill('1000')
  await dialog(page).getByRole('button', { name: 'Test code' }).click()
  await page.getByText('₦100.00 off').waitFor(WAIT)
  await page.getByText('The payer pays ₦900.00.').waitFor(WAIT)
  await dialog(page).getByLabel('Amount to pay').fill('400')
  await dialog(page).getByRole('button', { name: 'Test code' }).click()
  await page.getByText('Code not accepted').waitFor(WAIT)
})

describe('test mode', LONG, () => {
  test('lets users decide what the bank does with a transfer', async () => {
    const { openAs, api } = await openShop()
    await api.post('/api/simulator/wallet', { amount: 10_000 })
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const { body } = await api.post(TRANSFERS, { amount: 1_000, ...account })
    const { page } = await openAs('owner', `/test/transfers/${body.data.reference}`)
    await press(page, 'The bank holds it')
    await expectState(page, 'Blocked')
    await page.getByRole('button', { name: 'Retry' }).waitFor(WAIT)
    await press(page, 'It succeeds')
    await expectState(page, 'Successful')
    await press(page, 'The bank returns it')
    await page.getByText('The bank returned this transfer').first().waitFor(WAIT)
  })

  test('moves the clock and sends a test event', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/simulator')
    await press(page, 'Move clock')
    await dialog(page).getByRole('button', { name: 'Move clock' }).click()
    await page.getByText('Your test data is now at').waitFor(WAIT)

    await pick(page, 'Type', 'invoice.paid')
    await field(page, 'Custom data').fill('[1]')
    await press(page, 'Send event')
    await page.getByText('Enter a JSON object.').waitFor(WAIT)
    await field(page, 'Custom data').fill('{"note": "by hand"}')
    await press(page, 'Send event')
    await page.getByRole('link', { name: 'View event' }).click()
    await isTitled(page, 'invoice.paid')
    await page.getByText('by hand').waitFor(WAIT)
  })

  test('has tools that live mode does not offer', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/live/simulator')
    await isTitled(page, 'Test mode only')
    await unfold(page)
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    expect(await links.filter({ hasText: 'Test tools' }).count()).toBe(0)
  })
})
