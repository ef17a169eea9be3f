import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { field, isTitled, press, toast } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { LONG, WAIT } from './dashboard.ts'
import { PRODUCTS, startShops } from './dashboard-shops.ts'

const { newPage } = withBrowser()
const { openShop } = await startShops(newPage)
const PLAIN = '/api/payment-service/v1/products'

/** Blocks the live stream, so that the screen keeps the data it loaded. */
const deaf = (page: Page) => page.route('**/console/live**', (route) => route.abort())

describe('changes by two people', LONG, () => {
  test('are not saved while the record keeps changing, with a message', async () => {
    const { api, openAs } = await openShop()
    const made = { name: 'Cap', price: 10 }
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, made)).body.data
    const { page } = await openAs('owner', `/test/products/${productId}/edit`)
    let sent = 0
    await page.route('**/update-product-details', (route) => {
      sent++
      const body = { status: 'error', message: 'Changed.', errorCode: 'record_changed', errors: {} }
      return route.fulfill({ status: 412, json: body })
    })
    await field(page, 'Name').fill('My cap')
    await press(page, 'Save')
    await toast(page, 'Someone else keeps changing this record').waitFor(WAIT)
    expect(sent).toBe(4)
    expect(await field(page, 'Name').inputValue()).toBe('My cap')
  })

  test('are both kept in the branding, which reloads while one of them types', async () => {
    const { api, openAs } = await openShop()
    const { page, member } = await openAs('owner', '/test/settings/branding')
    await isTitled(page, 'Branding')
    await field(page, 'Name shown to payers').fill('Adire & Oak')
    await member.post('/console/branding', { supportPhone: '+234 801 234 5678' })
    const phone = field(page, 'Phone number')
    // Any event of the business makes the screen reload, once its live stream is connected.
    const happens = () => api.post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 10 })
    await expect
      .poll(() => happens().then(() => phone.inputValue()), { ...WAIT, interval: 1_000 })
      .toBe('+234 801 234 5678')
    expect(await field(page, 'Name shown to payers').inputValue()).toBe('Adire & Oak')
    await press(page, 'Save: Branding')
    await toast(page, 'Branding saved.').waitFor(WAIT)
    expect((await member.get('/console/branding')).body.data).toMatchObject({
      name: 'Adire & Oak',
      supportPhone: '+234 801 234 5678',
    })
  })

  test('are both kept in the details, even if one never saw the other’s', async () => {
    const { openAs } = await openShop()
    const { page, member, go } = await openAs('owner', '/test/security')
    await deaf(page)
    await go('/test/settings')
    await isTitled(page, 'Business')
    await field(page, 'Phone number').fill('+234 801 234 5678')
    await member.post('/console/business', { firstName: 'Bola' })
    await press(page, 'Save: Details')
    await toast(page, 'Details saved.').waitFor(WAIT)
    const { body } = await member.get('/api/user-service/external/v1/profile')
    expect(body.data).toMatchObject({ firstName: 'Bola', phone: '+234 801 234 5678' })
  })

  test('are both kept in a row of variants', async () => {
    const { api, openAs } = await openShop()
    const options = [{ name: 'Size', values: ['S', 'M'] }]
    const { productId, variants } = (
      await api.post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 10, options })
    ).body.data
    const { variantId } = variants[0]
    const change = (to: object) =>
      api.put(`${PLAIN}/update-product-variant-details`, { productId, variantId, ...to })
    const { page, go } = await openAs('owner', '/test/security')
    await deaf(page)
    await go(`/test/products/${productId}`)
    await field(page, 'Price of S').fill('12')
    await change({ sku: 'CAP-S', quantity: 4 })
    await press(page, 'Save 1 variant')
    await toast(page, 'Variant saved.').waitFor(WAIT)
    const read = async () =>
      (await api.get(`${PRODUCTS}/get-product-details?productId=${productId}`)).body.data
        .variants[0]
    expect(await read()).toMatchObject({ price: 12, sku: 'CAP-S', quantity: 4 })

    // Tracked stock cannot be left blank.
    await field(page, 'Quantity of S').fill('')
    await press(page, 'Save 1 variant')
    await page.getByText('Stock is tracked, so enter 0 if none is left.').waitFor(WAIT)
    expect(await read()).toMatchObject({ quantity: 4 })
  })
})
