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

  test('who comes to what is wrong begins to read there', async () => {
    const { html } = SHOP_STATES['page-goods-wrong']!
    const { page } = await newPage(await startShowing(html), NARROW)
    expect(await page.evaluate('document.activeElement.id')).toBe('faults')
    await page.getByRole('link', { name: 'E-mail address' }).click()
    expect(await page.evaluate('location.hash')).toBe('#email')
  })
})
