import { describe, expect, onTestFinished, test } from 'vitest'
import { partnersOf } from '../../src/business/partners/partners.fixture.ts'
import { sendDue } from '../../src/developers/webhooks/webhooks.fixture.ts'
import { startServer } from '../harness.ts'
import { openReceiver } from '../webhook-receiver.ts'
import { choose, dialog, isClosed, isTitled, press } from './actions.ts'
import { seriousOf, withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, unfold, WAIT } from './dashboard.ts'

// Only the tests send deliveries; nothing resends them in the background.
const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { newPage } = withBrowser()
const USER = '/api/user-service/external/v1'
const INVOICES = '/api/payment-service/external/v1/invoices'

const openAt = openerOf(server, newPage)

/** Sets the receiver's response until the end of the test. */
function answerWith(status: number): void {
  const before = receiver.answer
  receiver.answer = (response) => response.writeHead(status).end('{"said":"by the receiver"}')
  onTestFinished(() => {
    receiver.answer = before
  })
}

describe('webhooks', LONG, () => {
  test('an endpoint is added, receives events, fails, and receives them again once it works', async () => {
    const { page, trouble, api } = await openAt('/test/webhooks')
    await page.getByText('No endpoints yet').waitFor(WAIT)
    await expectFine(page)
    await press(page, 'Add an endpoint')
    await page.getByLabel(/^URL/).fill(`${receiver.url}/shop`)
    await page.getByRole('switch').uncheck()
    await page.getByPlaceholder('Choose events').fill('invoice settled paid')
    await page.getByText('No event with that name.').waitFor(WAIT)
    await page.getByPlaceholder('Choose events').fill('invoice paid in full')
    await page.getByRole('option', { name: /^invoice\.paid/ }).click()
    // Closes the list of options, not the dialog.
    await page.keyboard.press('Escape')
    await press(page, 'Add endpoint')
    await dialog(page, 'Signing secret')
      .getByText(/^whsec_/)
      .waitFor(WAIT)
    await press(page, 'I have saved it')
    await page.getByText('invoice.paid').waitFor(WAIT)

    answerWith(500)
    await api.post('/api/simulator/events', { type: 'invoice.paid' })
    await sendDue(server)
    await page.getByRole('link', { name: /\/shop$/ }).click()
    await isTitled(page, /\/shop$/)
    await page.getByText('This endpoint is failing').waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('link', { name: 'invoice.paid' }).click()
    await isTitled(page, 'invoice.paid')
    await page.getByText('{"said":"by the receiver"}').waitFor(WAIT)
    await page.getByText(/webhook-signature: v1,/).waitFor(WAIT)
    await expectFine(page)

    answerWith(200)
    await press(page, 'Redeliver')
    await page.getByText('Event delivered.').waitFor(WAIT)
    await page.getByText('Attempt 2').waitFor(WAIT)
    await page.locator('main').getByText('Delivered', { exact: true }).waitFor(WAIT)
    expect(receiver.at('/shop')).toHaveLength(2)
    expect(trouble()).toEqual([])
  })

  test('an endpoint can be tested, replayed, rotated, disabled and deleted', async () => {
    const { page, api } = await openAt('/test/overview')
    const { body } = await api.post(`${USER}/webhooks`, { url: `${receiver.url}/tried` })
    await api.post(INVOICES, { customerEmail: 'ada@example.com', amount: 9 })
    await page.goto(`${server.url}/test/webhooks/${body.data.reference}`)
    await press(page, 'Send a test')
    await press(page, 'Send test')
    await page.getByText('Event delivered', { exact: true }).waitFor(WAIT)
    await dialog(page, 'Send a test event').getByText('thanks').waitFor(WAIT)
    await press(page, 'Done')

    await press(page, 'More actions')
    await choose(page, 'Replay a time range')
    // The business is in Lagos, an hour ahead of UTC.
    await dialog(page).getByText('Times in Lagos, GMT+1.').waitFor(WAIT)
    await page.getByLabel(/^From/).fill('2020-01-01T00:00')
    const asked = page.waitForRequest((one) => one.url().endsWith('/replay'), WAIT)
    await press(page, 'Replay events')
    expect((await asked).postDataJSON()).toMatchObject({ from: '2019-12-31T23:00:00.000Z' })
    await page.getByText(/^\d+ events? queued\.$/).waitFor(WAIT)

    await press(page, 'More actions')
    await choose(page, 'Rotate secret')
    await press(page, 'Rotate secret')
    await dialog(page, 'Signing secret')
      .getByText(/^whsec_/)
      .waitFor(WAIT)
    await press(page, 'I have saved it')

    await press(page, 'More actions')
    await choose(page, 'Disable')
    await press(page, 'Disable endpoint')
    await page.getByText('This endpoint is disabled').waitFor(WAIT)
    await press(page, 'More actions')
    await choose(page, 'Enable')
    await page.getByText('This endpoint is disabled').waitFor({ ...WAIT, state: 'detached' })
    await press(page, 'More actions')
    await choose(page, 'Delete')
    await press(page, 'Delete endpoint')
    await page.getByText('No endpoints yet').waitFor(WAIT)
  })

  test('a viewer sees that their role does not include webhooks', async () => {
    const { page } = await openAt('/test/webhooks', 'viewer')
    await page.getByText('Your role does not give you access to this').waitFor(WAIT)
    await unfold(page)
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  })
})

describe('events and requests', LONG, () => {
  test('an event shows its delivery to each endpoint', async () => {
    const { page, api, trouble } = await openAt('/test/overview')
    await api.post(`${USER}/webhooks`, { url: `${receiver.url}/told`, events: ['invoice.paid'] })
    await api.post(`${USER}/webhooks`, { url: `${receiver.url}/other`, events: ['order.paid'] })
    await api.post('/api/simulator/events', { type: 'invoice.paid' })
    await api.post('/api/simulator/events', { type: 'transfer.failed' })
    await sendDue(server)
    await page.goto(`${server.url}/test/events?type=invoice.paid`)
    await page.getByRole('link', { name: 'invoice.paid' }).waitFor(WAIT)
    expect(await page.getByRole('link', { name: 'transfer.failed' }).count()).toBe(0)
    await expectFine(page)
    await page.getByRole('link', { name: 'invoice.paid' }).click()
    await isTitled(page, 'invoice.paid')
    await page.getByText(/^Not sent/).waitFor(WAIT)
    await press(page, `Redeliver to ${receiver.url}/told`)
    await page.getByText(/^2 attempts/).waitFor(WAIT)
    expect(receiver.at('/told')).toHaveLength(2)
    expect(receiver.at('/other')).toHaveLength(0)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })

  test('a request appears in the request log and can be copied as curl without its key', async () => {
    const { page, api, keys, trouble } = await openAt('/test/overview')
    await api.post(INVOICES, { customerEmail: "it's none" })
    const logged = async () => (await api.get(`${USER}/requests?status=400`)).body.data.length
    await expect.poll(logged, WAIT).toBe(1)
    await page.goto(`${server.url}/test/requests?status=4xx`)
    await page.getByRole('link', { name: /^Create invoice/ }).waitFor(WAIT)
    await expectFine(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('link', { name: /^Create invoice/ }).click()
    await isTitled(page, 'Create invoice')
    await page.getByText('"errorCode": "validation_failed"').waitFor(WAIT)
    await press(page, 'Copy as curl')
    await page.getByText('Copied, without the key').waitFor(WAIT)
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied).toContain(`curl -X POST '${server.url}${INVOICES}'`)
    expect(copied).toContain('-H "Authorization: Bearer $TRADEPOST_KEY"')
    expect(copied).toContain(String.raw`it'\''s none`)
    expect(copied).not.toContain(keys.testSecret)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })
})

test('a partner is connected with some scopes and then revoked', LONG, async () => {
  const { clientId } = await partnersOf(server).newPartner()
  const { page, api, trouble } = await openAt('/test/partners')
  await page.getByText('No partners yet').waitFor(WAIT)
  await press(page, 'Connect partner')
  await page.getByLabel(/^Client ID/).fill(clientId)
  await page.getByPlaceholder(/^Search for invoices/).fill('Invoices: read and')
  await page.getByRole('option', { name: 'Invoices: read and write' }).click()
  await page.keyboard.press('Escape')
  await press(page, 'Grant access')
  await isClosed(page)
  await page.getByText('invoices:write').waitFor(WAIT)
  await expectFine(page)
  await press(page, 'Revoke Books & Co’s access')
  await press(page, 'Revoke access')
  await page.getByText('Revoked', { exact: true }).waitFor(WAIT)
  const { body } = await api.get(`${USER}/partners`)
  expect(body.data).toMatchObject([{ clientId, scopes: ['invoices:write'], status: 'Revoked' }])
  expect(trouble()).toEqual([])
})

describe('the shell', LONG, () => {
  test('the palette and the keyboard open screens and focus their heading', async () => {
    const { page } = await openAt('/test/webhooks')
    await isTitled(page, 'Webhooks')
    await expect.poll(() => page.title(), WAIT).toBe('Webhooks · Test · Tradepost')
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill('curl')
    const selected = page.locator('[data-action][data-selected]')
    await expect
      .poll(() => selected.allTextContents(), WAIT)
      .toEqual([expect.stringContaining('Request log')])
    await page.keyboard.press('Enter')
    await isTitled(page, 'Request log')
    const focused = () => page.evaluate('document.activeElement.innerText.slice(0, 40)')
    await expect.poll(focused, WAIT).toBe('Request log')
    await expect.poll(() => page.title(), WAIT).toBe('Request log · Test · Tradepost')
    // Both presses come at once, however long each takes to be handled.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('e')])
    await isTitled(page, 'Events')
    await expect.poll(focused, WAIT).toBe('Events')
    await page.keyboard.press('?')
    await dialog(page, 'Keyboard shortcuts').waitFor(WAIT)
    expect(await seriousOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog(page, 'Keyboard shortcuts').waitFor({ ...WAIT, state: 'detached' })
  })

  test('the first Tab stop skips the navigation', async () => {
    const { page } = await openAt('/test/webhooks')
    await isTitled(page, 'Webhooks')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'), WAIT)
      .toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id'), WAIT).toBe('content')
    await isTitled(page, 'Webhooks')
  })

  test('an unknown URL shows "Page not found" and the navigation', async () => {
    const { page, trouble } = await openAt('/test/no-such-screen')
    await isTitled(page, 'Page not found')
    await expectFine(page)
    await unfold(page)
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await isTitled(page, 'Webhooks')
    expect(trouble()).toEqual([])
  })

  test('a screen that cannot be loaded shows an error, and others still work', async () => {
    const { page } = await openAt('/test/webhooks')
    await isTitled(page, 'Webhooks')
    const files = /\/dashboard-assets\/Requests-/
    await page.route(files, (route) => route.abort())
    await page.getByRole('link', { name: 'Request log' }).click()
    await isTitled(page, 'Something went wrong on this screen')
    await expectFine(page)
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await isTitled(page, 'Webhooks')
    await page.unroute(files)
    await page.goto(`${server.url}/test/requests`)
    await isTitled(page, 'Request log')
  })

  test('changes made elsewhere appear automatically', async () => {
    const { page, api } = await openAt('/test/events')
    await page.getByText('No events yet').waitFor(WAIT)
    await api.post('/api/simulator/events', { type: 'invoice.paid' })
    await page.getByRole('link', { name: 'invoice.paid' }).waitFor(WAIT)
  })
})
