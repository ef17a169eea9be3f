import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ENQUIRE, METER, PHONE, PROCESS, TOP_UP } from '../../src/money/bills/bills.fixture.ts'
import { startServer } from '../harness.ts'
import { field, isTitled, pick } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, unfold, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()
const MONEY = '/api/transaction-service/external/v1'
const BALANCE = '/api/user-service/external/v1/wallet/balance'

const openAt = openerOf(server, newPage)
const shows = (page: Page, text: string | RegExp) =>
  page.locator('main').getByText(text).first().waitFor(WAIT)

type Api = Awaited<ReturnType<typeof openAt>>['api']

const availableOf = async (api: Api): Promise<number> =>
  (await api.get(BALANCE)).body.data[0].availableMinor

/**
 * A payment of which a subaccount gets 40 %. The subaccount has no bank account, so that no
 * settlement at midnight pays it out during the test.
 */
async function sharedPayment(api: Api) {
  const account = { account_number: '0000000001', percentage_charge: 0 }
  const made = await api.post(`${MONEY}/subaccounts`, { business_name: 'Riders', ...account })
  const code: string = made.body.subaccount_code
  const subaccounts = [{ subaccount: code, share: 40 }]
  const split = await api.post(`${MONEY}/split-page`, { name: 'Rides', subaccounts })
  const ussd = { channel: 'USSD', amount: 10_000, pageId: split.body.data.id }
  const { reference } = (await api.post(`${MONEY}/transaction-with-ussd`, ussd)).body.data
  const statusOf = async () =>
    (await api.get(`${MONEY}/transactions/verify/${reference}`)).body.data.status
  await expect.poll(statusOf, WAIT).toBe('Successful')
  return { code, reference: reference as string }
}

describe('the ledger', () => {
  test('explains its accounts, updates by itself and shows the balance', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/ledger')
    await isTitled(page, 'Ledger')
    await shows(page, 'Opening balance')
    await page.getByRole('button', { name: 'What are these accounts?' }).click()
    await shows(page, /Money you can send or spend now/)
    await expectFine(page)

    await page.getByRole('button', { name: /^Wallet/ }).click()
    await page.waitForURL(/account=wallet_available/, WAIT)
    await page.getByRole('columnheader', { name: 'Balance' }).waitFor(WAIT)
    expect((await api.post('/api/simulator/wallet', { amount: 250.5 })).status).toBe(200)
    await shows(page, '+ ₦250.50')
    await page.getByRole('cell', { name: '₦1,000,250.50' }).waitFor(WAIT)
    await expectFine(page)

    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await pick(page, 'Direction', 'Money out')
    await page.waitForURL(/direction=out/, WAIT)
    await shows(page, /^Nothing/)
    await page.goBack()
    await shows(page, '+ ₦250.50')
    await page.reload()
    await shows(page, '+ ₦250.50')
    expect(trouble()).toEqual([])
  })

  test('links an entry to everything posted with it and to its source', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/overview')
    const { reference } = await sharedPayment(api)
    await page.goto(`${server.url}/test/ledger?reference=${reference}`)
    await page.getByRole('link', { name: 'Share of a payment' }).first().click()
    await isTitled(page, '₦4,000.00')
    const sums = page.getByRole('table', { name: 'Debits and credits by account' })
    await sums.waitFor(WAIT)
    expect(await sums.locator('tfoot th').allInnerTexts()).toEqual([
      'Total',
      '₦10,250.00',
      '₦10,250.00',
    ])
    await shows(page, 'Received and split')
    await expectFine(page)
    await page.getByRole('link', { name: reference }).click()
    await page.waitForURL(`**/test/payments/${reference}`, WAIT)
    expect(trouble()).toEqual([])
  })

  test('is hidden from roles without access to the wallet', LONG, async () => {
    const { page, trouble } = await openAt('/test/overview', 'support')
    await page.getByRole('link', { name: 'Payments', exact: true }).first().waitFor(WAIT)
    await unfold(page)
    expect(await page.getByRole('link', { name: 'Ledger', exact: true }).count()).toBe(0)
    await page.goto(`${server.url}/test/ledger`)
    await shows(page, /role/)
    expect(await page.getByText('Opening balance').count()).toBe(0)
    expect(trouble()).toEqual([])
  })
})

describe('a transfer', () => {
  test('shows its fee before it is sent, and is charged that fee', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/transfers/new')
    await isTitled(page, 'Send money')
    await field(page, 'Amount').fill('60000')
    await shows(
      page,
      /₦60,050\.00 of ₦1,000,000\.00 will leave the wallet, including a fee of ₦50\.00/,
    )
    await pick(page, 'Bank', 'Guaranty Trust Bank')
    await field(page, 'Account number').fill('0000000001')
    await shows(page, 'CHINEDU EZE')
    await page.getByRole('button', { name: 'Continue' }).click()
    const costs = page.getByRole('table', { name: 'Cost' })
    await costs.getByRole('row', { name: 'Balance after ₦939,950.00' }).waitFor(WAIT)
    await costs.getByRole('row', { name: 'Total from the wallet ₦60,050.00' }).waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('button', { name: 'Send ₦60,000.00' }).click()
    await isTitled(page, '₦60,000.00')
    await expect.poll(() => availableOf(api), WAIT).toBe(93_995_000)
    await page.getByRole('link', { name: 'View', exact: true }).click()
    await shows(page, '₦60,050.00')
    expect(trouble()).toEqual([])
  })

  test('is not sent if the wallet cannot cover its fee', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/transfers/new')
    await isTitled(page, 'Send money')
    await field(page, 'Amount').fill('999990')
    await pick(page, 'Bank', 'Guaranty Trust Bank')
    await field(page, 'Account number').fill('0000000001')
    await shows(page, 'CHINEDU EZE')
    await page.getByRole('button', { name: 'Continue' }).click()
    await shows(page, 'Insufficient balance')
    const send = page.getByRole('button', { name: /^Send ₦/ })
    await expect.poll(() => send.isDisabled(), WAIT).toBe(true)
    expect(await availableOf(api)).toBe(100_000_000)
    expect(trouble()).toEqual([])
  })
})

test('a subaccount shows its balance and links to its entries', LONG, async () => {
  const { page, trouble, api } = await openAt('/test/overview')
  const { code } = await sharedPayment(api)
  await page.goto(`${server.url}/test/subaccounts/${code}`)
  await isTitled(page, 'Riders')
  const { body } = await api.get(`${MONEY}/subaccounts/${code}/balance`)
  expect(body.data).toMatchObject({ owed: 4_000, pending: 0, paidOut: 0 })
  await shows(page, '₦4,000.00')
  await shows(page, /Add a bank account to start payouts/)
  await expectFine(page)
  await page.getByRole('link', { name: 'View ledger' }).click()
  await page.getByRole('cell', { name: '₦4,000.00' }).first().waitFor(WAIT)
  expect(trouble()).toEqual([])
})

test('bills are listed, searched, filtered and exported', LONG, async () => {
  const { page, trouble, api } = await openAt('/test/utility')
  await shows(page, 'No bills paid yet')
  const meter = { ...METER, customerId: '04123456789' }
  for (const bought of [TOP_UP, meter]) {
    const { customerId, packageSlug } = bought
    expect((await api.post(ENQUIRE, { customerId, packageSlug })).status).toBe(200)
    expect((await api.post(PROCESS, bought)).status).toBe(200)
  }
  await shows(page, PHONE)
  await shows(page, '₦1,000.00')
  await expectFine(page)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await pick(page, 'Kind', 'Airtime')
  await page.waitForURL(/category=airtime/, WAIT)
  await page.getByText('1 total').waitFor(WAIT)
  const [saved] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(saved.suggestedFilename()).toMatch(/^utility-payments-.*\.csv$/)
  await page.goto(`${server.url}/test/utility`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('0412')
  await page.getByText('1 total').waitFor(WAIT)
  expect(await page.getByText(PHONE).count()).toBe(0)
  expect(trouble()).toEqual([])
})
