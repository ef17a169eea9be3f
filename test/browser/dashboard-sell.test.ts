import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ownerToken, PASSWORD } from '../../src/console/testing.ts'
import { startServer } from '../harness.ts'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'

const { newPage } = withBrowser()
/** The simulator never settles by itself in these tests: each payment is made by hand. */
const BY_HAND = { simulatorDelayMs: 3_600_000 }
const STILL = { reducedMotion: 'reduce' } as const
/** Each look by axe takes seconds, and many of them on a loaded machine. */
const LONG = { timeout: 300_000 }
const WAIT = { timeout: 90_000 }

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
/** A star follows the label of what is required. */
const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}( \\*)?$`))
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const status = (page: Page) => page.locator('main h1 + *').first()

/** A server of the test's own, and its owner at the dashboard, signed up by the link. */
async function openDashboard() {
  const server = await startServer(BY_HAND)
  onTestFinished(server.close)
  const token = await ownerToken(server, server.business.businessId)
  const { page, trouble } = await newPage(`${server.url}/sign-up?token=${token}`, STILL)
  page.setDefaultTimeout(WAIT.timeout)
  await field(page, 'Your name').fill('Ada Obi')
  await field(page, 'E-mail address').fill('ada@sell.example')
  await page.locator('input[type=password]').fill(PASSWORD)
  await press(page, 'Create the account')
  await page.waitForURL('**/test/overview', WAIT)

  /** Opens a screen, and waits for its heading. */
  const open = async (screen: string, title: string) => {
    await page.goto(`${server.url}/test/${screen}`)
    await heading(page, title).waitFor(WAIT)
  }
  /** The server is told another address than the one at which it listens here. */
  const addressOfPayers = async () => {
    const link = page.getByRole('region', { name: 'Link for payers' }).getByRole('link')
    return server.url + new URL((await link.getAttribute('href'))!).pathname
  }
  return { server, page, trouble, open, addressOfPayers }
}

/** Nothing serious by axe, light or dark, and nothing wider than a small phone. */
async function expectFine(page: Page): Promise<void> {
  expect(await seriousOf(page)).toEqual([])
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  // Rows become cards once the script has heard of it.
  await expect.poll(() => overflowOf(page), WAIT).toBeLessThanOrEqual(0)
  await page.setViewportSize(before)
}

describe('what one sells with, by hand', LONG, () => {
  test('an invoice is written, sent, paid by its customer, and refunded', async () => {
    const { page, trouble, open, addressOfPayers } = await openDashboard()
    await open('invoices', 'Invoices')
    await heading(page, 'No invoices yet').waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('button', { name: 'New invoice' }).first().click()
    await heading(page, 'New invoice').waitFor(WAIT)

    await press(page, 'List what it is for')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('An e-mail address, such as ada@example.com.').waitFor(WAIT)
    await page.getByText('What is it?').waitFor(WAIT)
    await field(page, 'E-mail address').fill('bola@sell.example')
    await field(page, 'Name').fill('Bola Ade')
    await field(page, 'What').fill('Aso oke, by the yard')
    await field(page, 'Quantity').fill('3')
    await field(page, 'Each').fill('3000.50')
    await field(page, 'Note').fill('Thank you.')
    const preview = page.getByRole('complementary', { name: 'Preview' })
    await expect.poll(() => preview.innerText(), WAIT).toContain('₦9,001.50')
    expect(await preview.innerText()).toContain('Aso oke, by the yard')
    await expectFine(page)
    await press(page, 'Send ₦9,001.50')

    await heading(page, 'Lines').waitFor(WAIT)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toContain('bola@sell.example')
    await expectFine(page)
    const { page: payer } = await newPage(await addressOfPayers(), STILL)
    await press(payer, 'Pay by bank transfer')
    await press(payer, 'Simulate: pay by transfer')
    await expect.poll(() => payer.locator('h1').innerText(), WAIT).toContain('Paid')

    await page.reload()
    await page.getByText('Paid in full').waitFor(WAIT)
    await open('payments', 'Payments')
    await page.getByRole('link', { name: '₦9,001.50' }).waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('link', { name: '₦9,001.50' }).click()
    await heading(page, 'What happened').waitFor(WAIT)
    await expectFine(page)
    await press(page, 'Refund')
    await page.getByText('to where it came from').waitFor(WAIT)
    await expectFine(page)
    await field(page, 'Amount').fill('1000')
    await field(page, 'Reason').fill('One yard was short')
    await press(page, 'Refund ₦1,000.00')
    await heading(page, 'Refunds').waitFor(WAIT)
    await page.getByText('One yard was short').waitFor(WAIT)
    expect(trouble()).toEqual([])
  })

  test('a page is built, published, paid by a payer, and taken back', async () => {
    const { page, trouble, open, addressOfPayers } = await openDashboard()
    await open('pages', 'Payment pages')
    await heading(page, 'No payment pages yet').waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('button', { name: 'New page' }).first().click()
    await heading(page, 'New payment page').waitFor(WAIT)
    await field(page, 'Title').fill('Workshop in Iseyin')
    await field(page, 'Description').fill('One day at the loom.')
    await field(page, 'Price').fill('25000')
    await press(page, 'Add a question')
    await field(page, 'Question').fill('What do you weave?')
    const preview = page.getByRole('complementary', { name: 'Preview' })
    await expect.poll(() => preview.innerText(), WAIT).toContain('Pay ₦25,000.00')
    expect(await preview.innerText()).toContain('What do you weave?')
    await expectFine(page)
    await press(page, 'Publish')

    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expect.poll(() => status(page).innerText(), WAIT).toBe('Published')
    await expectFine(page)
    await press(page, 'QR code')
    await page.getByRole('img', { name: 'QR code of Workshop in Iseyin' }).waitFor(WAIT)
    await page.keyboard.press('Escape')
    const address = await addressOfPayers()
    const { page: payer } = await newPage(address, STILL)
    expect(await payer.locator('main').innerText()).toContain('One day at the loom.')
    await payer.getByLabel('E-mail address').fill('bola@sell.example')
    await payer.getByLabel('What do you weave?').fill('Aso oke')
    await press(payer, 'Continue to the payment')
    await press(payer, 'Pay by bank transfer')
    await press(payer, 'Simulate: pay by transfer')
    await expect.poll(() => payer.locator('h1').innerText(), WAIT).toContain('Paid')

    await press(page, 'Edit')
    await heading(page, 'Edit the page').waitFor(WAIT)
    await field(page, 'Price').fill('27000')
    await press(page, 'Save')
    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toContain('₦27,000.00')
    await open('payments', 'Payments')
    await page.getByRole('link', { name: '₦25,000.00' }).waitFor(WAIT)
    await page.getByText('bola@sell.example').first().waitFor(WAIT)
    await page.getByRole('link', { name: 'Payment pages' }).click()
    await page.getByRole('link', { name: 'Workshop in Iseyin' }).click()
    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toContain('₦25,000.00')
    await press(page, 'Unpublish')
    await expect.poll(() => status(page).innerText(), WAIT).toBe('Unpublished')
    expect((await payer.goto(address))!.status()).toBe(404)
    expect(trouble()).toEqual([])
  })

  test('a product gets variants and a picture', async () => {
    const { page, trouble, open } = await openDashboard()
    await open('products', 'Products')
    await heading(page, 'No products yet').waitFor(WAIT)
    await page.getByRole('button', { name: 'New product' }).first().click()
    await heading(page, 'New product').waitFor(WAIT)
    await field(page, 'Name').fill('Ankara T-shirt')
    await field(page, 'Price').fill('6500')
    await press(page, 'Add an option')
    await field(page, 'Option').fill('Size')
    const values = page.getByRole('group', { name: 'Option 1' }).getByPlaceholder('S, M, L')
    await values.click()
    await page.keyboard.type('M')
    await page.keyboard.press('Enter')
    await page.keyboard.type('L')
    await page.keyboard.press('Enter')
    await expectFine(page)
    await press(page, 'Create the product')

    await heading(page, 'Ankara T-shirt').waitFor(WAIT)
    await press(page, 'Edit L')
    await field(page, 'Quantity').fill('7')
    await press(page, 'Save')
    const variants = page.getByRole('table', { name: 'Variants' })
    await expect.poll(() => variants.innerText(), WAIT).toMatch(/L\s+–\s+₦6,500.00\s+7/)
    const picture = { name: 'shirt.jpg', mimeType: 'image/jpeg' }
    const buffer = await page.screenshot({ type: 'jpeg' })
    await page.locator('input[type=file]').setInputFiles({ ...picture, buffer })
    await page.getByRole('img', { name: 'Ankara T-shirt, number 1' }).waitFor(WAIT)
    await expectFine(page)
    await open('products', 'Products')
    await page.getByRole('link', { name: 'Ankara T-shirt' }).waitFor(WAIT)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })

  test('a product is delivered for a fee, and ordered with a code', async () => {
    const { server, page, trouble, open } = await openDashboard()
    const family = '/api/payment-service/external/v1'
    const product = { name: 'Ankara T-shirt', price: 6500, quantity: 3 }
    const made = await server.post(`${family}/products/create-product`, product)
    expect(made.status).toBe(200)
    const { productId } = made.body.data
    await open(`products/${productId}`, 'Ankara T-shirt')
    await page.getByRole('link', { name: 'Set its delivery fees' }).click()
    await heading(page, 'Delivered for nothing').waitFor(WAIT)
    await page.getByRole('button', { name: 'New fee' }).first().click()
    await field(page, 'Place').fill('Everywhere')
    await field(page, 'Fee').fill('500')
    await press(page, 'Set the fee')
    await page.getByRole('cell', { name: '₦500.00' }).waitFor(WAIT)
    await expectFine(page)

    await open('discounts', 'Discounts')
    await page.getByRole('button', { name: 'New code' }).first().click()
    await field(page, 'Code').fill('first10')
    await field(page, 'Comes off').fill('10')
    await expectFine(page)
    await press(page, 'Create the code')
    await page.getByText('FIRST10').first().waitFor(WAIT)
    await expectFine(page)

    const { status: begun } = await server.post(`${family}/initialize-checkout`, {
      customerEmail: 'bola@sell.example',
      products: [{ productId }],
      deliveryLocation: 'Ibadan',
      discountCode: 'FIRST10',
    })
    expect(begun).toBe(201)
    await open('orders', 'Orders')
    await page.getByRole('link', { name: 'bola@sell.example' }).waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('link', { name: 'bola@sell.example' }).click()
    await heading(page, 'What was bought').waitFor(WAIT)
    await expect
      .poll(() => page.locator('main').innerText(), WAIT)
      .toContain('−₦650.00 with FIRST10')
    await expectFine(page)
    expect(trouble()).toEqual([])
  })
})
