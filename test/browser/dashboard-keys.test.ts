import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { memberOf, turnTwoFactorOn } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { isClosed, press } from './actions.ts'
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

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const INVOICES = '/api/payment-service/external/v1/invoices'
const PROFILE = '/api/user-service/external/v1/profile'

const switchTo = (page: Page, mode: 'Test' | 'Live') =>
  page.getByRole('radiogroup', { name: 'Mode' }).getByText(mode, { exact: true }).click()
const band = (page: Page) => page.getByText('Test mode: no real money moves here.')
const row = (page: Page, label: string) => page.getByRole('row').filter({ hasText: label })

/** Opens the dashboard for the owner of a separate business. */
async function openAt(path: string) {
  const business = await server.newBusiness()
  const owner = await memberOf(server, 'owner', business.businessId)
  return { ...(await pageHeard(newPage, server.url, owner, path)), ...business, owner }
}

/** Returns the key, which is shown only once. */
async function keyShown(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  await dialog.getByText('It won’t be shown again').waitFor(WAIT)
  const [key = ''] = secretsIn(await dialog.innerText())
  expect(key).toMatch(/^sk_/)
  return key
}

const statusWith = async (key: string) => (await server.as(key).get(PROFILE)).status

describe('a key', LONG, () => {
  test('is shown once when created and never sent to the browser again', async () => {
    const { page, trouble, heard, keys } = await openAt('/test/keys')
    await settled(page)
    await expectFine(page)
    await press(page, 'Create a key')
    await page.getByLabel('Name').fill('Shop backend')
    await expectFine(page)
    await press(page, 'Create key')
    const key = await keyShown(page)
    // The key would be lost. “Back” presses this key too.
    await page.keyboard.press('Escape')
    await expectFine(page)
    expect(await keyShown(page)).toBe(key)
    expect(key).toMatch(/^sk_test_/)
    expect(await statusWith(key)).toBe(200)
    await press(page, 'I have saved it')
    await isClosed(page)
    await row(page, 'Shop backend').waitFor(WAIT)
    expect(secretsIn(await keptBy(page))).toEqual([])
    expect(await heard.secretFrom()).toEqual(['/console/keys'])

    // Other screens and a reload do not show it.
    await unfold(page)
    for (const name of ['Request log', 'Audit log', 'Overview']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor(WAIT)
      await settled(page)
    }
    await page.goto(`${server.url}/test/keys`)
    await row(page, 'Shop backend').waitFor(WAIT)
    const kept = await keptBy(page)
    expect(secretsIn(kept)).toEqual([])
    expect(kept).toContain(KEEPS_NOTHING)
    expect(kept).toContain(`…${key.slice(-4)}`)
    for (const other of [keys.testSecret, keys.liveSecret, key]) expect(kept).not.toContain(other)
    expect(await heard.secretFrom()).toEqual(['/console/keys'])
    expect(trouble()).toEqual([])
  })

  test('is rotated, with the new one shown once, and revoked', async () => {
    const { page, trouble, heard, keys } = await openAt('/test/keys')
    await settled(page)
    const old = row(page, `…${keys.testSecret.slice(-4)}`)
    await old.getByRole('button', { name: /^More/ }).click()
    await page.getByRole('menuitem', { name: 'Rotate' }).click()
    await page.getByLabel(/^Hours until the old key/).fill('0')
    await press(page, 'Rotate key')
    const key = await keyShown(page)
    await press(page, 'I have saved it')
    await isClosed(page)
    await row(page, `…${key.slice(-4)}`).waitFor(WAIT)
    expect(await heard.secretFrom()).toHaveLength(1)
    expect(await statusWith(key)).toBe(200)
    await expect.poll(() => statusWith(keys.testSecret), WAIT).toBe(401)

    await row(page, `…${key.slice(-4)}`)
      .getByRole('button', { name: /^More/ })
      .click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await press(page, 'Revoke key')
    await page.getByText('Key revoked.').waitFor(WAIT)
    await expect.poll(() => statusWith(key), WAIT).toBe(401)
    expect(secretsIn(await keptBy(page))).toEqual([])
    expect(await heard.secretFrom()).toHaveLength(1)
    expect(trouble()).toEqual([])
  })
})

describe('test and live', LONG, () => {
  test('show different records, and clearly show the current mode', async () => {
    const { page, trouble, keys } = await openAt('/test/invoices')
    const invoice = { customerEmail: 'tess@mode.example', amount: 9, sendImmediately: false }
    const { status, body } = await server.as(keys.testSecret).post(INVOICES, invoice)
    expect(status).toBe(201)
    await page.getByText('tess@mode.example').first().waitFor(WAIT)
    await band(page).waitFor(WAIT)
    await expect.poll(() => page.title(), WAIT).toContain('Test')

    await switchTo(page, 'Live')
    await page.waitForURL('**/live/invoices', WAIT)
    await page.getByRole('heading', { name: 'No invoices yet' }).waitFor(WAIT)
    await band(page).waitFor({ ...WAIT, state: 'detached' })
    expect(await page.getByText('tess@mode.example').count()).toBe(0)
    await expect.poll(() => page.title(), WAIT).not.toContain('Test')
    await expectFine(page)

    await page.goto(`${server.url}/live/invoices/${body.data.reference}`)
    await page.getByRole('heading', { name: 'in test mode' }).waitFor(WAIT)
    await expectFine(page)
    await switchTo(page, 'Test')
    await page.waitForURL('**/test/invoices', WAIT)
    await page.getByText('tess@mode.example').first().waitFor(WAIT)
    await band(page).waitFor(WAIT)
    expect(trouble()).toEqual([])
  })

  test('have separate keys', async () => {
    const { page, trouble, keys, owner } = await openAt('/test/overview')
    // Creating a key that moves real money requires a second factor.
    await turnTwoFactorOn(server, owner)
    await page.goto(`${server.url}/live/keys`)
    await row(page, `sk_live_…${keys.liveSecret.slice(-4)}`).waitFor(WAIT)
    expect(await page.getByText(/^sk_test_/).count()).toBe(0)
    await press(page, 'Create a key')
    await page.getByText('A live key can move real money.').waitFor(WAIT)
    await page.getByLabel('Name').fill('Checkout of the shop')
    await press(page, 'Create key')
    expect(await keyShown(page)).toMatch(/^sk_live_/)
    await press(page, 'I have saved it')
    await row(page, 'Checkout of the shop').waitFor(WAIT)
    await switchTo(page, 'Test')
    await row(page, `sk_test_…${keys.testSecret.slice(-4)}`).waitFor(WAIT)
    expect(await row(page, 'Checkout of the shop').count()).toBe(0)
    expect(trouble()).toEqual([])
  })
})

describe('an injected script', LONG, () => {
  test('does not run and cannot reach the session', async () => {
    const { page, owner, trouble } = await openAt('/test/overview')
    await settled(page)
    const [, session = 'none'] = owner.cookie().split('=')
    expect(await page.evaluate('document.cookie')).not.toContain(session)
    // Chromium reports what it refuses to the document.
    const ran = await page.evaluate(`(async () => {
      const refused = []
      document.addEventListener('securitypolicyviolation', (one) => {
        refused.push(one.effectiveDirective)
      })
      const inline = document.createElement('script')
      inline.textContent = 'globalThis.inline = true'
      const data = document.createElement('script')
      data.src = 'data:text/javascript,globalThis.data = true'
      const picture = document.createElement('img')
      picture.setAttribute('onerror', 'globalThis.handler = true')
      picture.src = 'data:,no picture'
      document.body.append(inline, data, picture)
      // The test itself can evaluate code; scripts that run later cannot.
      await new Promise((r) => setTimeout(r, 50))
      try { (0, eval)('globalThis.evaluated = true') } catch {}
      for (let i = 0; i < 200 && refused.length < 4; i++) {
        await new Promise((r) => setTimeout(r, 50))
      }
      const left = ['inline', 'data', 'handler', 'evaluated'].filter((name) => globalThis[name])
      return { refused: refused.sort(), left }
    })()`)
    expect(ran).toEqual({
      refused: ['script-src', 'script-src-attr', 'script-src-elem', 'script-src-elem'],
      left: [],
    })
    expect(trouble().length).toBeGreaterThan(0)
  })
})
