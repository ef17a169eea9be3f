import { describe, expect, test } from 'vitest'
import {
  codeAt,
  emailTo,
  type Member,
  memberOf,
  ownerToken,
  PASSWORD,
  tokenIn,
} from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { addAuthenticator, enter, field, heading, isAt, password, press } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, STILL, unfold, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
// Passkeys need a host name, not an IP address; Chromium accepts `localhost`.
const url = server.url.replace('127.0.0.1', 'localhost')
const { newPage } = withBrowser()
const OTHER = 'green-lantern-walks-home'

/** Opens a page without a session. */
const visit = (path: string) => newPage(url + path, STILL)
const at = (member: Member, path: string) => pageOf(newPage, url, member, path)

describe('the owner', LONG, () => {
  test('signs up with the link, turns on two-factor authentication and signs in with a code', async () => {
    const { businessId } = await server.newBusiness()
    const token = await ownerToken(server, businessId)
    const { page, trouble } = await visit(`/sign-up?token=${token}`)
    await heading(page, 'Create your account').waitFor(WAIT)
    await expectFine(page)
    await field(page, 'Your name').fill('Ada Obi')
    await field(page, 'Email address').fill('ada@browser.example')
    await password(page).fill('short')
    await press(page, 'Create account')
    await page.getByText('must have at least 12 characters').waitFor(WAIT)
    await password(page).fill(PASSWORD)
    await press(page, 'Create account')
    await isAt(page, '/test/overview')

    await page.goto(`${url}/test/security`)
    await heading(page, 'Your security').waitFor(WAIT)
    await page.getByText('No passkeys yet.').waitFor(WAIT)
    await expectFine(page)
    await press(page, 'Set up')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: /QR code/ }).waitFor(WAIT)
    await expectFine(page)
    const secret = await dialog.locator('code').innerText()
    await field(page, 'Code from the app').fill(codeAt(secret, server.clock.now()))
    await press(page, 'Turn on')
    await heading(page, 'Your recovery codes').waitFor(WAIT)
    expect(await page.locator('[data-recovery-code]').count()).toBe(10)
    await expectFine(page)
    const file = page.waitForEvent('download')
    await press(page, 'Download')
    expect((await file).suggestedFilename()).toBe('tradepost-recovery-codes.txt')
    await press(page, 'I have saved them')
    await page.getByRole('button', { name: 'Turn off' }).waitFor(WAIT)

    await press(page, 'Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await isAt(page, '/sign-in')
    await expectFine(page)
    server.clock.advance(60_000)
    await enter(page, 'ada@browser.example', 'wrong-password-here')
    await page.getByText('The email address or the password is wrong.').waitFor(WAIT)
    await enter(page, 'ada@browser.example')
    const code = page.getByLabel('Code from your authenticator app')
    await code.waitFor(WAIT)
    await expectFine(page)
    await code.fill('000000')
    await press(page, 'Sign in')
    await page.getByText('The code is wrong').waitFor(WAIT)
    await code.fill(codeAt(secret, server.clock.now()))
    await press(page, 'Sign in')
    await isAt(page, '/test/overview')
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(secret)
    expect(trouble()).toEqual([])
  })

  test('returns to the screen after the session ended', async () => {
    const { page } = await at(await memberOf(server, 'owner'), '/test/security')
    await heading(page, 'Your security').waitFor(WAIT)
    server.clock.advance(31 * 60_000)
    await page.reload()
    await isAt(page, '/sign-in')
    const { email } = await server.db.one<{ email: string }>`
      select email from people order by id desc limit 1`
    await enter(page, email)
    await isAt(page, '/test/security')
    await heading(page, 'Your security').waitFor(WAIT)
  })

  test('must enter the password again, then continues', async () => {
    const { page } = await at(await memberOf(server, 'owner'), '/test/security')
    await heading(page, 'Your security').waitFor(WAIT)
    server.clock.advance(6 * 60_000)
    await press(page, 'Set up')
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.locator('input[type=password]').fill('wrong-password-here')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('is wrong').waitFor(WAIT)
    await dialog.locator('input[type=password]').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor(WAIT)
  })

  test('adds a passkey, signs in with it, and removes it', async () => {
    const { page, trouble } = await at(await memberOf(server, 'owner'), '/test/security')
    await addAuthenticator(page)
    await field(page, 'Name').fill('My laptop')
    await press(page, 'Add a passkey')
    await page.getByText('Not used yet').waitFor(WAIT)
    await press(page, 'Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await isAt(page, '/sign-in')
    await press(page, 'Use a passkey')
    await isAt(page, '/test/overview')
    await page.goto(`${url}/test/security`)
    await page.getByText('Last used').waitFor(WAIT)
    await press(page, 'Remove My laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkeys yet.').waitFor(WAIT)
    expect(trouble()).toEqual([])
  })
})

test('an owner confirms the email address with the link in the email', LONG, async () => {
  const { businessId } = await server.newBusiness()
  const token = await ownerToken(server, businessId)
  const { page } = await visit(`/sign-up?token=${token}`)
  await field(page, 'Your name').fill('Ada Obi')
  await field(page, 'Email address').fill('ada@confirm.example')
  await password(page).fill(PASSWORD)
  await press(page, 'Create account')
  await isAt(page, '/test/overview')
  const sent = tokenIn(await emailTo(server, 'ada@confirm.example', 'Confirm'))
  await page.goto(`${url}/confirm-email?token=${sent}`)
  await page.route('**/console/email/confirm', (route) => route.abort(), { times: 1 })
  await press(page, 'Confirm email address')
  await page.getByRole('alert').waitFor(WAIT)
  await expectFine(page)
  await press(page, 'Confirm email address')
  await heading(page, 'Your email address is confirmed').waitFor(WAIT)
  await page.getByRole('link', { name: 'Continue' }).click()
  await isAt(page, '/test/overview')
})

describe('a user who forgot the password', LONG, () => {
  test('sets a new one with the link in the email', async () => {
    const { email } = await memberOf(server, 'viewer')
    const { page } = await visit('/sign-in')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await isAt(page, '/forgot-password')
    await expectFine(page)
    await field(page, 'Email address').fill(email)
    await press(page, 'Send link')
    await heading(page, 'Check your email').waitFor(WAIT)
    const token = tokenIn(await emailTo(server, email, 'Reset your password'))
    await page.goto(`${url}/reset-password?token=${token}`)
    await heading(page, 'Set a new password').waitFor(WAIT)
    await expectFine(page)
    await password(page).fill(OTHER)
    await press(page, 'Set password')
    await isAt(page, '/sign-in')
    await enter(page, email, OTHER)
    await isAt(page, '/test/overview')
    await page.goto(`${url}/reset-password?token=${token}`)
    await heading(page, 'This link no longer works').waitFor(WAIT)
  })
})

describe('the team', LONG, () => {
  test('invites a member, changes a role and removes a member', async () => {
    const { businessId } = await server.newBusiness()
    const { page } = await at(await memberOf(server, 'owner', businessId), '/test/team')
    await press(page, 'Invite teammate')
    const invited = 'tunde@browser.example'
    await field(page, 'Email address').fill(invited)
    await page.getByRole('radio', { name: 'finance' }).check()
    await expectFine(page)
    await press(page, 'Send invitation')
    await page.getByText(invited).waitFor(WAIT)

    const token = tokenIn(await emailTo(server, invited, 'Join'))
    const { page: theirs } = await visit(`/invitation?token=${token}`)
    await theirs.getByText('You have been invited to join as finance.').waitFor(WAIT)
    await field(theirs, 'Your name').fill('Tunde Bello')
    await password(theirs).fill(PASSWORD)
    await press(theirs, 'Create account')
    await isAt(theirs, '/test/overview')

    await page.reload()
    const row = page.locator(`[data-member="${invited}"]`)
    await row.waitFor(WAIT)
    await expectFine(page)
    await row.getByLabel('Role for Tunde Bello').first().click()
    await page.getByRole('option', { name: 'viewer' }).click()
    await press(page, 'Change role')
    await page.getByText('Role changed.').waitFor(WAIT)
    await row.getByRole('button', { name: 'Remove Tunde Bello' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached', ...WAIT })

    await page.goto(`${url}/test/audit`)
    await page.getByText(`Removed ${invited}`).first().waitFor(WAIT)
    await expectFine(page)
    await expect.poll(() => page.getByRole('row').count(), WAIT).toBeGreaterThan(4)
  })

  test('is hidden from a viewer, and refused by URL and by request', async () => {
    const { page } = await at(await memberOf(server, 'viewer'), '/test/payments')
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('link', { name: 'Payments' }).waitFor(WAIT)
    await unfold(page)
    for (const name of ['Team', 'API keys', 'Audit log', 'Transfers']) {
      expect(await navigation.getByRole('link', { name, exact: true }).count()).toBe(0)
    }
    for (const screen of ['team', 'audit']) {
      await page.goto(`${url}/test/${screen}`)
      await page.getByText('Your role does not give you access to this').waitFor(WAIT)
      await expectFine(page)
    }
    const status = await page.evaluate(`(async () => {
      const me = await (await fetch('/console/me')).json()
      const answer = await fetch('/api/payment-service/external/v1/invoices', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': me.data.csrf },
        body: JSON.stringify({ customerEmail: 'a@b.example', amount: 100 }),
      })
      return answer.status
    })()`)
    expect(status).toBe(403)
  })
})
