import { describe, expect, test } from 'vitest'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'
import { startStandIn } from './stand-in.ts'
import { STATES } from './states.ts'

const { newPage } = withBrowser()
const NARROW = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }
const WIDE = { viewport: { width: 1280, height: 900 } }

describe('every state of the invoice page', () => {
  test.each(Object.entries(STATES))('%s is accessible, light and dark', async (_, view) => {
    const { url } = await startStandIn(view)
    const { page, trouble, close } = await newPage(url, WIDE)
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colours must not be measured on their way from one scheme to the other.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await seriousOf(page), colorScheme).toEqual([])
    }
    expect(await overflowOf(page)).toBe(0)
    expect(trouble()).toEqual([])
    await close()
  })

  test.each(Object.entries(STATES))('%s fits on 320 pixels', async (_, view) => {
    const { url } = await startStandIn(view)
    const { page, close } = await newPage(url, NARROW)
    expect(await overflowOf(page)).toBe(0)
    await close()
  })
})

describe('message pages', () => {
  test.each([404, 410, 429, 500, 503])('%i is accessible and fits', async (status) => {
    const { origin } = await startStandIn(STATES.open!)
    const { page, trouble, close } = await newPage(`${origin}/${status}`, NARROW)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await seriousOf(page), colorScheme).toEqual([])
    }
    expect(await overflowOf(page)).toBe(0)
    expect(trouble()).toEqual([])
    await close()
  })
})
