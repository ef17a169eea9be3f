import { describe, expect, test } from 'vitest'
import type { InvoiceView } from '../../src/pages/views.ts'
import { expectHeading, withBrowser } from './chromium.ts'
import { startStandIn } from './stand-in.ts'
import { STATES } from './states.ts'

const { newPage } = withBrowser()
const PHONE = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true }
const next = (name: string): InvoiceView => ({ ...STATES[name]!, version: `after-${name}` })

describe('the page follows the payment by itself', () => {
  test('turns to Paid on the event, says so, and stops listening', async () => {
    const server = await startStandIn(STATES.transfer!)
    const { page, trouble } = await newPage(server.url, PHONE)
    await expect.poll(server.listenerCount).toBe(1)
    server.show(next('paid'))
    await expectHeading(page, 'Paid')
    expect(await page.title()).toBe('Paid ₦25,000.50 · Adunni Foods')
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toBe('Payment of ₦25,000.50 received. Thank you.')
    await expect.poll(server.listenerCount).toBe(0)
    expect(server.asked.filter((one) => one.endsWith(STATES.open!.token))).toHaveLength(2)
    expect(trouble()).toEqual([])
  })

  test('asks from time to time where events do not come through', async () => {
    const server = await startStandIn(STATES.transfer!, { live: false })
    const { page } = await newPage(server.url)
    server.show(next('paid'))
    await expectHeading(page, 'Paid')
  })

  test('keeps scroll, focus and a half-made choice', async () => {
    const server = await startStandIn(STATES.ussd!)
    const { page } = await newPage(server.url, PHONE)
    const bank = page.getByLabel('Another bank')
    await bank.focus()
    await bank.selectOption('057')
    await page.evaluate('scrollTo(0, 400)')
    server.show({ ...next('ussd'), merchant: { name: 'Adunni Foods and Sons' } })
    await expect.poll(() => page.title()).toContain('and Sons')
    expect(await page.evaluate('document.activeElement.id')).toBe('bank')
    expect(await page.evaluate('scrollY')).toBe(400)
    expect(await bank.inputValue()).toBe('057')
  })

  test('moves the focus to the amount when what had it is gone', async () => {
    const server = await startStandIn(STATES.transfer!)
    const { page } = await newPage(server.url)
    await page.locator('#copy-number').focus()
    await expect.poll(server.listenerCount).toBe(1)
    server.show(next('paid'))
    await expectHeading(page, 'Paid')
    expect(await page.evaluate('document.activeElement.id')).toBe('amount')
  })

  test('looks at once when the payer comes back to it', async () => {
    const server = await startStandIn(STATES.ussd!)
    const { page } = await newPage(server.url)
    await expect.poll(server.listenerCount).toBe(1)
    const state = `GET /i/${STATES.ussd!.token}/state`
    expect(server.asked).not.toContain(state)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect.poll(() => server.asked).toContain(state)
  })
})

describe('the buttons of the waiting page', () => {
  test('copy gives the bare number and the bare amount, and says so', async () => {
    const server = await startStandIn(STATES.transfer!)
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

  test('check again says that nothing has come, without a reload', async () => {
    const server = await startStandIn(STATES.transfer!)
    const { page } = await newPage(server.url)
    await page.getByRole('link', { name: 'I’ve sent the money' }).click()
    await page.locator('main').getByText('Nothing has arrived yet').waitFor()
    expect(server.asked.filter((one) => one.endsWith(STATES.open!.token))).toHaveLength(1)
  })

  test('dial and QR code lead to the code', async () => {
    const server = await startStandIn(STATES.ussd!)
    const { page } = await newPage(server.url, PHONE)
    const dial = page.getByRole('link', { name: 'Dial now' })
    expect(await dial.getAttribute('href')).toBe('tel:*737*000*48211%23')
    expect(await page.getByRole('img', { name: /QR code/ }).isVisible()).toBe(true)
  })

  test('counts down by the clock of the server', async () => {
    // The made-up clock of the state is far from the browser's; what is left is 29:30 all the same.
    const server = await startStandIn(STATES.transfer!)
    const { page } = await newPage(server.url)
    const timer = page.getByRole('timer')
    expect(await timer.innerText()).toMatch(/^29:(30|2\d)$/)
    const first = await timer.innerText()
    await expect.poll(() => timer.innerText(), { timeout: 5_000 }).not.toBe(first)
    expect(await timer.innerText()).toMatch(/^29:2\d$/)
  })

  test('a whole payment page is walked by the keyboard alone', async () => {
    const server = await startStandIn(STATES.open!)
    const { page } = await newPage(server.url)
    const reached: string[] = []
    for (let press = 0; press < 7; press++) {
      await page.keyboard.press('Tab')
      reached.push(await page.evaluate('document.activeElement.id || document.activeElement.href'))
    }
    expect(reached).toEqual([
      `${server.url}#pay`,
      'pay-transfer',
      'bank',
      'pay-ussd',
      `${server.url}/pdf`,
      'mailto:hello@adunni.example',
      'tel:+2348035550142',
    ])
  })
})

describe('without a script', () => {
  test('nothing is offered that needs one, and a reload shows Paid', async () => {
    const server = await startStandIn(STATES.transfer!)
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
