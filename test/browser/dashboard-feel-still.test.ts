import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { withBrowser } from './chromium.ts'
import { WAIT } from './dashboard.ts'
import { INVOICES, PAGES, PRODUCTS, startShops } from './dashboard-shops.ts'

const { newPage } = withBrowser()
const { openShop } = await startShops(newPage)

/** The largest layout shift allowed, as browsers score it. */
const SHIFT_MAX = 0.02

/** Delays responses like a network does, so that placeholders appear first. */
const ANSWER_MS = 100

/** Records layout shifts that no input caused, with the elements that moved. */
const WATCH = `
  window.moved = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      const names = entry.sources.map(({ node, previousRect: a, currentRect: b }) => {
        const at = node?.nodeType === 1 ? node : node?.parentElement
        return (at?.className || at?.tagName) + ' ' + a.y + '+' + a.height + ' > ' + b.y + '+' + b.height
      })
      window.moved.push({ value: entry.value, names })
    }
  }).observe({ type: 'layout-shift', buffered: true })`

interface Moved {
  value: number
  names: string[]
}

/** Waits until no request is open and no placeholder is shown. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor(WAIT)
  await expect
    .poll(() => page.locator('main [aria-busy="true"], main .mantine-Skeleton-root').count(), WAIT)
    .toBe(0)
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')
}

const shiftOf = async (page: Page) => {
  const moved = await page.evaluate<Moved[]>('window.moved')
  const sum = moved.reduce((total, { value }) => total + value, 0)
  return { sum, what: moved.filter(({ value }) => value > 0.001) }
}

const SCREENS = [
  'overview',
  'payments',
  'invoices',
  'pages',
  'products',
  'discounts',
  'customers',
  'wallet',
  'transfers',
  'subaccounts',
  'webhooks',
  'keys',
  'settings',
  'team',
  'security',
]

describe('the layout does not jump while loading', { timeout: 600_000 }, () => {
  test.each([
    ['wide', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 800 }],
  ])('on any screen, %s', async (_name, viewport) => {
    const { api, openAs } = await openShop()
    const page_ = { title: 'Fair', amountType: 'variable' }
    const { id } = (await api.post(`${PAGES}/create-pages`, page_)).body.data
    const made = { name: 'Cap', price: 10, quantity: 3 }
    const { productId } = (await api.post(`${PRODUCTS}/create-product`, made)).body.data
    let reference = ''
    for (let i = 0; i < 12; i++) {
      const bill = { customerEmail: `n${i}@example.com`, customerName: 'Obi', amount: 10 }
      reference = (await api.post(INVOICES, bill)).body.data.reference
      await api.post(`${INVOICES}/${reference}/mark-paid`)
    }
    const records = [`invoices/${reference}`, `pages/${id}`, `products/${productId}`]
    const { page, go } = await openAs('owner', '/test/security', {
      viewport,
      reducedMotion: 'no-preference',
    })
    await page.addInitScript(WATCH)
    await page.route(/\/(?:api|console)\/(?!live)/, async (route) => {
      await sleep(ANSWER_MS)
      await route.continue().catch(() => {})
    })
    const jumping: Record<string, unknown> = {}
    for (const path of [...SCREENS, ...records, 'invoices/new']) {
      await go(`/test/${path}`)
      await settled(page)
      const { sum, what } = await shiftOf(page)
      if (sum > SHIFT_MAX) jumping[path] = { sum, what }
    }
    expect(jumping).toEqual({})
  })
})
