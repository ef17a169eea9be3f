import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { choose, dialog, field, hasValue, isAt, isTitled, pick, press, toast } from './actions.ts'
import { seriousOf, withBrowser } from './chromium.ts'
import { LONG, unfold, WAIT } from './dashboard.ts'
import { INVOICES, PAGES, PRODUCTS, startShops } from './dashboard-shops.ts'

const { newPage } = withBrowser()
const { openShop } = await startShops(newPage)

const conflict = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'Someone else changed this record' })

/** Blocks the live stream, so that only saving detects changes by others. */
const deaf = (page: Page) => page.route('**/console/live**', (route) => route.abort())

describe('an edit that conflicts with someone else’s', LONG, () => {
  test('shows the differences on saving; theirs can be kept', async () => {
    const { api, openAs } = await openShop()
    const made = { customerEmail: 'ada@example.com', amount: 10, sendImmediately: false }
    const { reference } = (await api.post(INVOICES, made)).body.data
    const { page, trouble } = await openAs('owner', `/test/invoices/${reference}/edit`)
    const other = await openAs('admin', `/test/invoices/${reference}/edit`)
    await field(page, 'Note').fill('Mine')
    await field(other.page, 'Note').fill('Theirs')
    await press(other.page, 'Save')
    await isTitled(other.page, /^Invoice /)

    // The live stream does not report updates of invoices, so only saving detects this one.
    await press(page, 'Save')
    await conflict(page).waitFor(WAIT)
    expect((await api.get(`${INVOICES}/${reference}`)).body.data.note).toBe('Theirs')
    await press(page, 'See what changed')
    const row = page.getByRole('table', { name: 'See what changed' }).getByRole('row')
    await expect
      .poll(() => row.filter({ hasText: 'Note' }).innerText(), WAIT)
      .toMatch(/Blank\s+Theirs\s+Mine/)
    expect(await seriousOf(page)).toEqual([])
    await press(page, 'Use theirs')
    await conflict(page).waitFor({ ...WAIT, state: 'detached' })
    await hasValue(field(page, 'Note'), 'Theirs')
    await field(page, 'Note').fill('Theirs, and mine')
    await press(page, 'Save')
    await isTitled(page, /^Invoice /)
    expect((await api.get(`${INVOICES}/${reference}`)).body.data.note).toBe('Theirs, and mine')
    expect(trouble()).toEqual([])
  })

  test('of a page is reported at once; mine can be kept', async () => {
    const { api, openAs } = await openShop()
    const { id } = (await api.post(`${PAGES}/create-pages`, { title: 'Fair' })).body.data
    const { page } = await openAs('owner', `/test/pages/${id}/edit`)
    await field(page, 'Title').fill('My fair')
    await api.put(`${PAGES}/update-page-details`, { pageId: id, title: 'Their fair' })
    await conflict(page).waitFor(WAIT)
    expect(await field(page, 'Title').inputValue()).toBe('My fair')
    await press(page, 'Keep mine')
    await conflict(page).waitFor({ ...WAIT, state: 'detached' })
    await press(page, 'Save')
    await isTitled(page, 'My fair')
  })

  test('of a product is refused by the server, then overwrites on request', async () => {
    const { api, openAs } = await openShop()
    const made = { name: 'Cap', price: 10 }
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, made)).body.data
    const { page, go } = await openAs('owner', '/test/security')
    await deaf(page)
    await go(`/test/products/${productId}/edit`)
    await field(page, 'Name').fill('My cap')
    await api.put(`${PRODUCTS}/update-product-details`, { productId, name: 'Their cap' })
    await press(page, 'Save')
    await conflict(page).waitFor(WAIT)
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'), WAIT)
      .toContain('Someone else')
    await press(page, 'Overwrite with my changes')
    await isTitled(page, 'My cap')
  })

  test('is saved without a question if other fields changed', async () => {
    const { api, openAs } = await openShop()
    const made = { name: 'Cap', price: 10, quantity: 5 }
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, made)).body.data
    const { page, go } = await openAs('owner', '/test/security')
    await deaf(page)
    await go(`/test/products/${productId}/edit`)
    await field(page, 'Name').fill('My cap')
    await api.put(`${PRODUCTS}/update-product-details`, { productId, quantity: 4 })
    await press(page, 'Save')
    await isTitled(page, 'My cap')
  })

  test('is detected by reading first if the record has no ETag', async () => {
    const { api, openAs } = await openShop()
    const code = { code: 'HARVEST10', type: 'percentage', value: 10 }
    const { id } = (await api.post(`${PRODUCTS}/add-discount-code`, code)).body.data
    const { page, go } = await openAs('owner', '/test/security')
    await deaf(page)
    await go('/test/discounts')
    await press(page, 'More actions')
    await choose(page, 'Edit')
    await field(page, 'Discount').fill('15')
    const path = `${PRODUCTS}/update-discount-code-details`
    await api.put(path, { discountId: id, value: 20 })
    await press(page, 'Save')
    await conflict(page).waitFor(WAIT)
    await press(page, 'Use theirs')
    await expect.poll(() => field(page, 'Discount').inputValue(), WAIT).toBe('20%')
    await press(page, 'Save')
    await toast(page, 'Saved.').waitFor(WAIT)
  })
})

describe('unsaved text', LONG, () => {
  test('is not lost through a link or "Back" without a question', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/invoices')
    await press(page, 'New invoice')
    await isTitled(page, 'New invoice')
    await field(page, 'Email address').fill('ada@example.com')
    const asked = dialog(page, 'Leave without saving?')
    await unfold(page)
    await page.getByRole('navigation', { name: 'Main' }).getByText('Events').click()
    await asked.waitFor(WAIT)
    await press(page, 'Stay here')
    await asked.waitFor({ ...WAIT, state: 'detached' })
    await page.goBack()
    await asked.waitFor(WAIT)
    await press(page, 'Stay here')
    await asked.waitFor({ ...WAIT, state: 'detached' })
    await isAt(page, '/test/invoices/new')
    expect(await field(page, 'Email address').inputValue()).toBe('ada@example.com')
    await page.getByRole('navigation', { name: 'Main' }).getByText('Events').click()
    await press(page, 'Leave')
    await isTitled(page, 'Events')
  })

  test('of a transfer is not lost while it is reviewed, and needs no question once sent', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/transfers/new')
    await isTitled(page, 'Send money')
    await field(page, 'Amount').fill('60000')
    await pick(page, 'Bank', 'Guaranty Trust Bank')
    await field(page, 'Account number').fill('0000000001')
    await page.getByText('CHINEDU EZE').waitFor(WAIT)
    const asked = dialog(page, 'Leave without saving?')
    const events = page.getByRole('navigation', { name: 'Main' }).getByText('Events')
    await unfold(page)
    await events.click()
    await asked.waitFor(WAIT)
    await press(page, 'Stay here')
    await asked.waitFor({ ...WAIT, state: 'detached' })
    await press(page, 'Continue')
    const send = page.getByRole('button', { name: 'Send ₦60,000.00' })
    await send.waitFor(WAIT)
    await events.click()
    await asked.waitFor(WAIT)
    await press(page, 'Stay here')
    await asked.waitFor({ ...WAIT, state: 'detached' })
    await send.click()
    await isTitled(page, '₦60,000.00')
    expect(await asked.count()).toBe(0)
  })

  test('of a bill is not lost while it is reviewed, and needs no question once paid', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/utility/new')
    await isTitled(page, 'Pay a bill')
    await page.getByText('Electricity', { exact: true }).click()
    await pick(page, 'Biller', /^Ikeja/)
    await pick(page, 'Package', /prepaid$/)
    await field(page, 'Meter number').fill('04123456789')
    await press(page, 'Find customer')
    await field(page, 'Amount').fill('2500')
    const asked = dialog(page, 'Leave without saving?')
    await unfold(page)
    await page.getByRole('navigation', { name: 'Main' }).getByText('Events').click()
    await asked.waitFor(WAIT)
    await press(page, 'Stay here')
    await asked.waitFor({ ...WAIT, state: 'detached' })
    await press(page, 'Pay ₦2,500.00')
    await dialog(page).getByRole('button', { name: 'Pay ₦2,500.00' }).click()
    await isTitled(page, '₦2,500.00')
    expect(await asked.count()).toBe(0)
  })

  test('in a dialog survives a click outside and stays until discarded', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/discounts')
    await press(page, 'New code')
    const form = dialog(page, 'New discount code')
    await field(page, 'Code').fill('ABC')
    await page.keyboard.press('Escape')
    await dialog(page, 'Discard your changes?').waitFor(WAIT)
    await press(page, 'Keep editing')
    await dialog(page, 'Discard your changes?').waitFor({ ...WAIT, state: 'detached' })
    expect(await field(page, 'Code').inputValue()).toBe('ABC')
    await page.keyboard.press('Escape')
    await press(page, 'Discard')
    await form.waitFor({ ...WAIT, state: 'detached' })
  })

  test('that is typed into a table of variants while it is being saved stays', async () => {
    const { api, openAs } = await openShop()
    const options = [{ name: 'Size', values: ['S', 'M'] }]
    const made = { name: 'Cap', price: 10, options }
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, made)).body.data
    const { page } = await openAs('owner', `/test/products/${productId}`)
    const path = '**/update-product-variant-details'
    const held = Promise.withResolvers<void>()
    await page.route(path, (route) => held.promise.then(() => route.continue()))
    await field(page, 'Price of S').fill('12')
    const sent = page.waitForRequest(path, WAIT)
    await press(page, 'Save 1 variant')
    await sent
    await field(page, 'Price of S').fill('13')
    await field(page, 'Price of M').fill('14')
    held.resolve()
    await toast(page, 'Variant saved.').waitFor(WAIT)
    await hasValue(field(page, 'Price of S'), '13')
    await hasValue(field(page, 'Price of M'), '14')
    await press(page, 'Save 2 variants')
    await toast(page, '2 variants saved.').waitFor(WAIT)
    const { body } = await api.get(`${PRODUCTS}/get-product-details?productId=${productId}`)
    expect(body.data.variants).toMatchObject([{ price: 13 }, { price: 14 }])
  })

  test('needs no confirmation in an untouched or saved form', async () => {
    const { api, openAs } = await openShop()
    const { page } = await openAs('owner', '/test/products')
    await press(page, 'New product')
    await isTitled(page, 'New product')
    await page.goBack()
    await isTitled(page, 'Products')
    await press(page, 'New product')
    await field(page, 'Name').fill('Cap')
    await field(page, 'Price').fill('10')
    await press(page, 'Create product')
    await isTitled(page, 'Cap')
    expect((await api.get(`${PRODUCTS}/get-products`)).body.data).toHaveLength(1)
  })
})
