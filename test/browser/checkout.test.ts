import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openShop, type Shop } from '../../src/sales/checkout/checkout.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { startServer } from '../harness.ts'
import { expectHeading, expectText, overflowOf, seriousOf, withBrowser } from './chromium.ts'

const { newPage } = withBrowser()
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const NO_SCRIPT = { ...PHONE, javaScriptEnabled: false }
/** The simulator never settles by itself in these tests: each test makes its own payments. */
const BY_HAND = { simulatorDelayMs: 3_600_000 }
const PAGES = '/api/payment-service/external/v1/payment-pages'

/** A separate server for the test, and a business that sells there. */
async function openMarket() {
  const server = await startServer(BY_HAND)
  onTestFinished(server.close)
  return { server, shop: await openShop(server) }
}

let links = 0

/** A published page with products, and its URL. */
async function newPaymentPage(
  { shop, server }: Awaited<ReturnType<typeof openMarket>>,
  content: Record<string, unknown>,
  productIds: string[] = [],
): Promise<string> {
  const customLink = `market-${++links}`
  const pageId = await shop.page({ customLink, ...content })
  if (productIds.length > 0) {
    const body = { pageId, productIds: productIds.join(',') }
    expect((await shop.post(`${PAGES}/payment-page-add-product`, body)).status).toBe(200)
  }
  return `${server.url}/pay/${customLink}`
}

/** A T-shirt in two sizes, delivered to Lagos, and an e-book with its file. */
async function stock(shop: Shop, url: string) {
  const options = [{ name: 'Size', values: ['M', 'L'] }]
  const shirt = await shop.product({ name: 'Ankara T-shirt', price: 5000, options })
  const book = await shop.product({ name: 'Pattern book', price: 1500, type: 'digital' })
  await shop.deliveryFee(shirt, 'Lagos', '700')
  await shop.discount({ code: 'TEN' })
  const data = new FormData()
  data.append('productId', book)
  data.append('file', new Blob(['%PDF-1.4 the pattern']), 'pattern.pdf')
  const uploaded = await fetch(
    `${url}/api/payment-service/external/v1/products/add-digital-download-files`,
    { method: 'POST', body: data, headers: { authorization: `Bearer ${shop.keys.testSecret}` } },
  )
  expect(uploaded.status).toBe(200)
  return { shirt, book }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('a payer buys a T-shirt and an e-book', () => {
  test.each([
    ['with', PHONE],
    ['without', NO_SCRIPT],
  ] as const)('by transfer, %s JavaScript', async (_, browser) => {
    const market = await openMarket()
    const { server, shop } = market
    const { shirt, book } = await stock(shop, server.url)
    const content = { title: 'Ankara week', amountType: 'variable', amount: undefined }
    const more = { allowDiscountCodes: true, collectAddress: true, color: '#d9480f' }
    const address = await newPaymentPage(market, { ...content, ...more }, [shirt, book])

    const { page, trouble } = await newPage(address, browser)
    // The accessibility check is itself a script.
    const seriousNow = () => (browser === NO_SCRIPT ? [] : seriousOf(page))
    expect(await seriousNow()).toEqual([])
    const shirts = page.getByLabel('Quantity of Ankara T-shirt', { exact: true })
    await shirts.fill('1')
    await press(page, 'Add and choose another')
    await page.getByLabel('Quantity of Ankara T-shirt (M)').waitFor()
    await page.getByText('L', { exact: true }).click()
    await shirts.fill('1')
    await page.getByLabel('Quantity of Pattern book').fill('1')
    if (browser === NO_SCRIPT) await press(page, 'Update total')
    await expect
      .poll(() => page.locator('[data-shows="subtotal"]').innerText())
      .toContain('₦11,500.00')
    await page.getByLabel('Email address').fill('chinedu@example.com')
    await page.getByLabel('Where to deliver').selectOption('Lagos')
    await page.getByLabel('Delivery address').fill('1 Allen Avenue')
    await page.getByLabel('Discount code').fill('NOPE')
    await press(page, 'Continue to payment')
    await page.getByText('Please fix the following').waitFor()
    expect(await seriousNow()).toEqual([])
    expect(await page.getByLabel('Delivery address').inputValue()).toBe('1 Allen Avenue')
    await page.getByLabel('Discount code').fill('ten')
    await press(page, 'Continue to payment')

    // (2 × 5,000 + 1,500) less 10 %, plus 700 for delivery.
    await expectHeading(page, '₦11,050.00')
    await expectText(page, 'Ankara T-shirt (L)')
    await expectText(page, 'Ankara T-shirt (M)')
    await press(page, 'Pay by bank transfer')
    expect(await page.locator('#copy-number').getAttribute('data-copy')).toMatch(/^\d{10}$/)
    expect(await page.locator('#copy-amount').getAttribute('data-copy')).toBe('11050.00')
    await press(page, 'Simulate: pay by transfer')
    await expectHeading(page, 'Paid')
    expect(await seriousNow()).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    expect(trouble()).toEqual([])

    const receipt = await fetch(page.url().replace('/checkout/', '/receipt/'))
    expect(await receipt.text()).toContain('Download pattern.pdf')
    const href = await page.getByRole('link', { name: 'Download pattern.pdf' }).getAttribute('href')
    const file = await fetch(server.url + href)
    expect([file.status, await file.text()]).toEqual([200, '%PDF-1.4 the pattern'])
    expect(await shop.stock(shirt)).toMatchObject({ reserved: 0 })
    expect(await findings(server)).toEqual([])
  })
})

describe('a payer chooses an amount', () => {
  test('and pays by USSD, with a code to dial', async () => {
    const market = await openMarket()
    const content = { amountType: 'minimum', amount: 500, suggestedAmounts: [1000, 2500] }
    const { page, trouble } = await newPage(await newPaymentPage(market, content), PHONE)
    await page.getByText('₦2,500.00').click()
    await page.getByLabel('Email address').fill('ada@example.com')
    await press(page, 'Continue to payment')
    await expectHeading(page, '₦2,500.00')
    await page.getByLabel('Your bank').selectOption('058')
    await press(page, 'Get a code to dial')
    await page.locator('#copy-code').waitFor()
    expect(await page.locator('#dial').getAttribute('href')).toMatch(/^tel:\*737\*.*%23$/)
    await page.locator('.qr').waitFor()
    await press(page, 'Simulate: approve USSD')
    await expectHeading(page, 'Paid')
    expect(trouble()).toEqual([])
    expect(await findings(market.server)).toEqual([])
  })

  test('and pays the one that they gave last, chosen or typed', async () => {
    const market = await openMarket()
    const content = { amountType: 'variable', amount: undefined, suggestedAmounts: [1000, 5000] }
    const { page } = await newPage(await newPaymentPage(market, content), PHONE)
    const [field, picked] = [
      page.getByLabel('Another amount'),
      page.locator('[type=radio]:checked'),
    ]
    await page.getByText('₦1,000.00').click()
    expect(await picked.count()).toBe(1)
    await field.fill('2,000')
    expect(await picked.count()).toBe(0)
    await page.getByText('₦5,000.00').click()
    expect(await field.inputValue()).toBe('')
    await page.getByLabel('Email address').fill('ada@example.com')
    await press(page, 'Continue to payment')
    await expectHeading(page, '₦5,000.00')
  })

  test('and sends the form again after stopping the page from loading', async () => {
    const market = await openMarket()
    const { page } = await newPage(await newPaymentPage(market, { amount: 1000 }), PHONE, (one) =>
      one.clock.install(),
    )
    let sent = 0
    // The browser stays on the page if there is no content.
    await page.route('**/pay/*', (route) => {
      sent++
      return route.fulfill({ status: 204 })
    })
    await page.getByLabel('Email address').fill('ada@example.com')
    await press(page, 'Continue to payment')
    await expect.poll(() => sent).toBe(1)
    // A second tap must not send it twice.
    await press(page, 'Continue to payment')
    await page.clock.fastForward(9_000)
    expect(sent).toBe(1)
    await page.clock.fastForward(2_000)
    await page.unroute('**/pay/*')
    await press(page, 'Continue to payment')
    await expectHeading(page, '₦1,000.00')
  })

  test('and the page shows Paid without a reload when the transfer arrives', async () => {
    const market = await openMarket()
    const { page } = await newPage(await newPaymentPage(market, { amount: 1000 }), PHONE)
    await page.getByLabel('Email address').fill('ada@example.com')
    await press(page, 'Continue to payment')
    await press(page, 'Pay by bank transfer')
    const accountNumber = await page.locator('#copy-number').getAttribute('data-copy')
    await page.evaluate('document.body.dataset.kept = "yes"')
    await market.shop.deposit(accountNumber!, 1000)
    await expectHeading(page, 'Paid')
    const spoken = () => page.getByRole('status').textContent()
    await expect.poll(spoken, { timeout: 15_000 }).toContain('Payment of ₦1,000.00')
    // The document is the same, so nothing was reloaded.
    expect(await page.evaluate('document.body.dataset.kept')).toBe('yes')
  })

  test('and changes the channel, cancels, and starts again', async () => {
    const market = await openMarket()
    const { page } = await newPage(await newPaymentPage(market, { amount: 1000 }), NO_SCRIPT)
    await page.getByLabel('Email address').fill('ada@example.com')
    await press(page, 'Continue to payment')
    await press(page, 'Pay by bank transfer')
    await press(page, 'Pay another way')
    await page.getByText('Cancel this payment').first().click()
    await press(page, 'Yes, cancel it')
    await expectHeading(page, 'Not paid')
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByRole('button', { name: 'Continue to payment' }).waitFor()
  })
})
