import { expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'
import { LONG, openerOf, settled, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)

test('a typed URL opens the intended screen', LONG, async () => {
  const { page, trouble } = await openAt('/invoices')
  for (const [typed, meant] of [
    ['/invoices', '/test/invoices'],
    ['/payments?status=Failed', '/test/payments?status=Failed'],
    ['/settings/payouts', '/test/settings/payouts'],
    ['/Dashboard', '/test/overview'],
    ['/admin', '/test/overview'],
    ['/login', '/test/overview'],
    ['/sign-in', '/test/overview'],
    ['/test', '/test/overview'],
    ['/test/', '/test/overview'],
    ['/live', '/live/overview'],
  ] as const) {
    await page.goto(server.url + typed)
    await settled(page)
    await expect.poll(() => page.url().replace(server.url, ''), WAIT).toBe(meant)
  }
  await page.goto(`${server.url}/test/settings/business`)
  await page.getByRole('heading', { level: 1, name: 'Business' }).waitFor(WAIT)
  await page.goto(`${server.url}/no/such/thing`)
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor(WAIT)
  await page.getByRole('button', { name: 'Go to the overview' }).click()
  await settled(page)
  expect(trouble()).toEqual([])
})

test(
  'a visitor who is not signed in signs in first, then continues to the requested screen',
  LONG,
  async () => {
    const { page } = await newPage(`${server.url}/invoices`)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor(WAIT)
    expect(new URL(page.url()).searchParams.get('next')).toBe('/test/invoices')
  },
)
