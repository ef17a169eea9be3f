import { describe, expect, test } from 'vitest'
import type { InvoiceView } from '../../src/pages/views.ts'
import { expectHeading, withBrowser } from './chromium.ts'
import { startFakePayerServer } from './fake-payer-server.ts'
import { STATES } from './states.ts'

const { newPage } = withBrowser()
const PHONE = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true }
const next = (name: string): InvoiceView => ({ ...STATES[name]!, version: `after-${name}` })

describe('the page follows the payment', () => {
  test('shows Paid on the event, announces it, and closes the stream', async () => {
    const server = await startFakePayerServer(STATES.transfer!)
    const { page, trouble } = await newPage(server.url, PHONE)
    await expect.poll(server.listenerCount).toBe(1)
    server.show(next('paid'))
    await expectHeading(page, 'Paid')
    await expect.poll(() => page.title()).toBe('Paid ₦25,000.50 · Adunni Foods')
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toBe('Payment of ₦25,000.50 received. Thank you.')
    await expect.poll(server.listenerCount).toBe(0)
    expect(server.asked.filter((one) => one.endsWith(STATES.open!.token))).toHaveLength(2)
    expect(trouble()).toEqual([])
  })

  test('polls if the stream is not available', async () => {
    const server = await startFakePayerServer(STATES.transfer!, { live: false })
    const { page } = await newPage(server.url)
    server.show(next('paid'))
    await expectHeading(page, 'Paid')
  })

  test('keeps the scroll position, the focus and an unsent choice', async () => {
    const server = await startFakePayerServer(STATES.ussd!)
    const { page } = await newPage(server.url, PHONE)
    const bank = page.getByLabel('Another bank')
    await bank.focus()
    await bank.selectOption('057')
    await page.evaluate('scrollTo(0, 400)')
    server.show({ ...next('ussd'), merchant: { name: 'Adunni Foods and Sons' } })
    await expect.poll(() => page.title()).toContain('and Sons')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('bank')
    await expect.poll(() => page.evaluate('scrollY')).toBe(400)
    await expect.poll(() => bank.inputValue()).toBe('057')
  })

  test('moves the focus to the amount if the focused element is gone', async () => {
    const server = await startFakePayerServer(STATES.transfer!)
    const { page } = await newPage(server.url)
    await page.locator('#copy-number').focus()
    await expect.poll(server.listenerCount).toBe(1)
    server.show(next('paid'))
    await expectHeading(page, 'Paid')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('amount')
  })

  test('checks at once when the payer returns to it', async () => {
    const server = await startFakePayerServer(STATES.ussd!)
    const { page } = await newPage(server.url)
    await expect.poll(server.listenerCount).toBe(1)
    const state = `GET /i/${STATES.ussd!.token}/state`
    expect(server.asked).not.toContain(state)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect.poll(() => server.asked).toContain(state)
  })
})

describe('the buttons of the waiting page', () => {
  test('Copy copies the number or amount without formatting, and confirms it', async () => {
    const server = await startFakePayerServer(STATES.transfer!)
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page } = await newPage(server.url, { permissions })
    for (const [name, copied] of [
      ['Copy account number', '9912045678'],
      ['Copy amount', '25000.50'],
    ] as const) {
      await page.getByRole('button', { name }).click()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(copied)
    }
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Amount copied')
  })

  test('"I’ve sent the money" reports that nothing has arrived, without a reload', async () => {
    const server = await startFakePayerServer(STATES.transfer!)
    const { page } = await newPage(server.url)
    await page.getByRole('link', { name: 'I’ve sent the money' }).click()
    await page.locator('main').getByText('We haven’t received your payment yet').waitFor()
    expect(server.asked.filter((one) => one.endsWith(STATES.open!.token))).toHaveLength(1)
  })

  test('the dial link contains the code, beside a QR code', async () => {
    const server = await startFakePayerServer(STATES.ussd!)
    const { page } = await newPage(server.url, PHONE)
    const dial = page.getByRole('link', { name: 'Dial now' })
    expect(await dial.getAttribute('href')).toBe('tel:*737*000*48211%23')
    expect(await page.getByRole('img', { name: /QR code/ }).isVisible()).toBe(true)
  })

  test('the timer uses the server’s clock', async () => {
    // The state's clock differs from the browser's by far; 29:30 remain all the same.
    const server = await startFakePayerServer(STATES.transfer!)
    const { page } = await newPage(server.url)
    const timer = page.getByRole('timer')
    const first = await timer.innerText()
    // Less on a slow machine.
    expect(first).toMatch(/^2[89]:[0-5]\d$/)
    await expect.poll(() => timer.innerText()).not.toBe(first)
    const later = await timer.innerText()
    expect(later).toMatch(/^2[89]:[0-5]\d$/)
    expect(later < first).toBe(true)
  })

  test('every control of the page can be reached with the keyboard', async () => {
    const server = await startFakePayerServer(STATES.open!)
    const { page } = await newPage(server.url)
    const reached: string[] = []
    for (let press = 0; press < 8; press++) {
      await page.keyboard.press('Tab')
      reached.push(await page.evaluate('document.activeElement.id || document.activeElement.href'))
    }
    expect(reached).toEqual([
      `${server.url}#pay`,
      'pay-transfer',
      'bank',
      'pay-ussd',
      'pay-card',
      `${server.url}/pdf`,
      'mailto:hello@adunni.example',
      'tel:+2348035550142',
    ])
  })
})

describe('without JavaScript', () => {
  test('no control needs it, and a reload shows Paid', async () => {
    const server = await startFakePayerServer(STATES.transfer!)
    const { page } = await newPage(server.url, { javaScriptEnabled: false })
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    expect(await page.getByRole('timer').count()).toBe(0)
    expect(await page.locator('noscript p').isVisible()).toBe(true)
    server.show(next('paid'))
    await page.getByRole('link', { name: 'I’ve sent the money' }).click()
    await expectHeading(page, 'Paid')
    expect(await page.getByRole('button', { name: 'Print receipt' }).count()).toBe(0)
  })
})
