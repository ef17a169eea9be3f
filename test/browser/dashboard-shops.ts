import type { BrowserContextOptions } from 'playwright-core'
import { type Member, memberOf } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import type { NewPage } from './chromium.ts'
import { pageOf } from './dashboard.ts'

export const INVOICES = '/api/payment-service/external/v1/invoices'
export const PAGES = '/api/payment-service/external/v1/payment-pages'
export const PRODUCTS = '/api/payment-service/external/v1/products'

/** Keeps messages that last eight seconds, because a busy machine can be slower than that. */
export const PATIENT = `
  const wait = window.setTimeout
  window.setTimeout = (work, ms, ...rest) => wait(work, ms === 8000 ? 800000 : ms, ...rest)`

type Role = Parameters<typeof memberOf>[1]

/** Starts a server with a new shop for each `openShop`, and its people at the dashboard. */
export async function startShops(newPage: NewPage) {
  const server = await startServer({ jobs: false })

  async function openShop(name?: string) {
    const business = await server.newBusiness(name)
    const api = server.as(business.keys.testSecret)
    const live = server.as(business.keys.liveSecret)

    /** Opens a separate window for a member of the shop. */
    async function openAs(role: Role, path: string, options: BrowserContextOptions = {}) {
      const member = await memberOf(server, role, business.businessId)
      const opened = await openFor(member, path, options)
      return { ...opened, member }
    }
    return { ...business, api, live, openAs }
  }

  async function openFor(member: Member, path: string, options: BrowserContextOptions = {}) {
    const { page, trouble } = await pageOf(newPage, server.url, member, path, {
      ...options,
      before: (page) => page.addInitScript(PATIENT),
    })
    const go = (to: string) => page.goto(server.url + to)
    return { page, trouble, go }
  }
  return { server, openShop, openFor }
}
