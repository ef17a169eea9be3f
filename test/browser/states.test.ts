import { describe, expect, test } from 'vitest'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'
import { startFakePayerServer } from './fake-payer-server.ts'
import { STATES } from './states.ts'

const { newPage } = withBrowser()
const NARROW = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }

describe('every state of the invoice page', () => {
  test.each(Object.entries(STATES))(
    '%s fits on 320 pixels, and is accessible, light and dark',
    async (_, view) => {
      const { url } = await startFakePayerServer(view)
      const { page, trouble } = await newPage(url, NARROW)
      expect(await overflowOf(page)).toBe(0)
      await page.setViewportSize({ width: 1280, height: 900 })
      expect(await seriousOf(page)).toEqual([])
      expect(await overflowOf(page)).toBe(0)
      expect(trouble()).toEqual([])
    },
  )
})

describe('message pages', () => {
  test.each([404, 410, 500])('%i is accessible and fits on 320 pixels', async (status) => {
    const { origin } = await startFakePayerServer(STATES.open!)
    const { page, trouble } = await newPage(`${origin}/${status}`, NARROW)
    expect(await seriousOf(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    expect(trouble()).toEqual([])
  })
})
