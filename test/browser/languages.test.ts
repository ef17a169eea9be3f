import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LANGUAGES, textsOf } from '../../src/pages/texts.ts'
import { startServer } from '../harness.ts'
import { expectHeading, expectText, overflowOf, seriousOf, withBrowser } from './chromium.ts'
import { startFakePayerServer } from './fake-payer-server.ts'
import { STATES } from './states.ts'

const { newPage } = withBrowser()
const NARROW = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }
const OTHERS = LANGUAGES.filter((language) => language !== 'en')

describe.each(OTHERS)('in %s', (locale) => {
  test.each(['part', 'transfer-test', 'ussd-test', 'paid'])('%s is accessible', async (state) => {
    const { url } = await startFakePayerServer(STATES[state]!, { locale })
    const { page, trouble } = await newPage(url, NARROW)
    expect(await seriousOf(page)).toEqual([])
    expect(trouble()).toEqual([])
  })

  test('every state fits on 320 pixels, and nothing is cut off', async () => {
    const server = await startFakePayerServer(STATES.open!, { locale })
    const { page } = await newPage(server.url, NARROW)
    for (const [name, view] of Object.entries(STATES)) {
      server.show(view)
      await page.goto(server.url)
      expect([name, await overflowOf(page)]).toEqual([name, 0])
    }
    await page.goto(`${server.origin}/429`)
    expect(await overflowOf(page)).toBe(0)
  })
})

test('no language has a word that is wider than its button', async () => {
  for (const locale of LANGUAGES) {
    const server = await startFakePayerServer(STATES['ussd-test']!, { locale })
    const { page } = await newPage(server.url, NARROW)
    const wide = await page.$$eval('.button', (buttons) =>
      buttons.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    )
    expect([locale, ...wide]).toEqual([locale])
  }
})

describe('the switch', () => {
  test('has links large enough for a thumb on the narrowest phone', async () => {
    const { url } = await startFakePayerServer(STATES.open!)
    const { page } = await newPage(url, NARROW)
    const links = page.getByRole('navigation', { name: 'Language' }).getByRole('link')
    expect(await links.allInnerTexts()).toEqual(LANGUAGES.map((one) => textsOf(one).name))
    for (const link of await links.all()) {
      const { width, height } = (await link.boundingBox())!
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    }
  })

  test.each([
    ['with', {}],
    ['without', { javaScriptEnabled: false }],
  ])('keeps the choice for the whole payment, %s JavaScript', async (_, browser) => {
    const { page, url } = await openInvoice({ ...NARROW, ...browser })
    await expectHeading(page, 'Amount due')
    await page.getByRole('link', { name: 'Yorùbá' }).click()
    await expectHeading(page, 'Iye tí ẹ máa san')
    expect(page.url()).toBe(url)
    expect(await page.locator('html').getAttribute('lang')).toBe('yo')
    expect(await page.locator('[aria-current]').innerText()).toBe('Yorùbá')

    await page.getByRole('button', { name: 'Ẹ fi transfer san án' }).click()
    await page.getByText('Àfarawé: fi transfer san án').click()
    await expectHeading(page, 'Ẹ ti san')
    await page.goto(url)
    await expectHeading(page, 'Ẹ ti san')
  })

  test.each([
    ['with', {}],
    ['without', { javaScriptEnabled: false }],
  ])('keeps the text of a refused form, %s JavaScript', async (_, browser) => {
    const server = await startServer()
    onTestFinished(server.close)
    const { status } = await server.post(
      '/api/payment-service/external/v1/payment-pages/create-pages',
      {
        title: 'Party of the year',
        amountType: 'fixed',
        amount: 500,
        customLink: 'party',
        allowDiscountCodes: true,
        customFields: [{ name: 'day', label: 'Day', type: 'date', required: false }],
      },
    )
    expect(status).toBe(200)
    const url = `${server.url}/pay/party`
    const { page, trouble } = await newPage(url, { ...NARROW, ...browser })
    await page.getByLabel('Name').fill('Ngozi Eze')
    await page.getByLabel('Email address').fill('ngozi@example.com')
    await page.getByLabel('Discount code').fill('NOPE')
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await page.getByText('Please fix the following').waitFor()
    if (!('javaScriptEnabled' in browser)) expect(await seriousOf(page)).toEqual([])
    const other = page.getByRole('button', { name: 'Français' })
    // The button has its size only with all styles.
    await page.waitForLoadState()
    const { width, height } = (await other.boundingBox())!
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    await other.click()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr')
    expect(await page.locator('input[name=name]').inputValue()).toBe('Ngozi Eze')
    expect(await page.locator('input[name=email]').inputValue()).toBe('ngozi@example.com')
    await page.locator('input[name=discountCode]').fill('')
    await page.getByLabel('Day').fill('2026-12-20')
    await page.locator('#go').click()
    await expect.poll(() => page.locator('h1').innerText()).toContain('Montant à payer')
    await expectText(page, '20 décembre 2026')
    expect(trouble()).toEqual([])
  })

  test('the browser’s language is used from the first page, also for announcements', async () => {
    const { page, url, server } = await openInvoice({ ...NARROW, locale: 'fr-SN' })
    await expectHeading(page, 'Montant à payer')
    expect(await page.locator('h1 .amount').innerText()).toMatch(/^25\s000,50\s₦$/)
    await page.getByRole('button', { name: 'Payer par virement' }).click()
    const accountNumber = await page.locator('#copy-number').getAttribute('data-copy')
    await server.post('/api/simulator/deposit', { accountNumber, amount: 25_000.5 })
    await expectHeading(page, 'Payé')
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toMatch(/^Paiement de 25\s000,50\s₦ reçu\. Merci\.$/)
    await page.goto(`${url}x`)
    expect(await page.locator('h1').innerText()).toBe('Page introuvable')
  })
})

/** Opens the page of an invoice of ₦25,000.50 on a separate server; the test pays it. */
async function openInvoice(options: BrowserContextOptions) {
  const server = await startServer({ simulatorDelayMs: 3_600_000 })
  onTestFinished(server.close)
  const { body } = await server.post('/api/payment-service/external/v1/invoices', {
    customerEmail: 'chinedu@example.com',
    amount: 25_000.5,
  })
  const url = server.url + new URL(body.data.hostedUrl).pathname
  return { server, url, ...(await newPage(url, options)) }
}
