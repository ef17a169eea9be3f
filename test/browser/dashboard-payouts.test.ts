import { expect, test } from 'vitest'
import { PASSWORD } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { dialog, field, isClosed, isTitled, pick, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, settled, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()
const USER = '/api/user-service/external/v1'

const openAt = openerOf(server, newPage)

test('the wallet has an account to fund it, which people open once', LONG, async () => {
  const { page, trouble, api } = await openAt('/test/wallet')
  const card = page.getByRole('region', { name: 'Add money' })
  await card.getByRole('button', { name: 'Open account' }).click()
  await card.getByText('Account number').waitFor(WAIT)
  const { body } = await api.get(`${USER}/wallet/funding-account`)
  await card.getByText(body.data.accountNumber).waitFor(WAIT)
  const open = card.getByRole('button', { name: 'Open account' })
  await open.waitFor({ ...WAIT, state: 'detached' })
  await expectFine(page)
  expect(trouble()).toEqual([])
})

test('the wallet is paid out to an account, on a schedule and by hand', LONG, async () => {
  const { page, trouble, api } = await openAt('/test/wallet')
  await page.getByRole('link', { name: 'Add settlement account' }).click()
  await isTitled(page, 'Payouts')
  await press(page, 'Add account')
  await pick(page, 'Bank', 'Guaranty Trust Bank')
  await field(page, 'Account number').fill('0123456785')
  await shows(page, 'Is this your account?')
  await press(page, 'Use this account')
  await shows(page, 'Account saved.')
  await isClosed(page)

  // The dates are shown before anything is saved.
  await page.getByRole('radio', { name: 'Every week' }).check()
  await shows(page, /Next payouts:/)
  const schedule = async () => (await api.get(`${USER}/profile/settings`)).body.data.payoutSchedule
  expect(await schedule()).toBe('manual')
  await expectFine(page)
  server.clock.advance(6 * 60_000)
  await press(page, 'Save: Payout schedule')
  await dialog(page).locator('input[type=password]').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect.poll(schedule, WAIT).toBe('weekly')

  await page.goto(`${server.url}/test/wallet`)
  await settled(page)
  const card = page.getByRole('region', { name: 'Payouts', exact: true })
  await card.getByText('every Monday at midnight').waitFor(WAIT)
  await card.getByText('Guaranty Trust Bank •••• 6785').waitFor(WAIT)
  await expectFine(page)

  server.clock.advance(6 * 60_000)
  await card.getByRole('button', { name: 'Pay out now' }).click()
  const form = dialog(page, 'Pay out now')
  await form.getByText(/₦1,000,000.00 of ₦1,000,000.00 will leave the wallet/).waitFor(WAIT)
  await field(page, 'Amount').fill('2000000')
  await form.getByRole('button', { name: 'Pay out ₦2,000,000.00' }).click()
  await form.getByText('Insufficient balance: ₦1,000,000.00 available.').waitFor(WAIT)
  await field(page, 'Amount').fill('4000')
  await form.getByText(/₦4,010.00 of/).waitFor(WAIT)
  await expectFine(page)
  await form.getByRole('button', { name: 'Pay out ₦4,000.00' }).click()
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await isTitled(page, '₦4,000.00')
  await page.getByRole('region', { name: 'Payout' }).waitFor(WAIT)
  await shows(page, 'Successful')

  await page.goto(`${server.url}/test/wallet`)
  await page.getByRole('link', { name: 'View payouts' }).click()
  await isTitled(page, 'Transfers')
  await shows(page, '₦4,000.00')
  await expectFine(page)
  expect((await api.get(`${USER}/wallet/payouts`)).body.data).toMatchObject([
    { amount: 4_000, status: 'Successful', createdBy: { type: 'person' } },
  ])
  expect(trouble()).toEqual([])
})

test('the wallet says why nothing is paid out', LONG, async () => {
  const { page, trouble, api, businessId } = await openAt('/test/wallet')
  await shows(page, 'Add your business’s own bank account')
  const settlementAccount = { bankCode: '058', accountNumber: '0123456785' }
  await api.put(`${USER}/profile/settings`, { settlementAccount })
  await server.db.run`
    insert into provider_connections (id, provider, business_id, live, environment, status, name,
      base_url, settings, notice_token, created_by, created_at, updated_at)
    values (${await server.ids.next()}, 'paystack', ${businessId}, false, 'sandbox', 'Active',
      'Paystack', 'http://127.0.0.1', '{"automaticSettlement": true}', ${`token-${businessId}`},
      'a test', ${server.clock.now()}, ${server.clock.now()})`
  await page.reload()
  await shows(page, 'Your provider pays out by itself')
  expect(await page.getByRole('button', { name: 'Pay out now' }).count()).toBe(0)
  await expectFine(page)
  expect(trouble()).toEqual([])
})
