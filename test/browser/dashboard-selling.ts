import type { Page } from 'playwright-core'
import type { startServer } from '../harness.ts'
import type { NewPage } from './chromium.ts'
import { openerOf, STILL, WAIT } from './dashboard.ts'
import { heading } from './hands.ts'

/* What one sells with at the dashboard, and the payers who come to it. */

/** The simulator never settles by itself in these tests: each payment is made by hand. */
export const BY_HAND = { simulatorDelayMs: 3_600_000 }
/** The page of payers, as the editor of pages draws it. */
export const drawing = (page: Page) => page.frameLocator('[title="The page as payers see it"]')

/** Opens the dashboard for the owner of a business that sells; payers have separate windows. */
export function sellerOf(server: Awaited<ReturnType<typeof startServer>>, newPage: NewPage) {
  const openAt = openerOf(server, newPage)
  return async (screen: string, title: string) => {
    const opened = await openAt(`/test/${screen}`)
    const { page } = opened
    await heading(page, title).waitFor(WAIT)

    /** Opens another screen, and waits for its heading. */
    const open = async (screen: string, title: string) => {
      await page.goto(`${server.url}/test/${screen}`)
      await heading(page, title).waitFor(WAIT)
    }
    /** The server is told another address than the one at which it listens here. */
    const addressOfPayers = async () => {
      const link = page.getByRole('region', { name: 'Payment link' }).getByRole('link').first()
      return server.url + new URL((await link.getAttribute('href'))!).pathname
    }
    const visit = (address: string) => newPage(address, STILL)
    return { ...opened, open, addressOfPayers, visit }
  }
}
