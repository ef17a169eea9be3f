import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Member, memberOf } from '../../src/console/testing.ts'
import { startServer } from '../harness.ts'
import type { withBrowser } from './chromium.ts'

export const INVOICES = '/api/payment-service/external/v1/invoices'
export const PAGES = '/api/payment-service/external/v1/payment-pages'
export const PRODUCTS = '/api/payment-service/external/v1/products'

/** On a loaded machine a screen takes its time. */
export const WAIT = { timeout: 60_000 }
export const LONG = { timeout: 300_000 }

/** A loaded machine is slower than people: what is offered for eight seconds stays. */
const PATIENT = `
  const wait = window.setTimeout
  window.setTimeout = (work, ms, ...rest) => wait(work, ms === 8000 ? 800000 : ms, ...rest)`

type Role = Parameters<typeof memberOf>[1]

/** A server with a shop of its own for each `openShop`, and its people at the dashboard. */
export async function startFeel(newPage: ReturnType<typeof withBrowser>['newPage']) {
  const server = await startServer({ sweepers: false })

  async function openShop(name?: string) {
    const business = await server.newBusiness(name)
    const api = server.as(business.keys.testSecret)
    const live = server.as(business.keys.liveSecret)

    /** Somebody of the shop, with a window of their own. */
    async function openAs(role: Role, path: string, options: BrowserContextOptions = {}) {
      const member = await memberOf(server, role, business.businessId)
      const opened = await openFor(member, path, options)
      return { ...opened, member }
    }
    return { ...business, api, live, openAs }
  }

  async function openFor(member: Member, path: string, options: BrowserContextOptions = {}) {
    const { page, trouble } = await newPage(`${server.url}/sign-in`, options)
    page.setDefaultTimeout(WAIT.timeout)
    await page.addInitScript(PATIENT)
    const [name = '', value = ''] = member.cookie().split('=')
    await page.context().addCookies([{ name, value, url: server.url }])
    await page.goto(server.url + path)
    const go = (to: string) => page.goto(server.url + to)
    return { page, trouble, go }
  }
  return { server, openShop, openFor }
}

export const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
export const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).click()
/** A star follows the label of what is required. */
export const field = (page: Page, label: string) =>
  page.getByLabel(new RegExp(`^${label}( \\*)?$`)).first()
export const dialog = (page: Page, name?: string) =>
  page.getByRole('dialog', name === undefined ? {} : { name })
export const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).last()

/** Waits for a screen by its heading. */
export const isTitled = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: typeof name === 'string' }).waitFor(WAIT)

/** Waits for the state beside the heading of a record. */
export const expectState = (page: Page, state: string) =>
  expect.poll(() => page.locator('main h1 + *').first().textContent(), WAIT).toBe(state)

export const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.slice(0, 60)')
