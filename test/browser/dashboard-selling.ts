import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { ownerToken, PASSWORD } from '../../src/console/testing.ts'
import { startServer } from '../harness.ts'
import { overflowOf, seriousOf, type withBrowser } from './chromium.ts'

/** The simulator never settles by itself in these tests: each payment is made by hand. */
const BY_HAND = { simulatorDelayMs: 3_600_000 }
export const STILL = { reducedMotion: 'reduce' } as const
/** Each look by axe takes seconds, and many of them on a loaded machine. */
export const LONG = { timeout: 300_000 }
export const WAIT = { timeout: 90_000 }

export const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click()
/** A star follows the label of what is required. */
export const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}( \\*)?$`))
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true })
export const status = (page: Page) => page.locator('main h1 + *').first()
/** The page of payers, as the editor of pages draws it. */
export const drawing = (page: Page) => page.frameLocator('[title="The page as payers see it"]')

/** A server of the test's own, and its owner at the dashboard, signed up by the link. */
export async function openDashboard(newPage: ReturnType<typeof withBrowser>['newPage']) {
  const server = await startServer(BY_HAND)
  onTestFinished(server.close)
  const token = await ownerToken(server, server.business.businessId)
  const { page, trouble } = await newPage(`${server.url}/sign-up?token=${token}`, STILL)
  page.setDefaultTimeout(WAIT.timeout)
  await field(page, 'Your name').fill('Ada Obi')
  await field(page, 'E-mail address').fill('ada@sell.example')
  await page.locator('input[type=password]').fill(PASSWORD)
  await press(page, 'Create the account')
  await page.waitForURL('**/test/overview', WAIT)

  /** Opens a screen, and waits for its heading. */
  const open = async (screen: string, title: string) => {
    await page.goto(`${server.url}/test/${screen}`)
    await heading(page, title).waitFor(WAIT)
  }
  /** The server is told another address than the one at which it listens here. */
  const addressOfPayers = async () => {
    const link = page.getByRole('region', { name: 'Link for payers' }).getByRole('link').first()
    return server.url + new URL((await link.getAttribute('href'))!).pathname
  }
  return { server, page, trouble, open, addressOfPayers }
}

/** Nothing serious by axe, light or dark, and nothing wider than a small phone. */
export async function expectFine(page: Page): Promise<void> {
  expect(await seriousOf(page)).toEqual([])
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  // Rows become cards once the script has heard of it.
  await expect.poll(() => overflowOf(page), WAIT).toBeLessThanOrEqual(0)
  await page.setViewportSize(before)
}
