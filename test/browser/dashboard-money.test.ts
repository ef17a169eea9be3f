import { describe, expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { field, hasValue, isClosed, isTitled, pick, press, shows, toast } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, pageOf, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()
const MONEY = '/api/transaction-service/external/v1'
const WALLET = '/api/user-service/external/v1/wallet'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

const openAt = openerOf(server, newPage)

describe('the wallet', () => {
  test('can be funded in test mode and lists the entry', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/wallet')
    await isTitled(page, 'Wallet')
    await shows(page, 'Opening balance')
    await press(page, 'Fund the test wallet')
    await field(page, 'Amount').fill('250000.50')
    await expectFine(page)
    await press(page, 'Add ₦250,000.50')
    await shows(page, '₦1,250,000.50')
    await shows(page, '+ ₦250,000.50')
    const { body } = await api.get(`${WALLET}/balance`)
    expect(body.data).toMatchObject([{ currency: 'NGN', available: 1_250_000.5 }])
    expect(trouble()).toEqual([])
  })
})

describe('a transfer above the approval limit', () => {
  test('is created by one person and approved by an invited second one', LONG, async () => {
    const { page, trouble, member, api, businessId } = await openAt('/test/settings/payouts')
    const second = await memberOf(server, 'finance', businessId)
    await isTitled(page, 'Payouts')
    await page.getByRole('switch', { name: 'Large transfers need approval' }).check({ force: true })
    await field(page, 'Above').fill('50000')
    await expectFine(page)
    await press(page, 'Save: Transfer approval')
    const limitOf = async () => (await api.get(SETTINGS)).body.data.transferApprovalAbove
    await expect.poll(limitOf, WAIT).toBe(50_000)

    await page.goto(`${server.url}/test/transfers`)
    await shows(page, 'No transfers yet')
    await page.getByRole('link', { name: 'Send money' }).first().click()
    await isTitled(page, 'Send money')
    await press(page, 'Continue')
    await shows(page, 'Choose a bank.')
    await field(page, 'Amount').fill('60000')
    await pick(page, 'Bank', 'Guaranty Trust Bank')
    await field(page, 'Account number').fill('0000000001')
    await shows(page, 'CHINEDU EZE')
    await field(page, 'Narration').fill('Rent of November')
    await expectFine(page)
    await press(page, 'Continue')
    await shows(page, 'A second person must approve this transfer')
    await shows(page, 'to CHINEDU EZE')
    await expectFine(page)
    await press(page, 'Send ₦60,000.00')
    await isTitled(page, '₦60,000.00')
    await shows(page, 'Needs approval')
    // The person who created it sees who can approve it, and no button that cannot work.
    await shows(page, 'Someone else must approve this transfer')
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await expectFine(page)

    const { page: others, trouble: othersTrouble } = await pageOf(
      newPage,
      server.url,
      second,
      '/test/transfers',
    )
    await others.getByText('Needs approval (1)').click()
    await shows(others, 'CHINEDU EZE')
    await expectFine(others)
    await others.goto(page.url())
    await isTitled(others, '₦60,000.00')
    await press(others, 'Approve')
    await shows(others, /₦60,000\.00 will be sent to CHINEDU EZE 0000000001 at Guaranty Trust Bank/)
    await press(others, 'Approve ₦60,000.00')
    await others.getByRole('button', { name: 'Reject' }).waitFor({ ...WAIT, state: 'detached' })
    const statusOf = async () => {
      await others.reload()
      await isTitled(others, '₦60,000.00')
      return others.locator('main').innerText()
    }
    await expect.poll(statusOf, WAIT).toContain('Successful')
    const [row] = await server.db.many<{ created_by: number; approved_by: number }>`
      select created_by, approved_by from transfers where business_id = ${businessId}`
    expect(row!.created_by).toBe(member.id)
    expect(row!.approved_by).not.toBe(member.id)
    expect([...trouble(), ...othersTrouble()]).toEqual([])
  })
})

describe('the approval limits', () => {
  test('stay the same until a second person confirms a higher one', LONG, async () => {
    const { page, trouble, member, businessId } = await openAt('/test/overview')
    const second = await memberOf(server, 'finance', businessId)
    await member.put(SETTINGS, { transferApprovalAbove: 50_000 })
    await page.goto(`${server.url}/test/settings/payouts#approval`)
    await hasValue(field(page, 'Above'), '50,000')
    await field(page, 'Above').fill('90000')
    await press(page, 'Save: Transfer approval')
    await toast(page, 'Waiting for a second person').waitFor(WAIT)
    await shows(page, /requested these limits: ₦90,000\.00 per transfer, no limit per day/)
    await hasValue(field(page, 'Above'), '50,000')
    const save = page.getByRole('button', { name: 'Save: Transfer approval' })
    await expect.poll(() => save.isDisabled(), WAIT).toBe(true)
    expect(await page.getByText('Approval limits saved.').count()).toBe(0)
    await expectFine(page)

    const others = await pageOf(newPage, server.url, second, '/test/settings/payouts#approval')
    await press(others.page, 'Confirm change')
    await hasValue(field(others.page, 'Above'), '90,000')
    await page.reload()
    await hasValue(field(page, 'Above'), '90,000')

    // A lower limit applies at once.
    await field(page, 'Above').fill('40000')
    await press(page, 'Save: Transfer approval')
    await toast(page, 'Approval limits saved.').waitFor(WAIT)
    await hasValue(field(page, 'Above'), '40,000')
    expect([...trouble(), ...others.trouble()]).toEqual([])
  })
})

describe('a transfer that is being entered', () => {
  test('can go on while the account is looked up again because of an event', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/transfers/new')
    await isTitled(page, 'Send money')
    await field(page, 'Amount').fill('60000')
    await pick(page, 'Bank', 'Guaranty Trust Bank')
    await field(page, 'Account number').fill('0000000001')
    await shows(page, 'CHINEDU EZE')
    // From now on, the bank does not respond.
    const again = page.waitForRequest('**/bank/resolve?*', WAIT)
    await page.route('**/bank/resolve?*', () => {})
    await api.post('/api/simulator/wallet', { amount: 1 })
    await again
    await press(page, 'Continue')
    await page.getByRole('button', { name: 'Send ₦60,000.00' }).waitFor(WAIT)
    expect(trouble()).toEqual([])
  })
})

describe('split pages', () => {
  test('a page is created and shared with a subaccount added by hand', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/subaccounts')
    await shows(page, 'No subaccounts yet')
    await expectFine(page)
    await press(page, 'Add a subaccount')
    await field(page, 'Name').fill('Danfo Riders')
    await pick(page, 'Bank', 'Guaranty Trust Bank')
    await field(page, 'Account number').fill('0000000001')
    await shows(page, 'CHINEDU EZE')
    await page.getByRole('dialog').getByRole('button', { name: 'Add subaccount' }).click()
    await isTitled(page, 'Danfo Riders')
    await shows(page, 'Nothing has been paid out yet.')
    await expectFine(page)

    await page.goto(`${server.url}/test/splits`)
    await shows(page, 'No split pages yet')
    await press(page, 'New split page')
    await field(page, 'Name').fill('Market day')
    await expectFine(page)
    await press(page, 'Create split page')
    await isTitled(page, 'Market day')
    await press(page, 'Add a subaccount')
    await pick(page, 'Subaccount', 'Danfo Riders')
    await field(page, 'Share of each payment').fill('30')
    await press(page, 'Save share')
    await isClosed(page)
    await shows(page, 'You get the remaining 70%.')
    await expectFine(page)
    const { body } = await api.get(`${MONEY}/split-page/all?page=1&limit=10&sort=desc`)
    expect(body.data).toMatchObject([
      { slug: 'market-day', subaccounts: [{ business_name: 'Danfo Riders', share: 30 }] },
    ])
    await press(page, 'Remove Danfo Riders')
    await press(page, 'Remove share')
    await shows(page, 'No subaccounts yet. You keep every payment in full.')
    expect(trouble()).toEqual([])
  })
})

describe('bills', () => {
  test('are paid after a customer enquiry and show the token', LONG, async () => {
    const { page, trouble } = await openAt('/test/utility')
    await shows(page, 'No bills paid yet')
    await page.getByRole('link', { name: 'Pay a bill' }).first().click()
    await isTitled(page, 'Pay a bill')
    await page.getByText('Electricity', { exact: true }).click()
    await pick(page, 'Biller', /^Ikeja/)
    await pick(page, 'Package', /prepaid$/)
    await field(page, 'Meter number').fill('04123456789')
    await expectFine(page)
    await press(page, 'Find customer')
    await field(page, 'Amount').fill('2500')
    await expectFine(page)
    await press(page, 'Pay ₦2,500.00')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay ₦2,500.00' }).click()
    await isTitled(page, '₦2,500.00')
    await shows(page, /^\d{4}-\d{4}-\d{4}-\d{4}-\d{4}$/)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })
})

test(
  'refunds and settlements, empty and full, are accessible and fit on a phone',
  LONG,
  async () => {
    const { page, trouble, api } = await openAt('/test/refunds')
    await shows(page, 'No refunds yet')
    await page.goto(`${server.url}/test/settlements`)
    await shows(page, 'No settlements yet')
    await expectFine(page)

    const account = { account_number: '0000000001', percentage_charge: 0, bank: '058' }
    const made = await api.post(`${MONEY}/subaccounts`, { business_name: 'Riders', ...account })
    const subaccounts = [{ subaccount: made.body.subaccount_code, share: 40 }]
    const split = await api.post(`${MONEY}/split-page`, { name: 'Rides', subaccounts })
    const ussd = { channel: 'USSD', amount: 10_000, pageId: split.body.data.id }
    const { reference } = (await api.post(`${MONEY}/transaction-with-ussd`, ussd)).body.data
    const statusOf = async () =>
      (await api.get(`${MONEY}/transactions/verify/${reference}`)).body.data.status
    await expect.poll(statusOf, WAIT).toBe('Successful')

    await page.goto(`${server.url}/test/refunds`)
    await press(page, 'Refund a payment')
    await field(page, 'Find the payment').fill('TRX_nobody')
    await shows(page, 'No payment found.')
    await field(page, 'Find the payment').fill(reference.slice(0, 12))
    await page.getByRole('button', { name: /10,000\.00/ }).click()
    await field(page, 'Reason').fill('Too late')
    await field(page, 'Amount').fill('1000')
    await press(page, 'Refund ₦1,000.00')
    await isTitled(page, '₦1,000.00')
    await shows(page, 'Paid back by subaccounts')
    await expectFine(page)

    await page.goto(`${server.url}/test/settlements`)
    await press(page, 'Settle now')
    await page.getByRole('link', { name: '₦3,600.00' }).click()
    await shows(page, 'Share of')
    await expectFine(page)
    expect(trouble()).toEqual([])
  },
)
