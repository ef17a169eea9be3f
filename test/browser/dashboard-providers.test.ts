import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { connectLive, liveOwner } from '../../src/business/providers/providers.fixture.ts'
import { commandsOn } from '../../src/cli/cli.fixture.ts'
import { startServer } from '../harness.ts'
import { flutterwave } from '../providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../providers/doubles/paystack/paystack.ts'
import { startDouble } from '../providers/doubles/start.ts'
import {
  choose,
  dialog,
  expectState,
  field,
  isAt,
  isClosed,
  isTitled,
  pick,
  press,
  shows,
} from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, settled, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const real = { now: new Date() }
const paystackDouble = await startDouble((kit) => paystack(kit), real)
const flutterwaveDouble = await startDouble((kit) => flutterwave(kit), real)
const { newPage } = withBrowser()

const TRANSACTIONS = '/api/transaction-service/external/v1/transactions'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const PROVIDERS = '/live/settings/providers'

test('a provider is connected step by step, from the banner of live mode', LONG, async () => {
  const { businessId } = await server.newBusiness()
  const owner = await liveOwner(server, businessId)
  const { page, trouble } = await pageOf(newPage, server.url, owner, '/live/overview')
  const banner = page.getByText('Payers cannot pay online yet')
  // The overview has the same link, in its steps.
  const alert = page.getByRole('alert').filter({ has: banner })
  await alert.getByRole('link', { name: 'Connect a provider' }).click()
  await isTitled(page, 'Providers')
  await shows(page, 'No provider is connected')
  await expectFine(page)

  await page.getByRole('link', { name: 'Connect provider' }).click()
  await isTitled(page, 'Connect a provider')
  await expectFine(page)
  await page.getByRole('radio', { name: 'Paystack' }).check()
  await field(page, 'Secret key').fill('sk_test_of_the_wrong_mode_0123456789')
  await page.getByText('Advanced').click()
  await field(page, 'Base URL').fill(paystackDouble.baseUrl)
  await press(page, 'Connect Paystack')
  await page.locator('.mantine-PasswordInput-error').waitFor(WAIT)
  await field(page, 'Secret key').fill(paystackDouble.provider.secretKey())
  await press(page, 'Connect Paystack')
  await shows(page, 'Paystack accepted the key.')
  await shows(page, 'Tell Paystack where to send notifications')
  const url = page.getByText(/\/providers\/notices\//)
  expect(await url.textContent()).toMatch(/^http.*\/providers\/notices\/\w{32}$/)
  await shows(page, 'Turn off the confirmation of transfers in Settings, Preferences.')
  await expectFine(page)

  await page.getByRole('link', { name: 'Done' }).click()
  await isTitled(page, 'Paystack')
  await expectState(page, 'Active')
  await settled(page)
  await banner.waitFor({ ...WAIT, state: 'detached' })
  await expectFine(page)

  await page.goto(`${server.url}/live/settings/payments`)
  await shows(page, 'Not available at Paystack: its accounts return any other amount to the payer.')
  expect(trouble()).toEqual([])
})

test('rules decide which connection is used, and a preview says which', LONG, async () => {
  const { owner, businessId } = await connectLive(server, paystackDouble)
  const credentials = { secret_key: flutterwaveDouble.provider.secretKey() }
  const body = { provider: 'flutterwave', credentials, baseUrl: flutterwaveDouble.baseUrl }
  expect((await owner.post('/console/providers', body)).status).toBe(200)
  const { page, trouble } = await pageOf(newPage, server.url, owner, PROVIDERS)
  await shows(page, '₦5,000.00 to any bank would go through Paystack.')
  await shows(page, 'If that is not possible: Flutterwave.')
  await settled(page)
  await expectFine(page)

  await press(page, 'Edit rules: Transfers and payouts')
  const form = dialog(page, 'Rules: Transfers and payouts')
  await form.getByRole('textbox', { name: 'Up to' }).first().fill('4000')
  await press(page, 'Save rules')
  await shows(page, 'Rules saved.')
  await isClosed(page)
  await shows(page, '₦5,000.00 to any bank would go through Flutterwave.')
  await shows(page, 'Not Paystack: the amount is outside its limits.')
  await pick(page, 'Bank', 'Guaranty Trust Bank')
  await shows(page, /^₦5,000\.00 to Guaranty Trust Bank.* would go through Flutterwave\.$/)
  const { routes } = (await owner.get('/console/routing')).body.data
  expect(routes.filter(({ service }: { service: string }) => service === 'PAYOUTS')).toMatchObject([
    { priority: 1, mostAmount: 4000 },
    { priority: 2, mostAmount: null },
  ])

  const viewer = await memberOf(server, 'viewer', businessId)
  const other = await pageOf(newPage, server.url, viewer, PROVIDERS)
  await settled(other.page)
  expect(await other.page.getByText('Routing rules').count()).toBe(0)
  expect([...trouble(), ...other.trouble()]).toEqual([])
})

test('payouts are stopped at once, and only an owner resumes them', LONG, async () => {
  const { owner, businessId } = await connectLive(server, paystackDouble)
  const { page, trouble } = await pageOf(newPage, server.url, owner, PROVIDERS)
  await shows(page, 'Payouts go out normally.')
  await press(page, 'Stop payouts')
  await field(page, 'Reason').fill('An unknown transfer')
  await dialog(page).getByRole('button', { name: 'Stop payouts' }).click()
  await shows(page, 'All payouts are stopped')
  await shows(page, 'An unknown transfer.')
  await settled(page)
  await expectFine(page)

  const admin = await memberOf(server, 'admin', businessId)
  const other = await pageOf(newPage, server.url, admin, PROVIDERS)
  await shows(other.page, 'Only an owner can resume payouts.')
  await press(page, 'Resume payouts')
  await dialog(page).getByRole('button', { name: 'Resume payouts' }).click()
  await shows(page, 'Payouts go out normally.')
  expect((await owner.get('/console/payouts/stop')).body.data).toBeNull()
  expect([...trouble(), ...other.trouble()]).toEqual([])
})

test('every screen says what is stopped, since when and who can resume it', LONG, async () => {
  const { owner, businessId, connectionId } = await connectLive(server, paystackDouble)
  const { json } = commandsOn(server.name)
  const finance = await memberOf(server, 'finance', businessId)
  const stop = { reason: 'An unknown transfer' }
  expect((await owner.post('/console/payouts/stop', stop)).status).toBe(200)
  const pause = `/console/providers/${connectionId}/pause`
  expect((await owner.post(pause, { reason: 'Too slow' })).status).toBe(200)

  const { page, trouble } = await pageOf(newPage, server.url, owner, '/live/invoices')
  const payouts = page.getByRole('alert', { name: 'All payouts are stopped' })
  await payouts.getByText(/ stopped them on .*: An unknown transfer\./).waitFor(WAIT)
  const paused = page.getByRole('alert', { name: 'Paystack is paused' })
  await paused.getByText(/has been paused since .*: Too slow\./).waitFor(WAIT)
  await settled(page)
  await expectFine(page)
  const other = await pageOf(newPage, server.url, finance, '/live/invoices')
  await shows(other.page, 'Only an owner can resume payouts.')
  await shows(other.page, 'Only an owner or admin can resume it.')
  expect(await other.page.getByRole('button', { name: /^Resume/ }).count()).toBe(0)

  await press(page, 'Resume Paystack')
  await paused.waitFor({ state: 'detached', ...WAIT })
  await press(page, 'Resume payouts')
  await dialog(page).getByRole('button', { name: 'Resume payouts' }).click()
  await payouts.waitFor({ state: 'detached', ...WAIT })

  await json('payouts', 'stop', '--business', String(businessId), '--reason', 'A court order')
  await page.reload()
  await payouts.getByText(/^The operator stopped them on .*: A court order\./).waitFor(WAIT)
  await shows(page, 'Only the operator of this server can resume payouts, on the command line.')
  expect(await page.getByRole('button', { name: /^Resume/ }).count()).toBe(0)
  await page.goto(server.url + PROVIDERS)
  await shows(page, 'Only the operator of this server can resume payouts, on the command line.')
  expect([...trouble(), ...other.trouble()]).toEqual([])
})

test('a connection is tested, changed, paused and removed', LONG, async () => {
  const { owner, connectionId } = await connectLive(server, paystackDouble)
  const path = `${PROVIDERS}/${connectionId}`
  const { page, trouble } = await pageOf(newPage, server.url, owner, path)
  await isTitled(page, 'Paystack')
  await press(page, 'Test connection')
  const stored = async () => (await owner.get(`/console/providers/${connectionId}`)).body.data
  await shows(page, 'This business')
  await commandsOn(server.name).json(
    'providers',
    'fees',
    String(connectionId),
    '--paid-by',
    'operator',
  )
  await page.reload()
  await shows(page, 'The operator of this server')

  await press(page, 'More actions')
  await choose(page, 'Edit')
  await field(page, 'Name').fill('Paystack, shop')
  await press(page, 'Save connection')
  await isTitled(page, 'Paystack, shop')
  // Nobody has said anything about it, so it stays unknown.
  expect((await stored()).settings.automaticSettlement).toBeNull()
  await press(page, 'More actions')
  await choose(page, 'Edit')
  await pick(page, 'Does Paystack pay the balance out to your bank account by itself\\?', 'No')
  await press(page, 'Save connection')
  const isAutomatic = async () => (await stored()).settings.automaticSettlement
  await expect.poll(isAutomatic, WAIT).toBe(false)

  await press(page, 'More actions')
  await choose(page, 'Replace keys')
  await dialog(page)
    .getByLabel(/^Secret key/)
    .fill('sk_live_unknown_0123456789abcdef0123456789ab')
  await dialog(page).getByRole('button', { name: 'Replace keys' }).click()
  await shows(page, /refused by the provider/)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  const before = (await stored()).noticeUrl
  await press(page, 'More actions')
  await choose(page, 'Replace webhook URL')
  await press(page, 'Replace URL')
  await expect.poll(async () => (await stored()).noticeUrl, WAIT).not.toBe(before)

  await press(page, 'Pause')
  await field(page, 'Reason \\(optional\\)').fill('Closing this account')
  await press(page, 'Pause connection')
  await expectState(page, 'Paused')
  await press(page, 'Resume')
  await expectState(page, 'Active')
  await press(page, 'Pause')
  await press(page, 'Pause connection')
  await expectState(page, 'Paused')
  await press(page, 'More actions')
  await choose(page, 'Remove')
  await press(page, 'Remove connection')
  await expectState(page, 'Removed')
  await settled(page)
  await expectFine(page)
  expect(trouble()).toEqual([])
})

test('a payment shows its provider, with the reference that the provider has', LONG, async () => {
  const { owner, live, connectionId } = await connectLive(server, paystackDouble)
  const order = { channel: 'USSD', amount: 800, bankCode: '058' }
  expect((await live.post(USSD, order)).status).toBe(200)
  const [payment] = (await live.get(TRANSACTIONS)).body.data
  const path = `/live/payments/${payment.reference}`
  const { page, trouble } = await pageOf(newPage, server.url, owner, path)
  const card = page.getByRole('region', { name: 'Provider' })
  await card.getByText(/^trx-[a-z2-7]{24}$/).waitFor(WAIT)
  await settled(page)
  await expectFine(page)
  const [code] = (
    await server.db.one<{ codes: { ussdCode: string }[] }>`
    select ussd_codes::json as codes from transactions where id = ${payment.id}`
  ).codes
  paystackDouble.provider.payer.dial(code!.ussdCode)
  await paystackDouble.notices.settled()
  await card.getByRole('link', { name: 'Paystack' }).click()
  await isAt(page, `${PROVIDERS}/${connectionId}`)
  // The whole reference would push the buttons out of the list.
  await page.getByText(/^trx-[a-z2-7]{4}…[a-z2-7]{4}$/).waitFor(WAIT)
  expect(trouble()).toEqual([])
})

test('a transfer that is held up says what to do, and cannot be retried', LONG, async () => {
  const { owner, live, businessId } = await connectLive(server, paystackDouble)
  const order = { channel: 'USSD', amount: 5_000, bankCode: '058' }
  expect((await live.post(USSD, order)).status).toBe(200)
  const { codes } = await server.db.one<{ codes: { ussdCode: string }[] }>`
    select ussd_codes::json as codes from transactions where business_id = ${businessId} and live`
  const { owner: account, payer } = paystackDouble.provider
  payer.dial(codes[0]!.ussdCode)
  await paystackDouble.notices.settled()
  await server.runJob('provider-notices')
  account.setOtp(true)
  const to = { bankCode: '057', accountNumber: '0123456789' }
  const { body } = await live.post(TRANSFERS, { ...to, amount: 1_000 })
  await server.runJob('transfer-orders')
  account.setOtp(false)

  const path = `/live/transfers/${body.data.reference}`
  const { page, trouble } = await pageOf(newPage, server.url, owner, path)
  await isTitled(page, '₦1,000.00')
  await expectState(page, 'Blocked')
  const held = page.getByRole('alert', { name: 'Paystack is holding this transfer' })
  await held.getByText(/Confirm the transfer in the Paystack dashboard/).waitFor(WAIT)
  await settled(page)
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  await expectFine(page)
  expect(trouble()).toEqual([])
})
