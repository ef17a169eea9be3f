import { describe, expect, test } from 'vitest'
import { ownerToken } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { press } from './actions.ts'
import { seriousOf, withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, STILL, settled, WAIT } from './dashboard.ts'

// The states that all screens share: signed out, empty, loading, failed, forbidden, and covered by
// a dialog.
const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const PAYMENTS = '**/transaction-service/external/v1/transactions**'

const openAt = openerOf(server, newPage)

describe('signed out', LONG, () => {
  test('signing in, with errors', async () => {
    const { page, trouble } = await newPage(`${server.url}/sign-in`, STILL)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor(WAIT)
    await expectFine(page)
    await page.getByLabel(/^Email/).fill('nobody@example.com')
    await page.locator('input[type=password]').fill('wrong-wrong-wrong')
    await press(page, 'Sign in')
    await page.getByText('The email address or the password is wrong.').waitFor(WAIT)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })

  test('a forgotten password', async () => {
    const { page } = await newPage(`${server.url}/forgot-password`, STILL)
    await page.getByLabel(/^Email/).fill('nobody@example.com')
    await expectFine(page)
    await press(page, 'Send link')
    await page.getByRole('link', { name: 'Back to sign in' }).waitFor(WAIT)
    await expectFine(page)
  })

  test('an owner link, and an expired one', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const { page } = await newPage(`${server.url}/sign-up?token=${token}`, STILL)
    await page.getByLabel(/^Your name/).waitFor(WAIT)
    await expectFine(page)
    await page.goto(`${server.url}/reset-password?token=none`)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor(WAIT)
    await expectFine(page)
  })
})

describe('on the first day', LONG, () => {
  test.each(['overview', 'payments', 'webhooks'])('%s explains its purpose', async (screen) => {
    const { page, trouble } = await openAt(`/test/${screen}`)
    await settled(page)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })

  test('a search without results can be cleared', async () => {
    const { page } = await openAt('/test/payments?search=nothing-of-the-kind')
    await page.getByText('Nothing matches these filters').waitFor(WAIT)
    await expectFine(page)
  })
})

describe('a list', LONG, () => {
  test('that is loading', async () => {
    const { page } = await openAt('/test/webhooks')
    await settled(page)
    await page.route(PAYMENTS, () => {})
    await page.goto(`${server.url}/test/payments`)
    await page.locator('main [aria-busy=true]').waitFor(WAIT)
    await expectFine(page)
  })

  test('that fails to load', async () => {
    const { page } = await openAt('/test/webhooks')
    await settled(page)
    const body = JSON.stringify({ message: 'Out of order.', errors: {}, requestId: 'req_1' })
    await page.route(PAYMENTS, (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body }),
    )
    await page.goto(`${server.url}/test/payments`)
    await page.getByText('This could not be loaded').waitFor(WAIT)
    await expectFine(page)
  })

  test('that the role does not include', async () => {
    const { page } = await openAt('/test/keys', 'viewer')
    await page.getByText('Your role does not give you access to this').waitFor(WAIT)
    await expectFine(page)
  })
})

test('a missing record and a missing screen', LONG, async () => {
  const { page } = await openAt('/test/payments/TRX_none')
  await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor(WAIT)
  await expectFine(page)
  await page.goto(`${server.url}/test/no-such-screen`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor(WAIT)
  await expectFine(page)
})

describe('over a screen', LONG, () => {
  test.each([
    ['/test/webhooks', 'Add an endpoint'],
    ['/test/keys', 'Create a key'],
  ])('%s: the dialog of %s', async (path, name) => {
    const { page } = await openAt(path)
    await settled(page)
    await press(page, name)
    await page.getByRole('dialog').waitFor(WAIT)
    await expectFine(page)
  })

  test('the palette and the account menu', async () => {
    const { page } = await openAt('/test/team')
    await settled(page)
    await press(page, 'Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor(WAIT)
    expect(await seriousOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ ...WAIT, state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').waitFor(WAIT)
    expect(await seriousOf(page)).toEqual([])
  })
})

/** Returns controls that are not tall enough for a thumb, except those in a line of text. */
const PRESSED = 'button, input:not([type=checkbox],[type=radio],[type=hidden])'
const LOW = `[...document.querySelectorAll('${PRESSED}')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((one) => !one.closest('.in-line, .json-copy, .mantine-Input-section'))
  .filter((one) => one.getBoundingClientRect().height < 40)
  .map((one) => one.outerHTML.slice(0, 200))`

test.each(['overview', 'payments', 'invoices/new', 'security'])(
  'on a phone, every control of %s is large enough for a thumb',
  LONG,
  async (screen) => {
    const { page } = await openAt(`/test/${screen}`)
    await page.setViewportSize({ width: 360, height: 740 })
    await settled(page)
    await expect.poll(() => page.evaluate(LOW), WAIT).toEqual([])
    await press(page, 'Open the menu')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link').first().waitFor(WAIT)
    await expect.poll(() => page.evaluate(LOW), WAIT).toEqual([])
  },
)
