import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { goods, openShop } from '../../src/sales/checkout/checkout.fixture.ts'
import { startServer } from '../harness.ts'
import { dialog, field, hasValue, heading, press, shows, toast } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()

test('an order gets a note, prints without it, and can be refunded', LONG, async () => {
  const shop = await openShop(server)
  const { products } = await goods(shop)
  const { orderReference, reference } = await shop.begun({
    customerEmail: 'bola@orders.example',
    customerName: 'Bola Ade',
    products,
  })
  await shop.paid(reference)
  const owner = await memberOf(server, 'owner', shop.businessId)
  const before = (page: { addInitScript(script: string): Promise<unknown> }) =>
    page.addInitScript('globalThis.print = () => { globalThis.isPrinted = true }')
  const path = `/test/orders/${orderReference}`
  const { page, trouble } = await pageOf(newPage, server.url, owner, path, { before })

  await press(page, 'Add note')
  await shows(page, 'Write a note first.')
  await field(page, 'New note').fill('Leave it\nat the gate.')
  await press(page, 'Add note')
  const notes = page.getByRole('list', { name: 'Notes' })
  await notes.getByText('at the gate.').waitFor(WAIT)
  await expect.poll(() => notes.innerText(), WAIT).toMatch(/Person \d+ · \d/)
  // Live updates can show the note before the form has its response.
  await hasValue(field(page, 'New note'), '')
  await expectFine(page)

  // The next note can be started while this one is being saved.
  const held = Promise.withResolvers<void>()
  await page.route('**/notes', (route) => held.promise.then(() => route.continue()))
  await field(page, 'New note').fill('Paid in advance.')
  const sent = page.waitForRequest((one) => one.method() === 'POST', WAIT)
  await press(page, 'Add note')
  await sent
  await field(page, 'New note').fill('Call first.')
  held.resolve()
  await notes.getByText('Paid in advance.').waitFor(WAIT)
  const add = page.getByRole('button', { name: 'Add note' })
  await expect.poll(() => add.getAttribute('data-loading'), WAIT).toBeNull()
  await hasValue(field(page, 'New note'), 'Call first.')

  await press(page, 'Print')
  await expect.poll(() => page.evaluate('globalThis.isPrinted'), WAIT).toBe(true)
  await page.emulateMedia({ media: 'print' })
  await heading(page, 'Items').waitFor(WAIT)
  await page.getByText('Test order').waitFor(WAIT)
  for (const hidden of [notes, page.getByRole('navigation', { name: 'Main' })]) {
    await hidden.waitFor({ ...WAIT, state: 'hidden' })
  }
  await page.emulateMedia({ media: 'screen' })

  await press(page, 'Refund')
  await dialog(page, 'Refund this payment').waitFor(WAIT)
  await press(page, /^Refund ₦/)
  await toast(page, 'Refund started.').waitFor(WAIT)
  // Nothing remains to refund.
  const refund = page.getByRole('button', { name: 'Refund', exact: true })
  await refund.waitFor({ ...WAIT, state: 'detached' })
  expect(trouble()).toEqual([])
})
