import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { launchChromium } from './launch.ts'

/** Condition by condition, not by time: a slow machine is no failure. */
const WAIT_MS = 90_000

/** Opens pages in one browser a file, and fails the test in which one misbehaves. */
export function withBrowser() {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  /**
   * A page in a context of its own, closed after the test. `trouble()` lists what no page of ours
   * may do: requests to other origins, violations of its policy, errors of its script.
   */
  async function newPage(url: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(WAIT_MS)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const trouble: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(url).origin && !isData(request.url())) {
        trouble.push(`requests ${request.url()}`)
      }
    })
    page.on('pageerror', (error) => trouble.push(`throws ${error.message}`))
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) trouble.push(message.text())
    })
    await page.goto(url)
    return { page, trouble: () => trouble }
  }
  return { newPage }
}

const isData = (url: string) => url.startsWith('data:')

/** How often a page is looked at again that may still be drawing itself, and how long after. */
const LOOKS_MAX = 20
const LOOK_MS = 500

/**
 * Rules that axe finds broken seriously or worse, with the elements that break them, in light and
 * in dark; in the latter only contrast can differ. Only what is still so after some looks counts:
 * a control whose ground is drawn a moment after its words is not a fault.
 */
export async function seriousOf(page: Page): Promise<string[]> {
  for (let look = 1; ; look++) {
    const found = await seriousNow(page)
    if (found.length === 0 || look === LOOKS_MAX) return found
    await page.waitForTimeout(LOOK_MS)
  }
}

async function seriousNow(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const light = await axeOf(page).analyze()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeOf(page).withRules('color-contrast').analyze()
  return [...light.violations, ...dark.violations]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/**
 * Where there are no frames, all of axe runs in the page itself: else it opens another page to add
 * up what it found, which takes longer, and takes the focus from what is looked at.
 */
const axeOf = (page: Page) =>
  new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode(page.frames().length === 1)

/** By how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Waits until the amount's heading stands over the words: `Paid`, `Amount due`. */
export async function expectHeading(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.locator('h1').innerText(), { timeout: 50_000 }).toContain(words)
}
