import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import {
  renderInvoiceEmail,
  renderNoticeEmail,
  renderReceiptEmail,
} from '../../src/mail/templates.ts'
import { startServer } from '../harness.ts'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'

const { newPage } = withBrowser()

const LONG = 'Ngozi-Adaeze-Chimamanda-Oluwaseun-and-Daughters-Trading-Enterprises-Limited'
const merchant = { name: 'Ada Ventures', email: 'ada@example.com', phone: '+234 803 000 0000' }
const common = {
  test: true,
  merchant,
  timeZone: 'Africa/Lagos',
  number: 'INV-000123',
  customerName: 'Bola Okafor',
  currency: 'NGN',
  hostedUrl: 'https://pay.example.com/i/12t-3f-0123456789ABCDEFGHIJKL',
}
const payableOnline = true
const due = { amountMinor: 1_000_000n, paidMinor: 0n, dueMinor: 1_000_000n }

const LETTERS = {
  invoice: renderInvoiceEmail({
    ...common,
    ...due,
    payableOnline: false,
    manual: {
      bankName: 'Bank',
      accountNumber: '0123456789',
      accountName: LONG,
      instructions: LONG,
    },
    purpose: 'invoice',
    note: 'For the order of 12 November.\nThank you!',
    lineItems: [{ name: 'Fabric', quantity: 2, unitMinor: 500_000n, amountMinor: 1_000_000n }],
    dueDate: '2026-11-24',
    daysLeft: 3,
  }),
  'overdue reminder, long words': renderInvoiceEmail({
    ...common,
    test: false,
    merchant: { name: LONG + LONG },
    customerName: LONG,
    payableOnline,
    purpose: 'reminder',
    note: LONG + LONG,
    lineItems: [{ name: LONG, quantity: 1, unitMinor: 10n ** 13n, amountMinor: 10n ** 13n }],
    amountMinor: 10n ** 13n,
    paidMinor: 50_000n,
    dueMinor: 10n ** 13n - 50_000n,
    dueDate: '2026-11-14',
    daysLeft: -7,
  }),
  receipt: renderReceiptEmail({
    ...common,
    paidMinor: 400_000n,
    feeMinor: 1_000n,
    excessMinor: 10_000n,
    leftMinor: 600_000n,
    paidAt: new Date('2026-11-21T10:00:00Z'),
    channel: 'BANK_TRANSFER',
    reference: 'TRX_0123456789abcdefghij',
  }),
  'payment that comes back': renderReceiptEmail({
    ...common,
    paidMinor: 400_000n,
    feeMinor: 0n,
    excessMinor: 400_000n,
    owedBack: 'paid',
    leftMinor: 0n,
    paidAt: new Date('2026-11-21T10:00:00Z'),
    channel: 'USSD',
    reference: 'TRX_0123456789abcdefghij',
  }),
  notice: renderNoticeEmail({
    test: false,
    heading: 'A secret key for Ada Ventures was used from a browser',
    paragraphs: ['A web page sent a request with one of your secret keys.'],
    facts: [['Web page', `https://${LONG}.example.com`]],
  }),
}

/** Serves mails without our headers, as mail clients show them. */
const viewer = createServer((request, answer) => {
  const name = decodeURIComponent(request.url!.slice(1)) as keyof typeof LETTERS
  answer.setHeader('content-type', 'text/html; charset=utf-8')
  answer.end(LETTERS[name]?.html ?? '')
})
await new Promise<void>((done) => viewer.listen(0, '127.0.0.1', done))
afterAll(() => void viewer.close())
const { port } = viewer.address() as AddressInfo
const urlOf = (name: string) => `http://127.0.0.1:${port}/${encodeURIComponent(name)}`

describe('every mail', () => {
  test.each(Object.keys(LETTERS))('%s is accessible, light and dark', async (name) => {
    const { page, trouble } = await newPage(urlOf(name), { viewport: { width: 800, height: 900 } })
    expect(await seriousOf(page)).toEqual([])
    const frame = await page.locator('div').nth(1).boundingBox()
    expect(frame?.width).toBe(600)
    // Nothing is loaded from a server: no image, no font.
    expect(trouble()).toEqual([])
  })

  test.each(Object.keys(LETTERS))('%s fits on 320 pixels', async (name) => {
    const { page } = await newPage(urlOf(name), { viewport: { width: 320, height: 640 } })
    expect(await overflowOf(page)).toBe(0)
  })
})

describe('the mailbox', () => {
  test('opens a mail, and the payment page from its link', async () => {
    const server = await startServer()
    const { body } = await server.post('/api/payment-service/external/v1/invoices', {
      customerEmail: 'bola@example.com',
      amount: 10_000,
    })
    await server.runJob('mail')
    const { page, trouble } = await newPage(`${server.url}/mailbox`)
    expect(await seriousOf(page)).toEqual([])
    await page.getByRole('link', { name: body.data.invoiceNumber }).click()
    await page.locator('iframe').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await expect.poll(() => page.evaluate('innerWidth')).toBe(390)
    expect(await overflowOf(page)).toBe(0)

    const button = page.frameLocator('iframe').getByRole('link', { name: 'Pay ₦10,000.00' })
    expect(await button.getAttribute('href')).toBe(body.data.hostedUrl)
    const [opened] = await Promise.all([page.waitForEvent('popup'), button.click()])
    await opened.close()
    expect(await page.locator('pre').innerText()).toContain(body.data.hostedUrl)
    expect(trouble().filter((what) => !what.includes(body.data.hostedUrl))).toEqual([])
  })
})
