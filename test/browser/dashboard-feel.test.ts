import { describe, expect, test } from 'vitest'
import { choose, dialog, expectState, field, isClosed, isTitled, press, toast } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { LONG, WAIT } from './dashboard.ts'
import { PAGES, PRODUCTS, startShops } from './dashboard-shops.ts'

const SPLITS = '/api/transaction-service/external/v1/split-page'
const { newPage } = withBrowser()
const { server, openShop } = await startShops(newPage)

describe('undo', LONG, () => {
  test('an unpublished page is restored with Undo, also by keyboard', async () => {
    const { api, openAs } = await openShop()
    const { id } = (await api.post(`${PAGES}/create-pages`, { title: 'Fair' })).body.data
    const { page, trouble } = await openAs('owner', `/test/pages/${id}`)
    const statusOf = async () =>
      (await api.get(`${PAGES}/get-page-details?pageId=${id}`)).body.data.status
    await isTitled(page, 'Fair')
    await press(page, 'Unpublish')
    await expectState(page, 'Unpublished')
    await toast(page, 'Page unpublished.').getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Page published.').waitFor(WAIT)
    await expectState(page, 'Published')
    expect(await statusOf()).toBe('Published')

    // Otherwise the message that is fading out would be mistaken for the next one.
    await toast(page, 'Page unpublished').waitFor({ ...WAIT, state: 'detached' })
    await press(page, 'Unpublish')
    const undo = toast(page, 'Page unpublished').getByRole('button', { name: 'Undo' })
    await undo.waitFor(WAIT)
    await page.keyboard.press('Control+z')
    await expectState(page, 'Published')
    await expect.poll(statusOf, WAIT).toBe('Published')
    await undo.waitFor({ ...WAIT, state: 'detached' })
    // There is nothing left to undo.
    await page.keyboard.press('Control+z')
    expect(await statusOf()).toBe('Published')
    expect(trouble()).toEqual([])
  })

  test('Ctrl Z in a field only undoes typing', async () => {
    const { api, openAs } = await openShop()
    const { id } = (await api.post(`${PAGES}/create-pages`, { title: 'Fair' })).body.data
    const { page } = await openAs('owner', `/test/pages/${id}`)
    await press(page, 'Unpublish')
    await toast(page, 'Page unpublished').waitFor(WAIT)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill('x')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Escape')
    await isClosed(page)
    await expectState(page, 'Unpublished')
  })

  test('adjusted stock is restored, unless someone has changed it since', async () => {
    const { api, openAs } = await openShop()
    const made = { name: 'Cap', price: 10, quantity: 5 }
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, made)).body.data
    const quantityOf = async () =>
      (await api.get(`${PRODUCTS}/get-product-details?productId=${productId}`)).body.data.quantity
    const { page } = await openAs('owner', `/test/products/${productId}`)
    const count = async (quantity: string) => {
      await press(page, 'Adjust stock')
      await field(page, 'Quantity').fill(quantity)
      await press(page, 'Update stock')
      await toast(page, 'Stock updated.').waitFor(WAIT)
      await isClosed(page)
    }
    await count('9')
    expect(await quantityOf()).toBe(9)
    await press(page, 'Undo')
    await toast(page, 'Stock restored.').waitFor(WAIT)
    await toast(page, 'Stock updated.').waitFor({ ...WAIT, state: 'detached' })
    expect(await quantityOf()).toBe(5)

    await count('7')
    await api.put(`${PRODUCTS}/update-product-details`, { productId, quantity: 6 })
    await press(page, 'Undo')
    await toast(page, 'The record has since been changed again').waitFor(WAIT)
    expect(await quantityOf()).toBe(6)
  })

  test('an inactive split page accepts payments again', async () => {
    const { api, openAs } = await openShop()
    const made = await api.post(SPLITS, { name: 'Lagos rides' })
    const one = `${SPLITS}/${made.body.id ?? made.body.data.id}`
    const isActive = async () => (await api.get(one)).body.data.status
    const { page } = await openAs('owner', `/test/splits/${one.split('/').at(-1)}`)
    await press(page, 'Edit')
    await page.getByRole('switch', { name: 'Active' }).click()
    await press(page, 'Save changes')
    await toast(page, 'Split page saved.').waitFor(WAIT)
    expect(await isActive()).toBe(false)
    await press(page, 'Undo')
    await toast(page, 'Lagos rides is active again.').waitFor(WAIT)
    expect(await isActive()).toBe(true)
  })

  test('an action that cannot be undone warns first', async () => {
    const { api, openAs } = await openShop()
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 1 }))
      .body.data
    const { page } = await openAs('owner', `/test/products/${productId}`)
    await press(page, 'More actions')
    await choose(page, 'Delete')
    await dialog(page, 'Delete Cap?').getByText('This cannot be undone.').waitFor(WAIT)
    // The dialog returns the focus to the button that opened it.
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ ...WAIT, state: 'detached' })
    const label = 'document.activeElement.getAttribute("aria-label")'
    await expect.poll(() => page.evaluate(label), WAIT).toBe('More actions')
  })

  test('deleting options and values warns that it cannot be undone', async () => {
    const { api, openAs } = await openShop()
    const options = [{ name: 'Size', values: ['M', 'L'] }]
    const made = await api.post(`${PRODUCTS}/create-product`, { name: 'Shirt', price: 1, options })
    const { page } = await openAs('owner', `/test/products/${made.body.data.productId}`)
    for (const [name, title] of [
      ['Delete M', 'Delete M?'],
      ['Delete the option Size', 'Delete the option Size?'],
    ] as const) {
      await press(page, name)
      await dialog(page, title).getByText('This cannot be undone.').waitFor(WAIT)
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ ...WAIT, state: 'detached' })
    }
  })
})

describe('optimistic changes', LONG, () => {
  test('appear before the response, also in the list, and revert if refused', async () => {
    const { api, openAs } = await openShop()
    const { id } = (await api.post(`${PAGES}/create-pages`, { title: 'Fair' })).body.data
    const { page } = await openAs('owner', '/test/pages')
    await page.getByRole('link', { name: 'Fair' }).click()
    await isTitled(page, 'Fair')
    let answer = (_status: number) => {}
    const held = new Promise<number>((resolve) => {
      answer = resolve
    })
    await page.route('**/update-page-status', async (route) => {
      const status = await held
      await route.fulfill({ status, json: { error: 'The shop is closed.' } })
    })
    await press(page, 'Unpublish')
    await expectState(page, 'Unpublished')
    expect((await api.get(`${PAGES}/get-page-details?pageId=${id}`)).body.data.status).toBe(
      'Published',
    )
    answer(409)
    await toast(page, 'The shop is closed.').waitFor(WAIT)
    await expectState(page, 'Published')
    await page.goBack()
    await isTitled(page, 'Payment pages')
    await page.getByRole('row', { name: /Fair/ }).getByText('Published').waitFor(WAIT)
  })

  test('disable a code in its list before the response', async () => {
    const { api, openAs } = await openShop()
    const code = { code: 'HARVEST10', type: 'percentage', value: 10 }
    expect((await api.post(`${PRODUCTS}/add-discount-code`, code)).status).toBe(200)
    const { page } = await openAs('owner', '/test/discounts')
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/update-discount-code-details', async (route) => {
      await held
      await route.continue()
    })
    await press(page, 'More actions')
    await choose(page, 'Disable')
    const row = page.getByRole('row', { name: /HARVEST10/ })
    await row.getByText('Inactive').waitFor(WAIT)
    const { status } = await server.db.one<{ status: string }>`
      select status from discounts where code = 'HARVEST10' order by id desc limit 1`
    expect(status).toBe('Active')
    go()
    await toast(page, 'HARVEST10 disabled.').waitFor(WAIT)
    await press(page, 'Undo')
    await toast(page, 'HARVEST10 enabled.').waitFor(WAIT)
    await row.getByText('Active', { exact: true }).waitFor(WAIT)
  })
})
