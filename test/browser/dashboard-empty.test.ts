import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, settled, WAIT } from './dashboard.ts'

// Every screen of an empty business, and every screen when all reads fail.
const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)

const ROUTES = readFileSync(new URL('../../dashboard/src/app/routes.tsx', import.meta.url), 'utf8')
const PATHS = [...ROUTES.matchAll(/\bscreen\(\s*'([^']+)'/g)].map(([, path]) => path!)
const SECTIONS = ['branding', 'payments', 'payouts', 'providers', 'website'].map(
  (one) => `settings/${one}`,
)
const LISTS = [...PATHS.filter((path) => !path.includes('/')), ...SECTIONS]
/** The simulator has only actions and reads nothing when it opens. */
const READS_NOTHING = ['simulator']
const RECORDS = PATHS.filter((path) => /\$\w+$/.test(path) && path !== 'settings/$section')

const READING = [...LISTS, ...RECORDS.map((path) => path.replace(/\$\w+/g, 'x'))].filter(
  (path) => !READS_NOTHING.includes(path),
)

/** Splits the paths into groups; one window checks the screens of a group one after another. */
const groupsOf = (paths: string[], size: number) =>
  Array.from({ length: Math.ceil(paths.length / size) }, (_, number) => {
    const group = paths.slice(number * size, (number + 1) * size)
    return { paths: group, first: group[0], last: group.at(-1) }
  })

describe('a business that has nothing', LONG, () => {
  test.each(groupsOf(LISTS, 8))(
    'has accessible empty states, also on a phone, from $first to $last',
    async ({ paths }) => {
      const { page, trouble } = await openAt('/test/security')
      for (const path of paths) {
        await page.goto(`${server.url}/test/${path}`)
        await settled(page)
        const said = await page.locator('main').innerText()
        expect(said, path).not.toMatch(
          /Something went wrong|could not be|does not give you access|undefined|\bNaN\b/,
        )
        await expectFine(page, path)
      }
      expect(trouble()).toEqual([])
    },
  )
})

describe('a failed read', LONG, () => {
  const body = JSON.stringify({ message: 'Out of order.', errors: {}, requestId: 'req_1' })

  test.each(groupsOf(READING, 20))(
    'is reported below a heading with a "Try again" button, from $first to $last',
    async ({ paths }) => {
      const { page, trouble } = await openAt('/test/security')
      await settled(page)
      // 429, because the dashboard waits and retries by itself after a 5xx.
      await page.route(
        (url) => /^\/(?:api|console)\/(?!me$|live)/.test(url.pathname),
        (route) => route.fulfill({ status: 429, contentType: 'application/json', body }),
      )
      for (const path of paths) {
        await page.goto(`${server.url}/test/${path}`)
        await page.getByText('This could not be loaded').first().waitFor(WAIT)
        await page.getByRole('button', { name: 'Try again' }).first().waitFor(WAIT)
        const titles = page.getByRole('heading', { level: 1 })
        await expect.poll(() => titles.count(), { ...WAIT, message: path }).toBe(1)
        await page.getByText('Out of order.').first().waitFor(WAIT)
      }
      await expectFine(page)
      expect(trouble()).toEqual([])
    },
  )
})
