import { describe, expect, test } from 'vitest'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'
import { SHOP_STATES } from './shop-states.ts'
import { startShowing } from './stand-in.ts'

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

  test('what is picked is added up, exactly, whatever it costs', async () => {
    const listed = await newPage(await startShowing(SHOP_STATES['page-listed']!.html), NARROW)
    const sum = listed.page.locator('#subtotal output')
    expect(await sum.innerText()).toBe('₦0.00')
    await listed.page.getByLabel('Quantity of Ankara T-shirt').fill('3')
    expect(await sum.innerText()).toBe('₦0.00')
    await listed.page.getByLabel('Size, Colour · Ankara T-shirt').selectOption('23')
    expect(await sum.innerText()).toBe('₦18,000.00')
    await listed.page.getByLabel('Quantity of Ankara T-shirt').fill('')
    expect(await sum.innerText()).toBe('₦0.00')
    const dear = await newPage(await startShowing(SHOP_STATES['page-extreme']!.html), NARROW)
    await dear.page.getByRole('spinbutton').first().fill('999999')
    const total = await dear.page.locator('#subtotal output').innerText()
    expect(total).toBe('₦99,999,900,000,000,000.00')
    expect([...listed.trouble(), ...dear.trouble()]).toEqual([])
  })

  test('who comes to what is wrong begins to read there', async () => {
    const { html } = SHOP_STATES['page-goods-wrong']!
    const { page } = await newPage(await startShowing(html), NARROW)
    expect(await page.evaluate('document.activeElement.id')).toBe('faults')
    await page.getByRole('link', { name: 'Email address' }).click()
    expect(await page.evaluate('location.hash')).toBe('#email')
  })
})
