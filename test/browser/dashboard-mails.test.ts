import { expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { isTitled, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, settled, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()
const INVOICES = '/api/payment-service/external/v1/invoices'

const openAt = openerOf(server, newPage)

test('a reminder asks first, then appears in the invoice’s timeline and emails', LONG, async () => {
  const { page, trouble, api } = await openAt('/test/invoices')
  const { body } = await api.post(INVOICES, { customerEmail: 'ada@example.com', amount: 5_000 })
  const { reference, invoiceNumber } = body.data
  await page.goto(`${server.url}/test/invoices/${reference}`)
  await isTitled(page, `Invoice ${invoiceNumber}`)
  await press(page, 'Send reminder')
  await shows(page, `Send a reminder for ${invoiceNumber}?`)
  await shows(page, 'We’ll email ada@example.com a reminder that ₦5,000.00 is due.')
  await page.getByRole('dialog').getByRole('button', { name: 'Send reminder' }).click()
  await shows(page, 'Reminder sent to ada@example.com.')
  // There is no mail server, so the email only appears here.
  const timeline = async () => {
    await page.reload()
    await isTitled(page, `Invoice ${invoiceNumber}`)
    await settled(page)
    return page.getByRole('region', { name: 'Timeline' }).innerText()
  }
  await expect.poll(timeline, WAIT).toContain('Reminder not sent (no mail server)')
  await page.getByRole('link', { name: 'Reminder', exact: true }).click()
  await isTitled(page, /Reminder: ₦5,000.00/)

  const letter = page.frameLocator('iframe[title="Message"]')
  await letter.getByText('This is a friendly reminder').first().waitFor()
  const frame = page.locator('iframe[title="Message"]')
  expect(await frame.getAttribute('sandbox')).not.toMatch(/allow-(scripts|same-origin|forms)/)
  await expectFine(page)
  await page.getByText('Plain text', { exact: true }).click()
  await shows(page, '/i/')
  await expectFine(page)
  expect(trouble()).toEqual([])
})
