import { describe, expect, test } from 'vitest'
import { addPasskey } from '../../src/business/people/passkey.fixture.ts'
import {
  codeAt,
  type Member,
  memberOf,
  PASSWORD,
  turnTwoFactorOn,
} from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { heading, press } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const url = server.url.replace('127.0.0.1', 'localhost')
const { newPage } = withBrowser()

const at = (member: Member, path: string) => pageOf(newPage, url, member, path)

describe('required two-factor authentication', LONG, () => {
  test('is required by an owner, and members must set it up', async () => {
    const { businessId } = await server.newBusiness()
    const owner = await memberOf(server, 'owner', businessId)
    const member = await memberOf(server, 'viewer', businessId)
    const { page } = await at(owner, '/test/team')
    await heading(page, 'Two-factor authentication').waitFor(WAIT)
    await page.getByText('Set up two-factor authentication for yourself first').waitFor(WAIT)
    expect(await page.getByRole('button', { name: 'Require it' }).count()).toBe(0)
    const { page: theirs, trouble } = await at(member, '/test/payments')
    await heading(theirs, 'Payments').waitFor(WAIT)

    await turnTwoFactorOn(server, owner)
    await page.reload()
    await press(page, 'Require it')
    await page.getByRole('dialog').getByRole('button', { name: 'Require it' }).click()
    await page.getByText('Members without two-factor authentication can sign in only').waitFor(WAIT)
    await page.getByText('1 member has not set up two-factor authentication yet.').waitFor(WAIT)
    await expectFine(page)

    await theirs.goto(`${url}/test/invoices`)
    await heading(theirs, 'Set up two-factor authentication').waitFor(WAIT)
    expect(await theirs.getByRole('navigation').count()).toBe(0)
    const onward = theirs.getByRole('button', { name: /^Continue to/ })
    await expect.poll(() => onward.isDisabled(), WAIT).toBe(true)
    await expectFine(theirs)
    await press(theirs, 'Set up')
    const dialog = theirs.getByRole('dialog')
    await dialog.getByRole('img', { name: /QR code/ }).waitFor(WAIT)
    const secret = await dialog.locator('code').innerText()
    await theirs.getByLabel('Code from the app').fill(codeAt(secret, server.clock.now()))
    await press(theirs, 'Turn on')
    await heading(theirs, 'Your recovery codes').waitFor(WAIT)
    expect(await theirs.locator('[data-recovery-code]').count()).toBe(10)
    await press(theirs, 'I have saved them')
    await press(theirs, /^Continue to/)
    await heading(theirs, 'Invoices').waitFor(WAIT)
    expect(trouble()).toEqual([])

    await page.reload()
    await press(page, 'Make it optional')
    await page.getByRole('dialog').getByRole('button', { name: 'Make it optional' }).click()
    await page.getByText('Optional', { exact: true }).waitFor(WAIT)
  })

  test('takes effect while screens are open', async () => {
    const { businessId } = await server.newBusiness()
    const owner = await memberOf(server, 'owner', businessId)
    await addPasskey(owner)
    const member = await memberOf(server, 'viewer', businessId)
    const { page } = await at(member, '/test/payments')
    await heading(page, 'Payments').waitFor(WAIT)
    expect((await owner.post('/console/team/two-factor', { required: true })).status).toBe(200)
    // Without any action here: the live updates notice it.
    await heading(page, 'Set up two-factor authentication').waitFor(WAIT)
    await press(page, 'Sign out')
    await page.waitForURL(({ pathname }) => pathname === '/sign-in', WAIT)
  })

  test('is needed for live keys, with a link to set it up', async () => {
    const { businessId } = await server.newBusiness()
    const owner = await memberOf(server, 'owner', businessId)
    const { page } = await at(owner, '/live/keys')
    await page.getByText('To create or rotate a live secret key').waitFor(WAIT)
    await expectFine(page)
    await press(page, 'Create a key')
    await press(page, 'Create key')
    await page.getByText('require two-factor authentication').waitFor(WAIT)
    await page.goto(`${url}/live/keys`)
    await page.getByRole('link', { name: 'your security settings', exact: true }).click()
    await heading(page, 'Your security').waitFor(WAIT)
    await addPasskey(owner)
    await page.goto(`${url}/live/keys`)
    await press(page, 'Create a key')
    await press(page, 'Create key')
    await page.getByText('sk_live_').first().waitFor(WAIT)
    expect(await page.getByText('To create or rotate a live secret key').count()).toBe(0)
  })
})

test('creating a live webhook asks for the password again', LONG, async () => {
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  const { page } = await at(owner, '/live/webhooks')
  await heading(page, 'Webhooks').waitFor(WAIT)
  server.clock.advance(6 * 60_000)
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
  await page.getByLabel(/^URL/).fill('https://shop.example.com/hooks')
  await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.locator('input[type=password]').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('whsec_').first().waitFor(WAIT)
})
