import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { heading, isTitled, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, settled, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)

const squareLogo = async () => {
  const drawn = sharp({ create: { width: 480, height: 480, channels: 3, background: '#9a4524' } })
  return (await drawn.png().toBuffer()).toString('base64')
}

/** Returns the positions of its right and bottom edges. */
async function endOf(part: Locator) {
  const box = (await part.boundingBox())!
  return { right: box.x + box.width, bottom: box.y + box.height }
}

test('a square logo stays in its place, and the invoice preview shows it', LONG, async () => {
  const { page, member, trouble } = await openAt('/test/security')
  const branding = { name: 'Adire & Oak', accentColor: '#9a4524', logo: await squareLogo() }
  expect((await member.post('/console/branding', branding)).status).toBe(200)
  await page.goto(`${server.url}/test/settings/branding`)
  await isTitled(page, 'Branding')
  const logo = page.getByAltText('Your logo')
  await expect.poll(async () => (await logo.boundingBox())?.height ?? 0, WAIT).toBeGreaterThan(20)
  const isInside = async () => {
    const [drawn, place] = [await endOf(logo), await endOf(page.locator('.logo-place'))]
    return drawn.bottom <= place.bottom && drawn.right <= place.right
  }
  await expect.poll(isInside, WAIT).toBe(true)

  await page.goto(`${server.url}/test/invoices/new`)
  const preview = page.getByRole('complementary', { name: 'Preview' }).frameLocator('iframe')
  await preview.getByText('Adire & Oak').first().waitFor(WAIT)
  await expect.poll(() => preview.locator('img').count(), WAIT).toBeGreaterThan(0)
  const button = preview.getByRole('button', { name: 'Pay by bank transfer' })
  const ground = () => button.evaluate((one) => getComputedStyle(one).backgroundColor)
  await expect.poll(ground, WAIT).toBe('rgb(154, 69, 36)')
  await expectFine(page)
  expect(trouble()).toEqual([])
})

test('the settings tabs stay in place whichever is selected', LONG, async () => {
  const { page } = await openAt('/test/settings')
  await isTitled(page, 'Business')
  await settled(page)
  const tabs = page.getByRole('navigation', { name: 'Settings' })
  const before = await tabs.boundingBox()
  for (const name of ['Branding', 'Payments and fees', 'Payouts', 'Your website']) {
    await tabs.getByRole('link', { name }).click()
    await isTitled(page, name)
    await settled(page)
    await expect.poll(() => tabs.boundingBox(), { ...WAIT, message: name }).toEqual(before)
  }
})

test(
  'an expired link offers a new one; a link that cannot be checked is not called expired',
  LONG,
  async () => {
    const { page } = await newPage(`${server.url}/reset-password?token=none`)
    await heading(page, 'This link no longer works').waitFor(WAIT)
    await page.getByRole('link', { name: 'Send me a new link' }).click()
    await heading(page, 'Forgot your password?').waitFor(WAIT)

    const link = '**/console/link**'
    const body = JSON.stringify({ message: 'Too many requests.', errors: {} })
    await page.route(link, (route) =>
      route.fulfill({ status: 429, contentType: 'application/json', body }),
    )
    await page.goto(`${server.url}/invitation?token=none`)
    await heading(page, 'This could not be loaded').waitFor(WAIT)
    await shows(page, 'Too many requests.')
    await expectFine(page)
    await page.unroute(link)
    await press(page, 'Try again')
    await heading(page, 'This link no longer works').waitFor(WAIT)
    await page.getByRole('link', { name: 'Sign in' }).waitFor(WAIT)
  },
)

test(
  'an empty list cannot be saved as CSV, and has a button that creates the first record',
  LONG,
  async () => {
    const { page } = await openAt('/test/payments')
    await heading(page, 'No payments yet').waitFor(WAIT)
    const download = page.getByRole('button', { name: 'Download CSV' })
    await expect.poll(() => download.isDisabled(), WAIT).toBe(true)
    await page.goto(`${server.url}/test/customers`)
    await heading(page, 'No customers yet').waitFor(WAIT)
    await press(page, 'New invoice')
    await isTitled(page, 'New invoice')
    await page.goto(`${server.url}/test/delivery`)
    await heading(page, 'Nothing to deliver yet').waitFor(WAIT)
    await press(page, 'New product')
    await isTitled(page, 'New product')
  },
)

test('a user who cannot be identified sees an error and can retry', LONG, async () => {
  const { page } = await openAt('/test/overview')
  await isTitled(page, 'Overview')
  const me = '**/console/me'
  const body = JSON.stringify({ message: 'Too many requests.', errors: {} })
  await page.route(me, (route) =>
    route.fulfill({ status: 429, contentType: 'application/json', body }),
  )
  await page.reload()
  await isTitled(page, 'This could not be loaded')
  await expectFine(page)
  await page.unroute(me)
  await press(page, 'Try again')
  await isTitled(page, 'Overview')
})

test('a missing record has "Not found" as its title', LONG, async () => {
  const { page } = await openAt('/test/payments/TRX_none')
  await isTitled(page, 'Not found')
  await expectFine(page)
})

test('a code shows its last day in the business’s time zone', LONG, async () => {
  const { page, api } = await openAt('/test/security')
  const code = { code: 'HARMATTAN', type: 'percentage', value: 5, endsAt: '2031-12-31' }
  const path = '/api/payment-service/external/v1/products/add-discount-code'
  expect((await api.post(path, code)).status).toBe(200)
  await page.goto(`${server.url}/test/discounts`)
  await page.getByRole('cell', { name: '31 Dec 2031' }).waitFor(WAIT)
})

test('the chart shows the amounts of the focused day and links to its payments', LONG, async () => {
  const { page, api } = await openAt('/test/security')
  const asked = { channel: 'USSD', amount: 10_000 }
  const started = await api.post(
    '/api/transaction-service/external/v1/transaction-with-ussd',
    asked,
  )
  const { reference } = started.body.data
  await api.post('/api/simulator/ussd', { reference, outcome: 'success' })
  await page.goto(`${server.url}/test/overview`)
  const days = page.getByRole('list', { name: /^₦10,000\.00 from / })
  const today = days.getByRole('link', { name: /^\S+ \S+ \S+ ₦10,000\.00 USSD ₦10,000\.00$/ })
  const amounts = today.getByText('USSD')
  const opacity = () =>
    amounts.evaluate((one) => getComputedStyle(one.closest('a > span')!).opacity)
  await today.waitFor(WAIT)
  await expectFine(page)
  await expect.poll(opacity, WAIT).toBe('0')
  await today.focus()
  await page.keyboard.press('ArrowLeft')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent), WAIT)
    .toContain('₦0.00')
  await page.keyboard.press('ArrowRight')
  await expect.poll(opacity, WAIT).toBe('1')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/payments\?startDate=([\d-]+)&endDate=\1$/, WAIT)
  await page.getByRole('cell', { name: '₦10,000.00' }).waitFor(WAIT)
})

test('on a phone, the shares of a payment fit', LONG, async () => {
  const { page, api } = await openAt('/test/security')
  const money = '/api/transaction-service/external/v1'
  const stall = { business_name: 'Stall', account_number: '0123456785', percentage_charge: 2 }
  const { reference: subaccount } = (await api.post(`${money}/subaccounts`, stall)).body.data
  const split = { name: 'Rides', subaccounts: [{ subaccount, share: 40 }] }
  const { id: pageId } = (await api.post(`${money}/split-page`, split)).body.data
  const asked = { channel: 'USSD', amount: 10_000, pageId }
  const { reference } = (await api.post(`${money}/transaction-with-ussd`, asked)).body.data
  await api.post('/api/simulator/ussd', { reference, outcome: 'success' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${server.url}/test/payments/${reference}`)
  const shares = page.getByRole('region', { name: 'Shares' })
  const share = shares.getByText('₦4,000.00', { exact: true })
  await share.waitFor(WAIT)
  const fits = async () => (await endOf(share)).right <= (await endOf(shares)).right
  await expect.poll(fits, WAIT).toBe(true)
  await expectFine(page)
})

test('the only owner cannot be removed, but one of two can', LONG, async () => {
  const { page, member, businessId } = await openAt('/test/team')
  const row = page.locator(`[data-member="${member.email}"]`)
  await row.getByText('Only owner').waitFor(WAIT)
  expect(await row.getByRole('button', { name: /^Leave/ }).count()).toBe(0)
  await memberOf(server, 'owner', businessId)
  await page.reload()
  await row.getByRole('button', { name: /^Leave/ }).waitFor(WAIT)
  await expectFine(page)
})

test('the actions of a page fit on one line on a phone', LONG, async () => {
  const { page, api } = await openAt('/test/security')
  const path = '/api/payment-service/external/v1/payment-pages/create-pages'
  const { pageId } = (await api.post(path, { title: 'Fair', amountType: 'variable' })).body.data
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${server.url}/test/pages/${pageId}`)
  const [first, last] = [
    page.getByRole('link', { name: 'Open', exact: true }),
    page.getByRole('button', { name: 'More actions' }),
  ]
  const isOneLine = async () => (await first.boundingBox())?.y === (await last.boundingBox())?.y
  await first.waitFor(WAIT)
  await expect.poll(isOneLine, WAIT).toBe(true)
})
