import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { launchChromium } from './launch.ts'

/** The limit for conditions that tests wait for; high, so that slow machines pass too. */
const WAIT_MS = 90_000

export type NewPage = ReturnType<typeof withBrowser>['newPage']

/** The browser of this worker. Its files run one after another and share it until it exits. */
let shared: Browser | undefined

async function sharedBrowser(): Promise<Browser> {
  // A browser that crashed must not fail the tests after it.
  if (!shared?.isConnected()) shared = await launchChromium()
  return shared
}

/** Opens pages in the browser. */
export function withBrowser() {
  beforeAll(async () => {
    await sharedBrowser()
  })

  /**
   * Opens a page in a separate context, closed after the test; `before` runs before it loads its
   * URL. `trouble()` lists what our pages must never have: requests to other origins, violations of
   * the content security policy, and script errors.
   */
  async function newPage(
    url: string,
    options: BrowserContextOptions = {},
    before?: (page: Page) => Promise<unknown>,
  ) {
    const context = await (await sharedBrowser()).newContext(options)
    context.setDefaultTimeout(WAIT_MS)
    const page = await context.newPage()
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await showLast(page)
      await context.close()
    })
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
    await before?.(page)
    await page.goto(url)
    return { page, trouble: () => trouble }
  }
  return { newPage }
}

/** Prints what the page of a failed test showed last. */
async function showLast(page: Page): Promise<void> {
  const text = await page
    .locator('body')
    .innerText({ timeout: 1_000 })
    .catch((error: Error) => error.message)
  console.log(`${page.url()} showed last:\n${text}`)
}

const isData = (url: string) => url.startsWith('data:')

/** How often, and how far apart, a page that is still rendering is checked again. */
const LOOKS_MAX = 20
const LOOK_MS = 500

/**
 * Returns the serious and critical violations that axe finds in light and dark mode, with their
 * elements. In dark mode only contrast can differ. Violations count only if later checks still find
 * them, because a control's background can appear a moment after its text.
 */
export async function seriousOf(page: Page): Promise<string[]> {
  await page.waitForLoadState()
  for (let look = 1; ; look++) {
    const found = await seriousNow(page)
    if (found.length === 0 || look === LOOKS_MAX) return found
    await page.waitForTimeout(LOOK_MS)
  }
}

async function seriousNow(page: Page): Promise<string[]> {
  await colour(page, 'light')
  const light = await violationsOf(page)
  await colour(page, 'dark')
  const dark = await violationsOf(page, ['color-contrast'])
  return [...light, ...dark]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Switches the page to light or dark mode, and waits until it has rendered. */
async function colour(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')
}

interface Violation {
  id: string
  impact?: string | null
  nodes: { html: string }[]
}

/** Resolved from AxeBuilder, which it comes with. */
const AXE_FILE = 'axe-core/axe.min.js'
const ofBuilder = createRequire(import.meta.resolve('@axe-core/playwright'))
const AXE = readFileSync(ofBuilder.resolve(AXE_FILE), 'utf8')

/** Frames with a separate origin, where no script can run, including axe. */
const SEALED = 'iframe[sandbox]:not([sandbox*="allow-same-origin"])'

/**
 * Returns what axe finds, by these rules or by all of them. On a page without frames, axe is
 * injected once: AxeBuilder injects its half megabyte before each check, which takes two thirds of
 * the time. Only AxeBuilder checks frames, with a second page to collect the results.
 */
async function violationsOf(page: Page, rules?: string[]): Promise<Violation[]> {
  const resultTypes = ['violations' as const]
  const isSealed = (await page.locator(SEALED).count()) > 0
  if (page.frames().length > 1 && !isSealed) {
    const builder = new AxeBuilder({ page }).options({ resultTypes })
    return (await (rules ? builder.withRules(rules) : builder).analyze()).violations
  }
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${AXE};null`)
  // Skips selectors, which are not needed, and preloading of media, which our pages do not have.
  const options = {
    resultTypes,
    selectors: false,
    preload: false,
    iframes: !isSealed,
    ...(rules && { runOnly: rules }),
  }
  return page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
}

/** Returns how many pixels the page, with all its styles, is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  await page.waitForLoadState()
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}

/** Waits until the page of a payer says this. After a press, it can still be the page before. */
export async function expectText(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.locator('main').innerText(), { timeout: 50_000 }).toContain(words)
}

/** Waits until the heading above the amount is this: `Paid`, `Amount due`. */
export async function expectHeading(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.locator('h1').innerText(), { timeout: 50_000 }).toContain(words)
}
