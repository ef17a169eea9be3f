import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { openShop } from '../../src/sales/checkout/checkout.fixture.ts'
import { startServer } from '../harness.ts'
import { field, isClosed, isTitled, pick, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, settled, WAIT } from './dashboard.ts'

// Money that arrives for payments, and what people do about it afterwards.
const server = await startServer()
const { newPage } = withBrowser()
const MONEY = '/api/transaction-service/external/v1'

type Role = Parameters<typeof memberOf>[1]

/** Opens the dashboard of a shop with an account number for a payment of ₦2,000. */
async function openAt(path: string, role: Role = 'owner') {
  const shop = await openShop(server)
  const { reference: checkout } = await shop.begun({
    customerEmail: 'ada@example.com',
    customerName: 'Ada Obi',
    amount: 2_000,
  })
  const { accountNumber, transactionId } = (await shop.account(checkout)).body.data
  const { reference: payment } = await shop.transaction(transactionId)
  const member = await memberOf(server, role, shop.businessId)
  const opened = await pageOf(newPage, server.url, member, path)
  const go = async (to: string) => {
    await opened.page.goto(server.url + to)
    await settled(opened.page)
  }
  const pay = async (amount: number, keep = true) =>
    (await shop.post('/api/simulator/deposit', { accountNumber, amount, keep })).body.data
  return { ...shop, ...opened, go, pay, checkout, accountNumber, payment }
}

test('a held deposit appears by itself, is found and returned', LONG, async () => {
  const { page, trouble, pay, go, payment, accountNumber, get } = await openAt('/test/deposits')
  await shows(page, 'No deposits yet')
  const { reference } = await pay(1_500)
  // Live updates show it, and count it in the navigation.
  await page.getByText('To decide (1)').click()
  await page.getByRole('navigation', { name: 'Main' }).getByLabel('1 to decide').waitFor(WAIT)
  await shows(page, 'Less than expected')
  await expectFine(page)
  await page.getByRole('link', { name: '₦1,500.00' }).click()
  await isTitled(page, '₦1,500.00')
  await shows(page, 'Decide what happens to this money')
  await shows(page, payment)
  await expectFine(page)

  await press(page, 'Return')
  await shows(page, /sends ₦1,500\.00 back to CHINEDU EZE, \*+6789, Guaranty Trust Bank/)
  await press(page, 'Return ₦1,500.00')
  await isClosed(page)
  await shows(page, 'The money was returned')
  await shows(page, 'Return sent')
  expect((await get(`${MONEY}/deposits/${reference}`)).body.data.returnStatus).toBe('Returned')
  await page.getByRole('button', { name: 'Accept' }).waitFor({ ...WAIT, state: 'detached' })
  await expectFine(page)

  await go(`/test/deposits?search=${accountNumber}`)
  await shows(page, 'Returned')
  await go('/test/deposits?returnStatus=Held')
  await shows(page, 'Nothing to decide')
  expect(trouble()).toEqual([])
})

test('a held deposit is accepted, and both appear in the payment’s timeline', LONG, async () => {
  const { page, trouble, pay, go, payment, get, post } = await openAt('/test/virtual-accounts')
  await shows(page, 'Wema Bank')
  await expectFine(page)
  const { reference } = await pay(2_500)
  await page.getByRole('link', { name: /Wema Bank/ }).click()
  await shows(page, 'Amount to pay')
  await page.getByRole('link', { name: '₦2,500.00' }).click()
  await shows(page, /This money is more than we expected/)
  await press(page, 'Accept')
  await shows(page, /₦2,500\.00 counts as the payment, although it is more than we expected/)
  await press(page, 'Accept ₦2,500.00')
  await isClosed(page)
  await shows(page, 'Accepted although')
  await expectFine(page)
  expect((await get(`${MONEY}/deposits/${reference}`)).body.data.status).toBe('Accepted')

  const refunded = { transactionReference: payment, amount: 300 }
  expect((await post(`${MONEY}/refunds`, refunded)).status).toBe(201)
  await go(`/test/payments/${payment}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByRole('link', { name: 'Deposit of ₦2,500.00: accepted' }).waitFor(WAIT)
  await timeline.getByRole('link', { name: 'Refund of ₦300.00: processed' }).waitFor(WAIT)
  await expectFine(page)
  expect(trouble()).toEqual([])
})

test('a refund that needs attention is paid to another account', LONG, async () => {
  const { page, trouble, pay, go, payment, get, post } = await openAt('/test/refunds')
  await pay(2_000)
  // The kobo make the payer's bank ask for another account.
  const asked = { transactionReference: payment, amount: 500.05 }
  const { reference } = (await post(`${MONEY}/refunds`, asked)).body.data
  const status = async () => (await get(`${MONEY}/refunds/${reference}`)).body.data.status
  await expect.poll(status, WAIT).toMatch(/Attention/)
  await go('/test/refunds')
  await page.getByText('Needs attention (1)').click()
  await page.getByRole('link', { name: '₦500.05' }).click()
  await shows(page, 'The bank needs more information')
  await expectFine(page)
  await press(page, 'Check again')
  await shows(page, /still needs attention/)
  await press(page, 'Use another account')
  await press(page, 'Refund ₦500.05')
  await shows(page, 'Choose a bank.')
  await pick(page, 'Bank', 'Guaranty Trust Bank')
  await field(page, 'Account number').fill('0000000001')
  await shows(page, 'CHINEDU EZE')
  await expectFine(page)
  await press(page, 'Refund ₦500.05')
  await isClosed(page)
  await go(`/test/refunds/${reference}`)
  await shows(page, /Sent again, to Guaranty Trust Bank, account ending in 0001/)
  await expect
    .poll(async () => page.locator('main').innerText(), WAIT)
    .toMatch(/Processed|Approved/)
  const another = page.getByRole('button', { name: 'Use another account' })
  await another.waitFor({ ...WAIT, state: 'detached' })
  expect(trouble()).toEqual([])
})

test('checkouts are listed and found by email address', LONG, async () => {
  const { page, trouble, go, checkout } = await openAt('/test/checkouts')
  await shows(page, 'Ada Obi')
  await expectFine(page)
  await page.getByRole('link', { name: '₦2,000.00' }).click()
  await shows(page, checkout)
  await press(page, 'Cancel link')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel link' }).click()
  await shows(page, 'Cancelled')
  await go('/test/checkouts?search=ada@&state=Cancelled')
  await shows(page, 'Ada Obi')
  await go('/test/checkouts?search=nobody@')
  await shows(page, 'Nothing matches these filters')
  expect(trouble()).toEqual([])
})

test('who only looks sees deposits and refunds, without buttons', LONG, async () => {
  const { page, trouble, pay, go, payment, post } = await openAt('/test/deposits', 'viewer')
  const held = await pay(1_000)
  await pay(2_000)
  const asked = { transactionReference: payment, amount: 500.05 }
  const refund = (await post(`${MONEY}/refunds`, asked)).body.data
  await go(`/test/deposits/${held.reference}`)
  await shows(page, 'Decide what happens to this money')
  expect(await page.getByRole('button', { name: /^(Return|Accept)/ }).count()).toBe(0)
  await go(`/test/refunds/${refund.reference}`)
  await shows(page, 'The bank needs more information')
  const buttons = page.locator('main').getByRole('button', { name: /account|again|Cancel/ })
  expect(await buttons.count()).toBe(0)
  expect(trouble()).toEqual([])
})
