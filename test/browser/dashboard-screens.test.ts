import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { openReceiver } from '../webhook-receiver.ts'
import { withBrowser } from './chromium.ts'
import {
  expectFine,
  KEEPS_NOTHING,
  keptBy,
  LONG,
  pageHeard,
  secretsIn,
  settled,
  unfold,
  WAIT,
} from './dashboard.ts'
import { openFullShop } from './full-shop.ts'

// Records keep their state: nothing settles while the screens are checked.
const server = await startServer({ simulatorDelayMs: 3_600_000 })
const receiver = await openReceiver()
const shop = await openFullShop(server, `${receiver.url}/full`)
const { newPage } = withBrowser()
/** Every screen with a route, so that new screens are checked too. */
const ROUTES = readFileSync(new URL('../../dashboard/src/app/routes.tsx', import.meta.url), 'utf8')
const PATHS = [...ROUTES.matchAll(/\bscreen\(\s*'([^']+)'/g)].map(([, path]) => path!)
/** The number of screens that one window checks, one after another. */
const AT_ONCE = 8
const GROUPS = Array.from({ length: Math.ceil(PATHS.length / AT_ONCE) }, (_, number) => {
  const paths = PATHS.slice(number * AT_ONCE, (number + 1) * AT_ONCE)
  return { paths, first: paths[0], last: paths.at(-1) }
})

test('finds every route', () => {
  expect(PATHS.length).toBe(ROUTES.match(/(?<!\()\(\) => import/g)!.length)
  expect(PATHS.length).toBeGreaterThan(50)
})

describe('every screen of a business with one of everything', LONG, () => {
  test.each(GROUPS)(
    'from $first to $last is accessible, fits a phone, keeps the policy and receives no secret key',
    async ({ paths }) => {
      const first = shop.screenAt(paths[0]!)
      const { page, trouble, heard } = await pageHeard(newPage, server.url, shop.owner, first)
      for (const route of paths) {
        const path = shop.screenAt(route)
        if (path !== first) await page.goto(server.url + path)
        await settled(page)
        expect(new URL(page.url()).pathname).toBe(path)
        // Neither a missing record nor a broken screen.
        const said = await page.locator('main').innerText()
        expect(said, route).not.toMatch(
          /Page not found|Something went wrong|could not be|does not give you access/,
        )
        await expectFine(page, route)

        expect(trouble(), route).toEqual([])
        expect(await heard.secretFrom(), route).toEqual([])
        const kept = await keptBy(page)
        expect(secretsIn(kept), route).toEqual([])
        expect(kept, route).toContain(KEEPS_NOTHING)
        const [, session] = shop.owner.cookie().split('=')
        expect(kept, route).not.toContain(session)
      }
      expect(heard.count()).toBeGreaterThan(3 * paths.length)
    },
  )

  test('receives no secret through the whole navigation', async () => {
    const { page, trouble, heard } = await pageHeard(
      newPage,
      server.url,
      shop.owner,
      '/test/overview',
    )
    await settled(page)
    await unfold(page)
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    const names = await links.allInnerTexts()
    expect(names.length).toBeGreaterThan(20)
    for (const text of names) {
      // A number of records to decide about can follow the name.
      const [name] = text.split('\n')
      const link = links.filter({ hasText: new RegExp(`^${name}\\d*$`) })
      await link.click()
      await expect.poll(() => link.getAttribute('aria-current'), WAIT).toBe('page')
      await settled(page)
    }
    for (let back = 0; back < 5; back++) await page.goBack()
    await settled(page)
    expect(trouble()).toEqual([])
    expect(await heard.secretFrom()).toEqual([])
    expect(secretsIn(await keptBy(page))).toEqual([])
  })
})
