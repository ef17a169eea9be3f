import { describe, expect, test } from 'vitest'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'
import { startShowing } from './fake-payer-server.ts'
import { SHOP_STATES } from './shop-states.ts'

const { newPage } = withBrowser()
const NARROW = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }

describe('every state of payment pages, checkouts and receipts', () => {
  test.each(Object.entries(SHOP_STATES))(
    '%s is accessible, light and dark, and fits on 320 pixels',
    async (_, { html }) => {
      const { page, trouble } = await newPage(await startShowing(html), NARROW)
      expect(await overflowOf(page)).toBe(0)
      expect(await seriousOf(page)).toEqual([])
      await page.setViewportSize({ width: 1280, height: 900 })
      expect(await overflowOf(page)).toBe(0)
      expect(trouble()).toEqual([])
    },
  )

  test('the total of the chosen products is exact, whatever they cost', async () => {
    const one = await newPage(await startShowing(SHOP_STATES['page-one']!.html), NARROW)
    const shows = (what: string, amount: string) =>
      expect.poll(() => one.page.locator(`#totals [data-shows="${what}"]`).innerText()).toBe(amount)
    // One of 6,000 and two of 5,000, less 10 %; the delivery location is not chosen yet.
    await shows('subtotal', '₦16,000.00')
    await shows('discount', '−₦1,600.00')
    await shows('total', '₦14,400.00')
    await one.page.getByLabel('Where to deliver').selectOption('Lagos')
    await shows('delivery', '₦700.00')
    await shows('total', '₦15,100.00')
    await one.page.getByText('M', { exact: true }).click()
    await one.page.getByRole('button', { name: 'Add one Ankara T-shirt', exact: true }).click()
    await shows('total', '₦18,700.00')
    await one.page.getByText('L', { exact: true }).click()
    await one.page.getByText('Sold out').first().waitFor()
    const dear = await newPage(await startShowing(SHOP_STATES['page-extreme']!.html), NARROW)
    await dear.page.getByRole('spinbutton').first().fill('999999')
    await expect
      .poll(() => dear.page.locator('#totals [data-shows="subtotal"]').innerText())
      .toBe('₦99,999,900,000,000,000.00')
    expect([...one.trouble(), ...dear.trouble()]).toEqual([])
  })

  test('a refused form focuses its errors, which link to the fields', async () => {
    const { html } = SHOP_STATES['page-goods-wrong']!
    const { page } = await newPage(await startShowing(html), NARROW)
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('faults')
    await page.getByRole('link', { name: 'Email address' }).click()
    await expect.poll(() => page.evaluate('location.hash')).toBe('#email')
  })
})
