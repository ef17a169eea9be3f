import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialog, field, focused, hasValue, isAt, isTitled, press } from './actions.ts'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'
import { LONG, WAIT } from './dashboard.ts'
import { INVOICES, PAGES, startShops } from './dashboard-shops.ts'

const { newPage } = withBrowser()
const { openShop } = await startShops(newPage)

const search = (page: Page) => page.getByPlaceholder('Search or jump to…')
const selected = (page: Page) => page.locator('[data-action][data-selected]')
/** Presses keys without waiting for their effect. */
const strike = (page: Page, keys: string) =>
  page.evaluate((text) => {
    const send = (key: string, ctrlKey = false) =>
      (document.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent('keydown', {
          key,
          code: key === 'k' ? 'KeyK' : '',
          ctrlKey,
          bubbles: true,
          cancelable: true,
        }),
      )
    send('k', true)
    for (const letter of text) send(letter)
  }, keys)

describe('the palette', LONG, () => {
  test('keeps every letter typed while it opens', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/events')
    await isTitled(page, 'Events')
    for (const text of ['webhooks', 'g i events']) {
      await strike(page, text)
      await search(page).waitFor(WAIT)
      await expect.poll(() => search(page).inputValue(), WAIT).toBe(text)
      await page.keyboard.press('Escape')
      await search(page).waitFor({ ...WAIT, state: 'detached' })
    }
    await isTitled(page, 'Events')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('webho')
    await expect.poll(() => search(page).inputValue(), WAIT).toBe('webho')
    await expect.poll(() => selected(page).textContent(), WAIT).toContain('Webhooks')
    await page.keyboard.press('Enter')
    await isTitled(page, 'Webhooks')
  })

  test('runs actions, including those with a dialog', async () => {
    const { openAs } = await openShop()
    const { page, trouble } = await openAs('owner', '/test/events')
    await isTitled(page, 'Events')
    await page.keyboard.press('Control+k')
    await search(page).fill('create invoice')
    await expect.poll(() => selected(page).textContent(), WAIT).toContain('Create an invoice')
    expect(await seriousOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await isTitled(page, 'New invoice')
    await page.keyboard.press('Control+k')
    await search(page).fill('create discount')
    await expect.poll(() => selected(page).textContent(), WAIT).toContain('discount code')
    await page.keyboard.press('Enter')
    await dialog(page, 'New discount code').waitFor(WAIT)
    await expect.poll(() => new URL(page.url()).search, WAIT).toBe('')
    expect(trouble()).toEqual([])
  })

  test('finds records, recent ones first, with arrow keys and on a phone', async () => {
    const { api, openAs } = await openShop()
    const bill = async (customerName: string) =>
      (await api.post(INVOICES, { customerEmail: 'obi@example.com', customerName, amount: 10 }))
        .body.data
    const first = await bill('Obi One')
    await bill('Obi Two')
    const { page } = await openAs('owner', `/test/invoices/${first.reference}`)
    await isTitled(page, /^Invoice /)
    await page.keyboard.press('Control+k')
    await page.getByText(`Invoice ${first.invoiceNumber}`).last().waitFor(WAIT)
    await search(page).fill('obi')
    const hits = page.locator('[data-action]').filter({ hasText: /Invoice · / })
    await expect.poll(() => hits.count(), WAIT).toBe(2)
    await expect.poll(() => hits.first().textContent(), WAIT).toContain('Obi One')
    await page.setViewportSize({ width: 360, height: 700 })
    await expect.poll(() => overflowOf(page), WAIT).toBeLessThanOrEqual(0)
    await expect.poll(() => selected(page).count(), WAIT).toBe(1)
    const before = await selected(page).textContent()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => selected(page).textContent(), WAIT).not.toBe(before)
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => selected(page).textContent(), WAIT).toBe(before)
    await search(page).fill('nobody of that name')
    await page.getByText('No results.').waitFor(WAIT)
    await page.keyboard.press('Escape')
    await search(page).waitFor({ ...WAIT, state: 'detached' })
  })

  test('lists shortcuts, which do not work in fields', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/invoices')
    await press(page, 'New invoice')
    await isTitled(page, 'New invoice')
    await field(page, 'Note').focus()
    await page.keyboard.type('go? g e / ?')
    await hasValue(field(page, 'Note'), 'go? g e / ?')
    const keys = dialog(page, 'Keyboard shortcuts')
    await page.getByRole('heading', { level: 1 }).click()
    expect(await keys.count()).toBe(0)
    await isTitled(page, 'New invoice')
    await page.keyboard.press('?')
    await keys.getByText('Undo').waitFor(WAIT)
    // "Back" closes overlays, like Esc.
    await page.goBack()
    await keys.waitFor({ ...WAIT, state: 'detached' })
    await isTitled(page, 'New invoice')
  })
})

describe('a list', LONG, () => {
  test('keeps the search text, and its filters on the way back', async () => {
    const { api, openAs } = await openShop()
    const { id } = (await api.post(`${PAGES}/create-pages`, { title: 'Harvest fair' })).body.data
    await api.post(`${PAGES}/create-pages`, { title: 'Fete' })
    const { page } = await openAs('owner', '/test/pages')
    await page.getByRole('link', { name: 'Fete' }).waitFor(WAIT)
    await field(page, 'Search').pressSequentially('harv')
    await page.getByRole('link', { name: 'Fete' }).waitFor({ ...WAIT, state: 'detached' })
    await page.keyboard.type('est')
    await expect.poll(() => new URL(page.url()).search, WAIT).toContain('harvest')
    await hasValue(field(page, 'Search'), 'harvest')
    await page.getByRole('link', { name: 'Harvest fair' }).click()
    await isTitled(page, 'Harvest fair')
    await expect.poll(() => focused(page), WAIT).toBe('Harvest fair')
    await press(page, 'Edit')
    await isTitled(page, 'Edit page')
    const trail = page.getByRole('navigation', { name: 'Breadcrumbs' })
    await expect
      .poll(() => trail.getByRole('link').allInnerTexts(), WAIT)
      .toEqual(['Payment pages', 'Harvest fair'])
    await trail.getByRole('link', { name: 'Payment pages' }).click()
    await isTitled(page, 'Payment pages')
    await hasValue(field(page, 'Search'), 'harvest')
    await page.goBack()
    await isTitled(page, 'Edit page')
    await isAt(page, `/test/pages/${id}/edit`)
  })

  test('highlights new rows, and keeps the scroll position on the way back', async () => {
    const { api, openAs } = await openShop()
    for (let i = 0; i < 25; i++) {
      await api.post(INVOICES, { customerEmail: `n${i}@example.com`, amount: 10 })
    }
    const { page } = await openAs('owner', '/test/invoices', {
      viewport: { width: 1200, height: 500 },
    })
    await page.getByRole('link', { name: 'n24@example.com' }).waitFor(WAIT)
    await expect.poll(() => page.locator('.row-new').count(), WAIT).toBe(0)
    const marked = page.locator('.row-new').filter({ hasText: 'late@example.com' }).waitFor(WAIT)
    await api.post(INVOICES, { customerEmail: 'late@example.com', amount: 10 })
    await marked
    await page.locator('.row-new').waitFor({ ...WAIT, state: 'detached' })
    const last = page.getByRole('link', { name: 'n1@example.com', exact: true })
    await last.scrollIntoViewIfNeeded()
    const before = await page.evaluate<number>('scrollY')
    expect(before).toBeGreaterThan(200)
    await last.click()
    await isTitled(page, /^Invoice /)
    await page.goBack()
    await isTitled(page, 'Invoices')
    await expect.poll(() => page.evaluate('scrollY'), WAIT).toBe(before)
  })
})
