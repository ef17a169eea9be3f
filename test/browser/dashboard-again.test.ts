import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  browserAt,
  type Member,
  memberOf,
  PASSWORD,
} from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { addAuthenticator, dialog, enter, field, hasValue, isAt } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, settled, WAIT } from './dashboard.ts'

const server = await startServer()
// Passkeys need a host name, not an IP address; Chromium accepts `localhost`.
const url = server.url.replace('127.0.0.1', 'localhost')
const { newPage } = withBrowser()
const open = openerOf(server, newPage, url)
const CODE = 'HARVEST10'

const again = (page: Page) => dialog(page, 'Sign in to continue')

/** Opens the dashboard of an owner at a screen. */
async function openAt(path: string) {
  const opened = await open(path)
  await settled(opened.page)
  return opened
}

/** Types half a discount code and ends the session. */
async function typedInto(page: Page) {
  await page.getByRole('button', { name: 'New code' }).first().click()
  await field(page, 'Code').fill(CODE)
  await field(page, 'Discount').fill('10')
  server.clock.advance(31 * 60_000)
}

/** Clicks in the page itself, because the live updates can notice the end of the session first. */
const save = (page: Page) =>
  page
    .locator('form button[type=submit]', { hasText: 'Create code' })
    .evaluate((button) => (button as HTMLButtonElement).click())

const codesOf = async (businessId: number) =>
  (await server.db.many`select code from discounts where business_id = ${businessId}`).length

async function answer(page: Page, password = PASSWORD) {
  await again(page).locator('input[type=password]').fill(password)
  await again(page).getByRole('button', { name: 'Sign in', exact: true }).click()
}

describe('a session that ends while someone types', LONG, () => {
  test('is renewed above the form, which continues', async () => {
    const { page, businessId, trouble, member } = await openAt('/test/discounts')
    await typedInto(page)
    await save(page)
    await again(page).waitFor(WAIT)
    // Until then the screen below is hidden.
    await page.locator('main').waitFor({ ...WAIT, state: 'hidden' })
    await field(page, 'Code').waitFor({ ...WAIT, state: 'hidden' })
    await hasValue(again(page).getByLabel('Email address'), member.email)
    await expectFine(page)
    await page.keyboard.press('Escape')
    await answer(page, 'wrong-password-here')
    await again(page).getByText('The email address or the password is wrong.').waitFor(WAIT)
    expect(await codesOf(businessId)).toBe(0)
    await answer(page)
    await page.getByText(CODE).first().waitFor(WAIT)
    await again(page).waitFor({ state: 'detached', ...WAIT })
    expect(await codesOf(businessId)).toBe(1)
    expect(new URL(page.url()).pathname).toBe('/test/discounts')
    expect(trouble().filter((one) => !one.includes('401'))).toEqual([])
  })

  test('leaves nothing for another user', async () => {
    const { page, businessId } = await openAt('/test/discounts')
    await typedInto(page)
    await save(page)
    await again(page)
      .getByRole('button', { name: /sign in as someone else/ })
      .click()
    await isAt(page, '/sign-in')
    const other = await memberOf(server, 'owner')
    await enter(page, other.email)
    await isAt(page, '/test/overview')
    await settled(page)
    await page.goBack()
    expect(await page.content()).not.toContain(CODE)
    expect(await codesOf(businessId)).toBe(0)
  })

  test('resumes when the same user signs in in another window', async () => {
    const { page, member, businessId } = await openAt('/test/discounts')
    await typedInto(page)
    await save(page)
    await again(page).waitFor(WAIT)
    const other = await page.context().newPage()
    await other.goto(`${url}/test/payments`)
    await isAt(other, '/sign-in')
    await enter(other, member.email)
    await again(page).waitFor({ state: 'detached', ...WAIT })
    await page.getByText(CODE).first().waitFor(WAIT)
    await expect.poll(() => codesOf(businessId), WAIT).toBe(1)
  })

  test('is over for good when the user signs out in another window', async () => {
    const { page } = await openAt('/test/invoices')
    await page.goto(`${url}/test/discounts`)
    await page.getByRole('button', { name: 'New code' }).first().click()
    await field(page, 'Code').fill(CODE)
    const other = await page.context().newPage()
    await other.goto(`${url}/test/payments`)
    await settled(other)
    await other.getByRole('button', { name: 'Your account' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await isAt(other, '/sign-in')
    await isAt(page, '/sign-in')
    await page.goBack()
    await isAt(page, '/sign-in')
    expect(await page.content()).not.toContain(CODE)
  })
})

describe('confirming the password again', LONG, () => {
  const isAsked = (page: Page) => dialog(page, 'Confirm it’s you')
  const invite = async (page: Page, member: Member) => {
    await page.goto(`${url}/test/team`)
    await page.getByRole('button', { name: 'Invite teammate' }).click()
    await field(page, 'Email address').fill(`with-${member.email}`)
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await isAsked(page).waitFor(WAIT)
  }

  test('works with a passkey instead', async () => {
    const { page, member } = await openAt('/test/security')
    await addAuthenticator(page)
    await field(page, 'Name').fill('My laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('Not used yet').waitFor(WAIT)
    server.clock.advance(6 * 60_000)
    await invite(page, member)
    await expectFine(page)
    await isAsked(page).getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(`with-${member.email}`).first().waitFor(WAIT)
    await isAsked(page).waitFor({ state: 'detached', ...WAIT })
    const elsewhere = browserAt(server.url)
    const signedIn = { email: member.email, password: PASSWORD }
    expect((await elsewhere.post('/console/sign-in', signedIn)).status).toBe(200)
  })

  test('offers no passkey to users without one', async () => {
    const { page, member } = await openAt('/test/team')
    server.clock.advance(6 * 60_000)
    await invite(page, member)
    expect(await isAsked(page).getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
  })
})
