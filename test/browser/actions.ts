import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../../src/business/people/people.fixture.ts'
import { WAIT } from './dashboard.ts'

/* Actions and checks on a screen of the dashboard. */

/** A string must be the full name. */
export const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
export const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).click()

/** Required fields have an asterisk after their label. */
export const field = (page: Page, label: string) =>
  page.getByLabel(new RegExp(`^${label}( \\*)?$`)).first()
/** Waits until a field has this value, which may still be read, saved or reset. */
export const hasValue = (box: Locator, value: string) =>
  expect.poll(() => box.inputValue(), WAIT).toBe(value)
/** The label also matches the button that shows the password. */
export const password = (page: Page) => page.locator('input[type=password]').first()

/** Selects an option from the list that opens below a field. */
export async function pick(page: Page, label: string, option: string | RegExp): Promise<void> {
  const box = page.getByRole('combobox', { name: new RegExp(`^${label}( \\*)?$`) })
  const found = page.getByRole('option', { name: option }).first()
  for (let tries = 1; ; tries++) {
    // This also scrolls to the field. The list is hidden while its field is out of view.
    if ((await box.getAttribute('aria-expanded')) === 'true') await box.scrollIntoViewIfNeeded()
    else await box.click()
    // A long list shows only some options until part of one is typed.
    if (typeof option === 'string' && (await box.isEditable())) await box.fill(option)
    try {
      return await found.click(tries < TRIES_MAX ? { timeout: TRY_MS } : {})
    } catch (error) {
      if (tries === TRIES_MAX) throw error
    }
  }
}
/** What appears above a field while its list opens can move the field out of view. */
const TRIES_MAX = 3
const TRY_MS = 15_000

export const dialog = (page: Page, name?: string) =>
  page.getByRole('dialog', name === undefined ? {} : { name })
/** Waits until all dialogs have closed. A form closes only after the screen has been read again. */
export const isClosed = (page: Page) => expect.poll(() => dialog(page).count(), WAIT).toBe(0)
export const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).last()
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, exact: typeof name === 'string' })

/** Waits for the heading of a screen. */
export const isTitled = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: typeof name === 'string' }).waitFor(WAIT)
export const isAt = (page: Page, path: string) =>
  page.waitForURL(({ pathname }) => pathname === path, WAIT)
export const shows = (page: Page, text: string | RegExp) =>
  page.getByText(text).first().waitFor(WAIT)

/** The status next to the heading of a record. */
const status = (page: Page) => page.locator('main h1 + *').first()
export const expectState = (page: Page, state: string) =>
  expect.poll(() => status(page).textContent(), WAIT).toBe(state)

export const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.slice(0, 60)')

/** Signs in on the sign-in screen. */
export async function enter(page: Page, email: string, secret = PASSWORD): Promise<void> {
  // Until then, a screen with a field of the same name can still be there.
  await heading(page, 'Sign in').waitFor(WAIT)
  await field(page, 'Email address').fill(email)
  await password(page).fill(secret)
  await press(page, 'Sign in')
}

/** Adds a device for passkeys that verifies its user. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
