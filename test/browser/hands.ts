import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../../src/business/people/people.fixture.ts'
import { WAIT } from './dashboard.ts'

/* What somebody does at a screen of the dashboard, and what they look for. */

/** A string is the whole name. */
export const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
export const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).click()

/** A star follows the label of what is required. */
export const field = (page: Page, label: string) =>
  page.getByLabel(new RegExp(`^${label}( \\*)?$`)).first()
/** Its label has a button too, which shows what is typed. */
export const password = (page: Page) => page.locator('input[type=password]').first()

/** Takes an option of a list that opens below its field. */
export async function pick(page: Page, label: string, option: string | RegExp): Promise<void> {
  const box = page.getByRole('combobox', { name: new RegExp(`^${label}( \\*)?$`) })
  await box.click()
  // Of many options only some are shown until a part of one is typed.
  if (typeof option === 'string' && (await box.isEditable())) await box.fill(option)
  await page.getByRole('option', { name: option }).first().click()
}

export const dialog = (page: Page, name?: string) =>
  page.getByRole('dialog', name === undefined ? {} : { name })
export const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).last()
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, exact: typeof name === 'string' })

/** Waits for a screen by its heading. */
export const isTitled = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: typeof name === 'string' }).waitFor(WAIT)
export const isAt = (page: Page, path: string) =>
  page.waitForURL(({ pathname }) => pathname === path, WAIT)
export const shows = (page: Page, text: string | RegExp) =>
  page.getByText(text).first().waitFor(WAIT)

/** The state beside the heading of a record. */
export const status = (page: Page) => page.locator('main h1 + *').first()
export const expectState = (page: Page, state: string) =>
  expect.poll(() => status(page).textContent(), WAIT).toBe(state)

export const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.slice(0, 60)')

/** Signs in, at the screen for that. */
export async function enter(page: Page, email: string, secret = PASSWORD): Promise<void> {
  await field(page, 'Email address').fill(email)
  await password(page).fill(secret)
  await press(page, 'Sign in')
}

/** A device that knows who is before it, for passkeys. */
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
