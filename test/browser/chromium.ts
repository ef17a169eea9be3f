import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { launchChromium } from './launch.ts'

/** Tests wait for conditions, not for a time: a slow machine is no failure. */
const WAIT_MS = 90_000

export type NewPage = ReturnType<typeof withBrowser>['newPage']

/** Of this worker: its files run one after another, and share it. It ends with the process. */
let shared: Browser | undefined

async function sharedBrowser(): Promise<Browser> {
  // One that broke down must not fail the tests after it.
  if (!shared?.isConnected()) shared = await launchChromium()
  return shared
}

/** Opens pages in the browser, and fails the test in which one misbehaves. */
export function withBrowser() {
  beforeAll(async () => {
    await sharedBrowser()
  })

  /**
   * Opens a page in a separate context, closed after the test; `before` runs before it loads its
   * URL. `trouble()` lists what our pages must never do: requests to other origins, violations of
   * their policy, errors in their script.
   */
  async function newPage(
    url: string,
    options: BrowserContextOptions = {},
    before?: (page: Page) => Promise<unknown>,
  ) {
    const context = await (await sharedBrowser()).newContext(options)
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
    await before?.(page)
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
  await colour(page, 'light')
  const light = await violationsOf(page)
  await colour(page, 'dark')
  const dark = await violationsOf(page, ['color-contrast'])
  return [...light, ...dark]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Shows the page in light or in dark, and waits until it is drawn so. */
async function colour(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')
}

interface Violation {
  id: string
  impact?: string | null
  nodes: { html: string }[]
}

/** Comes with AxeBuilder, and is looked for from there. */
const AXE_FILE = 'axe-core/axe.min.js'
const ofBuilder = createRequire(import.meta.resolve('@axe-core/playwright'))
const AXE = readFileSync(ofBuilder.resolve(AXE_FILE), 'utf8')

/** Frames with a separate origin, in which no script can run, not even a check. */
const SEALED = 'iframe[sandbox]:not([sandbox*="allow-same-origin"])'

/**
 * What axe finds, by these rules or by all of them. Where there are no frames it is put into the
 * page once and run there: AxeBuilder puts its half megabyte in before each look, which takes two
 * thirds of the time. It alone looks into frames, with another page to add up what it found.
 */
async function violationsOf(page: Page, rules?: string[]): Promise<Violation[]> {
  const resultTypes = ['violations' as const]
  const isSealed = (await page.locator(SEALED).count()) > 0
  if (page.frames().length > 1 && !isSealed) {
    const builder = new AxeBuilder({ page }).options({ resultTypes })
    return (await (rules ? builder.withRules(rules) : builder).analyze()).violations
  }
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${AXE};null`)
  // Without the paths to what it finds, and without asking for sounds, of which there are none.
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

/** By how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Waits until the amount's heading stands over the words: `Paid`, `Amount due`. */
export async function expectHeading(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.locator('h1').innerText(), { timeout: 50_000 }).toContain(words)
}
