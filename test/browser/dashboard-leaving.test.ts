import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addPasskey } from '../../src/business/people/passkey.fixture.ts'
import { type Member, memberOf, PASSWORD } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'
import { LONG, pageOf, settled, WAIT } from './dashboard.ts'
import { PATIENT } from './dashboard-shops.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const PRODUCTS = '/api/payment-service/external/v1/products'
const WEBHOOKS = '/api/user-service/external/v1/webhooks'
/** Opens a shop with two people. The first one has a screen open. */
async function openAt(path: (api: ReturnType<typeof server.as>) => Promise<string>) {
  const { businessId, keys } = await server.newBusiness()
  const api = server.as(keys.testSecret)
  const [first, second] = [
    await memberOf(server, 'owner', businessId),
    await memberOf(server, 'owner', businessId),
  ]
  const at = await path(api)
  const before = (page: Page) => page.addInitScript(PATIENT)
  const { page } = await pageOf(newPage, server.url, first, at, { before })
  return { page, first, second, api, at }
}

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })

async function signOut(page: Page) {
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** Uses the same window, without a reload. */
async function signIn(page: Page, { email }: Member) {
  await page.waitForURL(({ pathname }) => pathname === '/sign-in', WAIT)
  await heading(page, 'Sign in').waitFor(WAIT)
  await page.getByLabel(/^Email address/).fill(email)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(({ pathname }) => pathname !== '/sign-in', WAIT)
  // The first screen must be there before a test goes on to another one.
  await page.getByRole('navigation', { name: 'Main' }).waitFor(WAIT)
}

/** Navigates the way the application does. */
const go = (page: Page, to: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(to)})`)

describe('the next person in the same window', LONG, () => {
  test('finds no uploads of the previous user', async () => {
    const { page, second, at } = await openAt(async (api) => {
      const made = await api.post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 10 })
      return `/test/products/${made.body.data.productId}`
    })
    await heading(page, 'Cap').waitFor(WAIT)
    // These requests never reach the server.
    await page.route('**/product-upload-media', () => {})
    const chooser = page.getByRole('region', { name: 'Images' }).locator('input[type=file]')
    await chooser.setInputFiles(
      ['one.png', 'two.png'].map((name) => ({
        name,
        mimeType: 'image/png',
        buffer: Buffer.from(name),
      })),
    )
    const sent = page.getByRole('img', { name: /^(one|two)\.png$/ })
    await sent.last().waitFor(WAIT)
    await signOut(page)
    await signIn(page, second)
    await go(page, at)
    await heading(page, 'Cap').waitFor(WAIT)
    await chooser.waitFor({ ...WAIT, state: 'attached' })
    await settled(page)
    expect(await sent.count()).toBe(0)
  })

  test('cannot undo actions of the previous user', async () => {
    const { page, second, api, at } = await openAt(async (shop) => {
      const made = await shop.post(WEBHOOKS, { url: 'https://hooks.example.com/in', events: ['*'] })
      const { reference } = made.body.data
      await shop.put(`${WEBHOOKS}/${reference}`, { status: 'Disabled' })
      return `/test/webhooks/${reference}`
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Enable' }).click()
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    await undo.waitFor(WAIT)
    await signOut(page)
    await signIn(page, second)
    await heading(page, 'Overview').waitFor(WAIT)
    await undo.waitFor({ ...WAIT, state: 'detached' })
    await page.keyboard.press('Control+z')
    // A request for that would be before those for the next screen.
    await go(page, at)
    await page.getByRole('button', { name: 'More actions' }).waitFor(WAIT)
    await settled(page)
    const path = `${WEBHOOKS}/${at.split('/').at(-1)}`
    expect((await api.get(path)).body.data.status).toBe('Active')
  })

  test('sees no data of the previous user, whose session just ended', async () => {
    const { page, first, second } = await openAt(async () => '/test/security')
    await addPasskey(first)
    await page.reload()
    await page.getByText('Phone', { exact: true }).waitFor(WAIT)
    // The live updates notice it, possibly before a click could.
    await server.db.run`delete from sessions where person_id = ${first.id}`
    await page.waitForURL(({ pathname }) => pathname === '/sign-in', WAIT)
    // No response, so the screen can only show what it already has.
    await page.route('**/console/passkeys', () => {})
    await signIn(page, second)
    await go(page, '/test/security')
    await heading(page, 'Your security').waitFor(WAIT)
    await page.getByText('Sign in with your fingerprint').waitFor(WAIT)
    expect(await page.getByText('Phone', { exact: true }).count()).toBe(0)
  })
})
