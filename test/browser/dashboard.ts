import type { BrowserContextOptions, Page, Response } from 'playwright-core'
import { expect } from 'vitest'
import { type Member, memberOf } from '../../src/business/people/people.fixture.ts'
import type { Role } from '../../src/business/people/roles.ts'
import type { startServer } from '../harness.ts'
import { type NewPage, overflowOf, seriousOf } from './chromium.ts'

/* Shared by tests of the whole dashboard; hands.ts has the actions on a screen. */

/** Condition by condition, not by time: a slow machine is no failure. */
export const WAIT = { timeout: 90_000 }
/** Each look by axe takes seconds where the machine has other work. */
export const LONG = { timeout: 300_000 }
/** Nothing moves: what is shown is where it stays. */
export const STILL = { reducedMotion: 'reduce' } as const

type Before = (page: Page) => Promise<unknown>

/** A page of somebody who is signed in, at a path of the dashboard. */
export function pageOf(
  newPage: NewPage,
  url: string,
  member: Member,
  path: string,
  { before, ...options }: BrowserContextOptions & { before?: Before } = {},
) {
  const [name = '', value = ''] = member.cookie().split('=')
  return newPage(url + path, { ...STILL, ...options }, async (page) => {
    await page.context().addCookies([{ name, value, url, httpOnly: true }])
    page.setDefaultTimeout(WAIT.timeout)
    await before?.(page)
  })
}

/** The same; `heard` is all that the page is answered, from the beginning. */
export async function pageHeard(newPage: NewPage, url: string, member: Member, path: string) {
  const heard: ReturnType<typeof answersOf>[] = []
  const before = async (page: Page) => heard.push(answersOf(page))
  const opened = await pageOf(newPage, url, member, path, { before })
  return { ...opened, heard: heard[0]! }
}

/** Opens the dashboard for people, each with a separate business. */
export function openerOf(
  server: Awaited<ReturnType<typeof startServer>>,
  newPage: NewPage,
  url = server.url,
) {
  return async (path: string, role: Role = 'owner') => {
    const business = await server.newBusiness()
    const member = await memberOf(server, role, business.businessId)
    const opened = await pageOf(newPage, url, member, path)
    return { ...opened, ...business, member, api: server.as(business.keys.testSecret) }
  }
}

/** Waits until the screen has its heading and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor(WAIT)
  const loading = page.locator('main [aria-busy=true], main .mantine-Skeleton-root')
  await expect.poll(() => loading.count(), WAIT).toBe(0)
}

/** Nothing serious by axe, light or dark, and nothing wider than a small phone. */
export async function expectFine(page: Page, screen = new URL(page.url()).pathname): Promise<void> {
  expect(await seriousOf(page), screen).toEqual([])
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  // Tables become cards a moment after.
  await expect.poll(() => overflowOf(page), { ...WAIT, message: screen }).toBeLessThanOrEqual(0)
  await page.setViewportSize(before)
}

/** Secret keys of the API, secrets of partners and of webhooks, as they are written in full. */
const SECRETS = /\b[a-z]{2}_(?:test|live)_[0-9A-Za-z]{38}|whsec_[0-9A-Za-z+/]{20,}/g
const isPublic = (key: string) => key.startsWith('pk_')

export const secretsIn = (text: string): string[] =>
  (text.match(SECRETS) ?? []).filter((key) => !isPublic(key))

/** All that a page is answered, from now on; a stream that goes on has no body yet. */
function answersOf(page: Page) {
  const bodies: Promise<{ url: string; text: string }>[] = []
  const read = async (response: Response) => {
    const url = response.url()
    const isStream = response.headers()['content-type']?.startsWith('text/event-stream')
    // What was left before it was there has none either.
    const body = isStream ? undefined : await response.body().catch(() => undefined)
    const headers = JSON.stringify(await response.allHeaders().catch(() => ({})))
    return { url, text: `${url} ${headers} ${body?.toString('latin1') ?? ''}` }
  }
  page.on('response', (response) => void bodies.push(read(response)))
  return {
    /** Which addresses answered a secret. */
    secretFrom: async () =>
      (await Promise.all(bodies))
        .filter(({ text }) => secretsIn(text).length > 0)
        .map(({ url }) => new URL(url).pathname),
    /** How many answers were heard. */
    count: () => bodies.length,
  }
}

/** All that a page keeps where a script finds it again, and what it shows. */
export async function keptBy(page: Page): Promise<string> {
  return String(
    await page.evaluate(`(async () => {
      const databases = await indexedDB.databases()
      const cacheNames = await caches.keys()
      const workers = await navigator.serviceWorker.getRegistrations()
      return JSON.stringify({
        local: { ...localStorage },
        session: { ...sessionStorage },
        cookie: document.cookie,
        state: history.state,
        at: location.href,
        windowName: window.name,
        page: document.documentElement.outerHTML,
        typed: [...document.querySelectorAll('input,textarea')].map((one) => one.value),
        databases, cacheNames, workers: workers.length,
      })
    })()`),
  )
}

/** Nothing but what is in view is kept in databases, caches or workers. */
export const KEEPS_NOTHING = '"databases":[],"cacheNames":[],"workers":0'

/** Opens the groups of the navigation that are folded, so that it leads to every screen. */
export async function unfold(page: Page): Promise<void> {
  const folded = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('button', { expanded: false })
  for (let left = await folded.count(); left > 0; left--) {
    await folded.first().click()
    await expect.poll(() => folded.count(), WAIT).toBe(left - 1)
  }
}
