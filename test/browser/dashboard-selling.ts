import type { Page } from 'playwright-core'
import type { startServer } from '../harness.ts'
import { heading } from './actions.ts'
import type { NewPage } from './chromium.ts'
import { openerOf, STILL, WAIT } from './dashboard.ts'

/* Shared by tests that sell in the dashboard and pay as payers. */

/** The simulator never settles by itself in these tests: each test makes its own payments. */
export const BY_HAND = { simulatorDelayMs: 3_600_000 }
/** The preview in the editor of payment pages. */
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
    /** Returns the payment link; its origin is replaced by the URL where this server listens. */
    const addressOfPayers = async () => {
      const link = page.getByRole('region', { name: 'Payment link' }).getByRole('link').first()
      return server.url + new URL((await link.getAttribute('href'))!).pathname
    }
    const visit = (address: string) => newPage(address, STILL)
    return { ...opened, open, addressOfPayers, visit }
  }
}
