import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, settled, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const group = (page: Page, name: string) => navigation(page).getByRole('button', { name })
const link = (page: Page, name: string) => navigation(page).getByRole('link', { name })

/** Returns how many pixels the navigation is taller than its space. */
const TOO_LONG = `(() => {
  const pane = document.querySelector('nav .mantine-ScrollArea-viewport')
  return pane.scrollHeight - pane.clientHeight
})()`

test(
  'a window of 800 pixels fits the navigation, and groups expand with a click',
  LONG,
  async () => {
    const { page, trouble } = await openAt('/test/overview')
    await page.setViewportSize({ width: 1280, height: 800 })
    await settled(page)
    await expect.poll(() => page.evaluate(TOO_LONG), WAIT).toBeLessThanOrEqual(0)
    expect(await link(page, 'API keys').count()).toBe(0)
    await group(page, 'Developers').focus()
    await page.keyboard.press('Enter')
    await link(page, 'API keys').waitFor(WAIT)
    await group(page, 'Money').click()
    await link(page, 'Wallet').waitFor({ ...WAIT, state: 'detached' })
    await expectFine(page)
    // Remembered after a reload.
    await page.reload()
    await link(page, 'API keys').waitFor(WAIT)
    expect(await link(page, 'Wallet').count()).toBe(0)
    expect(trouble()).toEqual([])
  },
)

test('shows the current screen, even in a folded group', LONG, async () => {
  const { page } = await openAt('/test/keys')
  await settled(page)
  const current = () => link(page, 'API keys').getAttribute('aria-current')
  await expect.poll(current, WAIT).toBe('page')
  await link(page, 'Webhooks').waitFor(WAIT)
  await group(page, 'Developers').click()
  await link(page, 'Webhooks').waitFor({ ...WAIT, state: 'detached' })
  await expect.poll(current, WAIT).toBe('page')
})
