import { describe, expect, test } from 'vitest'
import { choose, dialog, isTitled, press, toast } from './actions.ts'
import { seriousOf, withBrowser } from './chromium.ts'
import { LONG, WAIT } from './dashboard.ts'
import { INVOICES, startShops } from './dashboard-shops.ts'

const { newPage } = withBrowser()
const { server, openShop, openFor } = await startShops(newPage)

const bill = { customerEmail: 'ada@example.com', amount: 10 }

describe('users find their way', LONG, () => {
  test('at the URL of a record of the other mode', async () => {
    const { api, openAs } = await openShop()
    const { reference, invoiceNumber } = (await api.post(INVOICES, bill)).body.data
    const { page, go, trouble } = await openAs('owner', `/live/invoices/${reference}`)
    await page.getByText('This record is in test mode').waitFor(WAIT)
    expect(await seriousOf(page)).toEqual([])
    await press(page, 'Switch to test')
    await isTitled(page, `Invoice ${invoiceNumber}`)
    expect(new URL(page.url()).pathname).toBe(`/test/invoices/${reference}`)
    await expect.poll(() => page.title(), WAIT).toBe(`Invoice ${invoiceNumber} · Test · Tradepost`)
    await go('/test/invoices/INV_nothing')
    await page.getByText('Not found').waitFor(WAIT)
    expect(trouble()).toEqual([])
  })

  test('with "Back", which closes a dialog before leaving', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/events')
    await isTitled(page, 'Events')
    await page.getByRole('navigation', { name: 'Main' }).getByText('Discounts').click()
    await isTitled(page, 'Discounts')
    await press(page, 'New code')
    await dialog(page, 'New discount code').waitFor(WAIT)
    await page.goBack()
    await dialog(page).waitFor({ ...WAIT, state: 'detached' })
    await isTitled(page, 'Discounts')
    expect(new URL(page.url()).pathname).toBe('/test/discounts')
    await page.goBack()
    await isTitled(page, 'Events')
  })

  test('when they sign out in another window', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/invoices')
    await isTitled(page, 'Invoices')
    const other = await page.context().newPage()
    await other.goto(`${server.url}/test/overview`)
    await isTitled(other, 'Overview')
    await press(other, 'Your account')
    await choose(other, 'Sign out')
    await other.waitForURL('**/sign-in', WAIT)
    await page.waitForURL('**/sign-in?next=*', WAIT)
    expect(new URL(page.url()).searchParams.get('next')).toBe('/test/invoices')
  })

  test('when they cannot be signed out, because the server cannot be reached', async () => {
    const { openAs } = await openShop()
    const { page } = await openAs('owner', '/test/invoices')
    await isTitled(page, 'Invoices')
    await page.route('**/console/sign-out', (route) => route.abort())
    await press(page, 'Your account')
    await choose(page, 'Sign out')
    await toast(page, 'You are still signed in').waitFor(WAIT)
    expect(new URL(page.url()).pathname).toBe('/test/invoices')
    await page.unroute('**/console/sign-out')
    await press(page, 'Your account')
    await choose(page, 'Sign out')
    await page.waitForURL('**/sign-in', WAIT)
  })

  test('when another window shows another business', async () => {
    const [one, two] = [await openShop('First shop'), await openShop('Second shop')]
    const { page, member } = await one.openAs('owner', '/test/invoices')
    await isTitled(page, 'Invoices')
    await server.db.run`
      insert into members (business_id, person_id, role, created_at)
      values (${two.businessId}, ${member.id}, 'owner', now())`
    await two.api.post(INVOICES, { ...bill, customerEmail: 'of-two@example.com' })
    const other = await page.context().newPage()
    await other.goto(`${server.url}/test/invoices`)
    await press(other, 'Switch business')
    await other.getByRole('menuitem', { name: 'Second shop' }).click()
    await other.getByText('of-two@example.com').waitFor(WAIT)
    await page.reload()
    await page.getByText('No invoices yet').waitFor(WAIT)
  })
})

describe('the current screen', LONG, () => {
  test('is reloaded at intervals if no stream is available', async () => {
    const { api, openAs } = await openShop()
    const { page, go } = await openAs('owner', '/test/security')
    await isTitled(page, 'Your security')
    let refused = 0
    await page.route('**/console/live**', (route) => {
      refused++
      return route.fulfill({ status: 503, headers: { 'retry-after': '30' } })
    })
    await go('/test/invoices')
    await page.getByText('No invoices yet').waitFor(WAIT)
    await expect.poll(() => refused, WAIT).toBeGreaterThan(0)
    await api.post(INVOICES, bill)
    await page.getByRole('link', { name: bill.customerEmail }).waitFor(WAIT)
    expect(await page.getByText('The server cannot be reached').count()).toBe(0)
  })

  test('warns of old data while offline, and does not replay actions later', async () => {
    const { api, openAs } = await openShop()
    const { reference } = (await api.post(INVOICES, { ...bill, sendImmediately: false })).body.data
    const { page } = await openAs('owner', `/test/invoices/${reference}`)
    await isTitled(page, /^Invoice /)
    await page.context().setOffline(true)
    await page.getByText('You are offline').waitFor(WAIT)
    await press(page, 'Send invoice')
    await toast(page, 'The server cannot be reached').waitFor(WAIT)
    await page.context().setOffline(false)
    await page.getByText('You are offline').waitFor({ ...WAIT, state: 'detached' })
    expect((await api.get(`${INVOICES}/${reference}`)).body.data.status).toBe('Draft')
  })

  test('keeps a form’s text when its record changes', async () => {
    const { api, openAs } = await openShop()
    const made = (await api.post(INVOICES, { ...bill, sendImmediately: false })).body.data
    const { page, member } = await openAs('owner', `/test/invoices/${made.reference}`)
    await isTitled(page, /^Invoice /)
    await api.post(`${INVOICES}/${made.reference}/send`)
    await page.getByRole('button', { name: 'Send reminder' }).waitFor(WAIT)
    await press(page, 'More actions')
    await choose(page, 'Mark as paid')
    await page.getByLabel('Note').fill('In cash, at the stall')
    // Because of the next event, the screen below the form reads its record again.
    const reread = page.waitForResponse((one) => one.url().includes(made.reference), WAIT)
    await api.post(INVOICES, bill)
    await reread
    const { page: other } = await openFor(member, '/test/invoices')
    await other.getByRole('link', { name: bill.customerEmail }).nth(1).waitFor(WAIT)
    expect(await page.getByLabel('Note').inputValue()).toBe('In cash, at the stall')
  })
})
