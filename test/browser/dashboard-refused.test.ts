import { describe, expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { dialog, field, isTitled, pick, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { LONG, openerOf, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)
const PRODUCTS = '/api/payment-service/external/v1/products'
const WEBHOOKS = '/api/user-service/external/v1/webhooks'

test('412 in a dialog keeps text typed afterwards, which can overwrite theirs', {
  timeout: 300_000,
}, async () => {
  const { businessId, keys } = await server.newBusiness()
  const api = server.as(keys.testSecret)
  const made = { url: 'https://hooks.example.com/in', events: ['*'], description: 'First' }
  const { reference } = (await api.post(WEBHOOKS, made)).body.data
  const at = `${WEBHOOKS}/${reference}`
  const member = await memberOf(server, 'owner', businessId)
  const { page } = await newPage(`${server.url}/sign-in`, { reducedMotion: 'reduce' })
  const [name = '', value = ''] = member.cookie().split('=')
  await page.context().addCookies([{ name, value, url: server.url }])
  // Blocks the live stream, so that only saving detects changes by others.
  await page.route('**/console/live**', (route) => route.abort())
  await page.goto(`${server.url}/test/webhooks/${reference}`)

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const description = dialog.getByLabel('Description')
  await description.fill('Mine')
  await api.put(at, { description: 'Theirs' })
  const save = dialog.locator('button[type=submit]')
  await save.click()
  const conflict = dialog.getByRole('alert').filter({ hasText: 'Someone else changed this record' })
  await conflict.waitFor(WAIT)
  expect((await api.get(at)).body.data.description).toBe('Theirs')
  await description.fill('Mine, and better')
  await conflict.getByRole('button', { name: 'Overwrite with my changes' }).click()
  await dialog.waitFor({ ...WAIT, state: 'detached' })
  expect((await api.get(at)).body.data.description).toBe('Mine, and better')
})

describe('the server’s errors', LONG, () => {
  test('of items appear at the list that contains them, with the item', async () => {
    const { page } = await openAt('/test/settings/website')
    await page.getByRole('combobox', { name: 'Origins' }).fill('shop.example.com')
    await page.keyboard.press('Enter')
    await press(page, 'Save: Shop origins')
    await shows(page, 'shop.example.com must be an origin')
  })

  test('of fields without an input appear above the form', async () => {
    const { page, api } = await openAt('/test/invoices/new')
    await isTitled(page, 'New invoice')
    await field(page, 'Email address').fill('ada@example.com')
    await press(page, 'Add line items')
    await field(page, 'Description').fill('A gift')
    await field(page, 'Unit price').fill('0')
    await press(page, 'Send invoice')
    const alert = page.getByRole('alert')
    await alert.filter({ hasText: /^Amount must be/ }).waitFor(WAIT)
    await field(page, 'Unit price').fill('10')
    await press(page, 'Send invoice')
    await isTitled(page, /^Invoice /)

    const made = await api.post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 10 })
    await page.goto(`${server.url}/test/products/${made.body.data.productId}`)
    await press(page, 'Add an option')
    await field(page, 'Name').fill('Size')
    const sizes = Array.from({ length: 51 }, (_, i) => `${i},`).join('')
    await page.getByRole('combobox', { name: 'Values' }).pressSequentially(sizes)
    await dialog(page).getByRole('button', { name: 'Add option' }).click()
    await alert.filter({ hasText: /^Options 1 values must have at most 50/ }).waitFor(WAIT)
  })

  test('of a bill appear once, in its form', async () => {
    const { page } = await openAt('/test/utility/new')
    await isTitled(page, 'Pay a bill')
    await page.getByText('Electricity', { exact: true }).click()
    await pick(page, 'Biller', /^Ikeja/)
    await pick(page, 'Package', /prepaid$/)
    /** By the time that the form shows the error, a toast would already be there. */
    const isOnce = async (text: RegExp) => {
      const alerts = page.getByRole('alert').filter({ hasText: text })
      await page.locator('form').locator(alerts).waitFor(WAIT)
      expect(await alerts.count()).toBe(1)
    }
    await field(page, 'Meter number').fill('123')
    await press(page, 'Find customer')
    await isOnce(/no customer/)
    await field(page, 'Meter number').fill('0000000002')
    await press(page, 'Find customer')
    await field(page, 'Amount').fill('2500')
    await press(page, 'Pay ₦2,500.00')
    await dialog(page).getByRole('button', { name: 'Pay ₦2,500.00' }).click()
    await isOnce(/Nothing was bought/)
  })

  test('of an action without a dialog appear at its input', async () => {
    const { page } = await openAt('/test/simulator')
    const data = JSON.stringify({ note: 'x'.repeat(17_000) })
    await page.getByRole('combobox', { name: 'Type' }).fill('invoice.paid')
    await page.getByRole('option', { name: 'invoice.paid' }).click()
    await field(page, 'Custom data').fill(data)
    await press(page, 'Send event')
    await shows(page, 'Must be at most 16384 bytes as JSON')
  })
})
