import type { BrowserContextOptions, Page, Response } from 'playwright-core'
import { expect } from 'vitest'
import { type Member, memberOf } from '../../src/business/people/people.fixture.ts'
import type { Role } from '../../src/business/people/roles.ts'
import type { startServer } from '../harness.ts'
import { type NewPage, overflowOf, seriousOf } from './chromium.ts'

/* Shared by tests of the whole dashboard; actions.ts has the actions on a screen. */

/** The limit for conditions that tests wait for; high, so that slow machines pass too. */
export const WAIT = { timeout: 90_000 }
/** Each check by axe takes seconds on a busy machine. */
export const LONG = { timeout: 300_000 }
/** No animations, so that elements do not move. */
export const STILL = { reducedMotion: 'reduce' } as const

type Before = (page: Page) => Promise<unknown>

/** Opens a path of the dashboard for a signed-in member. */
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

/** The same; `heard` has all responses to the page, from the first. */
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

/** Expects no serious axe violation in light or dark mode, and nothing wider than a phone. */
export async function expectFine(page: Page, screen = new URL(page.url()).pathname): Promise<void> {
  expect(await seriousOf(page), screen).toEqual([])
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  // Tables become cards a moment later.
  await expect.poll(() => overflowOf(page), { ...WAIT, message: screen }).toBeLessThanOrEqual(0)
  await page.setViewportSize(before)
  await isResized(page, before.width)
}

/** Waits until the page has this width and has replaced what depends on it, such as its tables. */
async function isResized(page: Page, width: number): Promise<void> {
  await expect.poll(() => page.evaluate('innerWidth'), WAIT).toBe(width)
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')
}

/** Matches full API keys, partner secrets and webhook secrets. */
const SECRETS = /\b[a-z]{2}_(?:test|live)_[0-9A-Za-z]{38}|whsec_[0-9A-Za-z+/]{20,}/g
const isPublic = (key: string) => key.startsWith('pk_')

export const secretsIn = (text: string): string[] =>
  (text.match(SECRETS) ?? []).filter((key) => !isPublic(key))

/** Records all responses to a page from now on. An open stream has no body. */
function answersOf(page: Page) {
  const bodies: Promise<{ url: string; text: string }>[] = []
  const read = async (response: Response) => {
    const url = response.url()
    const isStream = response.headers()['content-type']?.startsWith('text/event-stream')
    // A request that was abandoned has no body either.
    const body = isStream ? undefined : await response.body().catch(() => undefined)
    const headers = JSON.stringify(await response.allHeaders().catch(() => ({})))
    return { url, text: `${url} ${headers} ${body?.toString('latin1') ?? ''}` }
  }
  page.on('response', (response) => void bodies.push(read(response)))
  return {
    /** The paths whose response had a secret. */
    secretFrom: async () =>
      (await Promise.all(bodies))
        .filter(({ text }) => secretsIn(text).length > 0)
        .map(({ url }) => new URL(url).pathname),
    /** The number of responses. */
    count: () => bodies.length,
  }
}

/** Returns everything that a page stores where a script can read it, and what it shows. */
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

/** The storage that must stay empty: databases, caches and workers. */
export const KEEPS_NOTHING = '"databases":[],"cacheNames":[],"workers":0'

/** Expands all groups of the navigation, so that it links to every screen. */
export async function unfold(page: Page): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const folded = navigation.getByRole('button', { expanded: false })
  await navigation.getByRole('link').first().waitFor(WAIT)
  for (let left = await folded.count(); left > 0; left--) {
    await folded.first().click()
    await expect.poll(() => folded.count(), WAIT).toBe(left - 1)
  }
}
