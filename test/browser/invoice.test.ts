import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../harness.ts'
import { expectHeading, expectText, overflowOf, seriousOf, withBrowser } from './chromium.ts'

const { newPage } = withBrowser()
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const NO_SCRIPT = { ...PHONE, javaScriptEnabled: false }
/** The simulator never settles by itself in these tests: each test makes its own payments. */
const BY_HAND = { simulatorDelayMs: 3_600_000 }

type Server = Awaited<ReturnType<typeof startServer>>

/**
 * A separate server that stops after the test: all at once would need too many connections.
 */
async function serve(options = {}): Promise<Server> {
  const server = await startServer(options)
  onTestFinished(server.close)
  return server
}

/** A sent invoice of ₦25,000.50, and the URL of its page on this server. */
async function sendInvoice(server: Server) {
  const { status, body } = await server.post('/api/payment-service/external/v1/invoices', {
    customerEmail: 'chinedu@example.com',
    customerName: 'Chinedu Okafor',
    amount: 25_000.5,
    note: 'Catering for the naming ceremony',
    lineItems: [
      { name: 'Jollof rice, tray', quantity: 3, unitAmount: 8_000 },
      { name: 'Delivery', quantity: 1, unitAmount: 1_000.5 },
    ],
  })
  expect(status).toBe(201)
  const { reference, hostedUrl } = body.data
  return { reference, url: server.url + new URL(hostedUrl).pathname }
}

const invoiceOf = async (server: Server, reference: string) =>
  (await server.get(`/api/payment-service/external/v1/invoices/${reference}`)).body.data

async function walletOf(server: Server): Promise<number> {
  const { body } = await server.get('/api/user-service/external/v1/wallet/balance')
  return body.data[0].available
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function choose(page: Page, channel: 'transfer' | 'USSD'): Promise<void> {
  if (channel === 'transfer') return press(page, 'Pay by bank transfer')
  await page.getByLabel('Your bank').selectOption('058')
  await press(page, 'Get a code to dial')
}

describe('an invoice is opened and paid', () => {
  test.each([
    ['transfer', 'with', PHONE, 'Simulate: pay by transfer', 'Bank transfer'],
    ['transfer', 'without', NO_SCRIPT, 'Simulate: pay by transfer', 'Bank transfer'],
    ['USSD', 'with', PHONE, 'Simulate: approve USSD', 'USSD'],
    ['USSD', 'without', NO_SCRIPT, 'Simulate: approve USSD', 'USSD'],
  ] as const)('by %s, %s JavaScript', async (channel, _, browser, button, channelName) => {
    const server = await serve(BY_HAND)
    const { reference, url } = await sendInvoice(server)
    const before = await walletOf(server)

    const { page, trouble } = await newPage(url, browser)
    await expectHeading(page, 'Amount due')
    expect(await page.locator('main').innerText()).toContain('Catering for the naming ceremony')
    await choose(page, channel)
    await press(page, button)
    await expectHeading(page, 'Paid')
    await expectText(page, channelName)
    expect(trouble()).toEqual([])

    const invoice = await invoiceOf(server, reference)
    expect(invoice).toMatchObject({ status: 'Paid', amountPaid: 25_000.5, amountDue: 0 })
    expect(invoice.viewedAt).not.toBeNull()
    // 1.5% and ₦100, paid by the business.
    expect(await walletOf(server)).toBe(before + 25_000.5 - 475.01)
  })
})

describe('the page shows Paid without a reload', () => {
  test('when the expected transfer arrives', async () => {
    const server = await serve(BY_HAND)
    const { url } = await sendInvoice(server)
    const { page, trouble } = await newPage(url, PHONE)
    await choose(page, 'transfer')
    const accountNumber = await page.locator('#copy-number').getAttribute('data-copy')
    await page.evaluate('document.body.dataset.kept = "yes"')
    const deposit = await server.post('/api/simulator/deposit', { accountNumber, amount: 25_000.5 })
    expect(deposit.body.data).toMatchObject({ accepted: true })
    await expectHeading(page, 'Paid')
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toContain('Payment of ₦25,000.50')
    // The document is the same, so nothing was reloaded.
    expect(await page.evaluate('document.body.dataset.kept')).toBe('yes')
    expect(trouble()).toEqual([])
  })

  test('when the payer approves the USSD payment on the phone', async () => {
    const server = await serve({ simulatorDelayMs: 2_000 })
    const { url } = await sendInvoice(server)
    const { page } = await newPage(url, PHONE)
    await choose(page, 'USSD')
    await expectHeading(page, 'Paid')
  })
})

describe('a payer', () => {
  test('can change the bank, then the channel', async () => {
    const server = await serve(BY_HAND)
    const { url } = await sendInvoice(server)
    const { page } = await newPage(url, PHONE)
    await choose(page, 'USSD')
    const code = await page.locator('#copy-code').getAttribute('data-copy')
    await page.getByLabel('Another bank').selectOption('057')
    await press(page, 'Show code')
    await expect.poll(() => page.locator('#way').innerText()).toContain('Zenith')
    await expect.poll(() => page.locator('#copy-code').getAttribute('data-copy')).not.toBe(code)
    await press(page, 'Pay another way')
    await choose(page, 'transfer')
    expect(await page.locator('#copy-number').getAttribute('data-copy')).toMatch(/^\d{10}$/)
  })

  test('sees that a payment was declined, and can choose a channel again', async () => {
    const server = await serve(BY_HAND)
    const { reference, url } = await sendInvoice(server)
    const { page } = await newPage(url, PHONE)
    await choose(page, 'USSD')
    await press(page, 'Simulate: decline')
    await page.getByText('That payment didn’t go through').waitFor()
    await page.getByRole('button', { name: 'Pay by bank transfer' }).waitFor()
    expect(await invoiceOf(server, reference)).toMatchObject({ status: 'Sent', amountPaid: 0 })
  })
})

describe('the page of a real server', () => {
  test('is accessible and fits a phone at every step', async () => {
    const server = await serve(BY_HAND)
    const { url } = await sendInvoice(server)
    const narrow = { ...PHONE, viewport: { width: 320, height: 640 } }
    const { page, trouble } = await newPage(url, narrow)
    const check = async () => {
      expect(await seriousOf(page)).toEqual([])
      expect(await overflowOf(page)).toBe(0)
    }
    await check()
    await choose(page, 'transfer')
    await page.locator('#copy-number').waitFor()
    await check()
    await press(page, 'Simulate: pay by transfer')
    await expectHeading(page, 'Paid')
    await check()
    expect(trouble()).toEqual([])
  })

  test('409 links back to the page if the invoice was voided in the meantime', async () => {
    const server = await serve(BY_HAND)
    const { reference, url } = await sendInvoice(server)
    const { page } = await newPage(url, NO_SCRIPT)
    await server.post(`/api/payment-service/external/v1/invoices/${reference}/void`)
    await press(page, 'Pay by bank transfer')
    await expectHeading(page, 'This payment has just changed')
    await page.getByRole('link', { name: 'Back to payment' }).click()
    await expectHeading(page, 'Nothing to pay')
  })

  test('404 shows a page for an unknown link', async () => {
    const server = await serve()
    const { page, trouble } = await newPage(`${server.url}/i/nosuchtoken`)
    expect(await page.locator('h1').innerText()).toBe('We couldn’t find this page')
    expect(await seriousOf(page)).toEqual([])
    expect(trouble()).toEqual([])
  })
})
