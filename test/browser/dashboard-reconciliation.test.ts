import { afterEach, beforeAll, expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import type { Connector, Outcome, PayoutState } from '../../src/providers/connector/types.ts'
import { connect, setRoutes } from '../../src/providers/providers.fixture.ts'
import {
  openShop,
  type Script,
  scripted,
  toMorning,
} from '../../src/reconciliation/reconciliation.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { startServer } from '../harness.ts'
import { dialog, expectState, field, isClosed, isTitled, pick, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, settled, WAIT } from './dashboard.ts'

const LOST: Outcome<PayoutState> = { kind: 'unknown', reason: 'timed_out', message: 'No response' }
/** A provider that never reports the outcome of a transfer. */
const silent = (simulator: Connector): Connector => ({
  ...simulator,
  isSimulator: false,
  absence: { ...simulator.absence, payout: { provenAfterMs: null, repeatIsSafe: false } },
  payOut: async () => LOST,
  lookUpPayout: async () => LOST,
})

const script = {} as Script
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator,
    paystack: scripted(simulator, script),
    flutterwave: silent(simulator),
  }),
})
const { newPage } = withBrowser()

beforeAll(() => toMorning(server))
afterEach(async () => expect(await findings(server)).toEqual([]))

test('a day is compared, and its differences are closed with a reason', LONG, async () => {
  const shop = await openShop(server, script)
  const { member, connectionId, day } = shop
  await shop.reportOrder(await shop.pay(100))
  const paid = await shop.pay(200)
  await shop.reportOrder(paid, { amount_minor: 190_00n })
  shop.report('charge', { providerId: 'unheard-of', amount_minor: 250_00n })
  const { page, trouble } = await pageOf(newPage, server.url, member, '/test/reconciliation')
  await shows(page, 'No days yet')
  await press(page, 'Compare days')
  await pick(page, 'Connection', 'An account')
  await field(page, 'From').fill(day)
  await field(page, 'Until').fill(day)
  await expectFine(page)
  await press(page, 'Compare')
  await isClosed(page)
  await shows(page, 'Being compared')
  await server.runJob('reconciliation')
  // Nobody reloads the page.
  await page.getByRole('cell', { name: 'Open' }).waitFor(WAIT)
  await settled(page)
  await expectFine(page)

  await page.getByRole('row').nth(1).getByRole('link').click()
  await expectState(page, 'Open')
  const entries = page.getByRole('table', { name: 'What the provider lists' })
  await entries.getByRole('cell', { name: 'Matched' }).waitFor(WAIT)
  await settled(page)
  await expectFine(page)
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download CSV')])
  expect(download.suggestedFilename()).toBe(`reconciliation-${connectionId}-${day}.csv`)

  await page.getByRole('link', { name: 'Payment: missing here' }).click()
  await isTitled(page, 'Payment: missing here')
  await shows(page, 'Our books have nothing that this belongs to.')
  const theirs = page.getByRole('region', { name: 'What the provider has' })
  await theirs.getByText('unheard-of').waitFor(WAIT)
  await theirs.getByText('₦250.00').waitFor(WAIT)
  await settled(page)
  await expectFine(page)
  await press(page, 'Close difference')
  await dialog(page).getByRole('button', { name: 'Close difference' }).click()
  await shows(page, 'Choose what happened.')
  await dialog(page).getByRole('radio', { name: 'Book it' }).check()
  await field(page, 'Reason').fill('A customer paid into the account directly')
  await expectFine(page)
  await dialog(page).getByRole('button', { name: 'Close difference' }).click()
  await expectState(page, 'Closed')
  await shows(page, 'A customer paid into the account directly')

  await page.goto(`${server.url}/test/differences`)
  await page.getByRole('link', { name: /^Payment: different amount/ }).click()
  const ours = page.getByRole('region', { name: 'What we have' })
  await ours.getByText('₦200.00').waitFor(WAIT)
  await page.getByRole('link', { name: paid }).waitFor(WAIT)
  await press(page, 'Close difference')
  await dialog(page).getByRole('radio', { name: 'The provider is right' }).waitFor(WAIT)
  await field(page, 'Reason').fill('Paystack confirmed it')
  await dialog(page).getByRole('button', { name: 'Close difference' }).click()
  await expectState(page, 'Closed')
  expect(await shop.differences('status=Open')).toEqual([])
  expect((await shop.read(`/reconciliation/${connectionId}/${day}`)).status).toBe('Closed')
  expect(trouble()).toEqual([])
})

test('people decide about a transfer with an unknown outcome', LONG, async () => {
  const { businessId, keys } = await server.newBusiness()
  const connectionId = await connect(server, businessId, { provider: 'flutterwave' })
  await setRoutes(server, businessId, [{ service: 'PAYOUTS', connectionId }])
  const api = server.as(keys.testSecret)
  const transfer = { amount: 7_500, bankCode: '058', accountNumber: '0123456785' }
  const sent = await api.post('/api/transaction-service/external/v1/transfers', transfer)
  const { reference } = sent.body.data
  await server.runJob('transfer-orders')
  server.clock.advance(16 * 60_000)
  const owner = await memberOf(server, 'owner', businessId)
  const viewer = await memberOf(server, 'viewer', businessId)
  const { page, trouble } = await pageOf(newPage, server.url, owner, '/test/unresolved')
  await shows(page, 'The provider does not say whether it was paid')
  await settled(page)
  await expectFine(page)
  await page.getByRole('table').getByRole('link').first().click()
  await isTitled(page, 'Transfer of ₦7,500.00')
  await page.getByRole('region', { name: 'What we received' }).getByText('Unknown').waitFor(WAIT)
  await settled(page)
  await expectFine(page)
  await press(page, 'Ask the provider')
  await shows(page, 'The provider was asked.')
  await page.getByRole('link', { name: reference }).click()
  await shows(page, 'A person has to look at this order')
  await settled(page)
  await expectFine(page)
  await page.getByRole('link', { name: 'See what the provider has said' }).click()
  await isTitled(page, 'Transfer of ₦7,500.00')

  await press(page, 'Decide')
  await dialog(page).getByRole('radio', { name: 'It was not paid', exact: true }).check()
  await field(page, 'Reason').fill('The provider has no such transfer')
  await press(page, 'It was not paid')
  await shows(page, 'Paste what the provider wrote.')
  await field(page, 'What the provider wrote').fill('We never received this transfer.')
  await expectFine(page)
  await press(page, 'It was not paid')
  await expectState(page, 'Closed')
  await shows(page, 'The outcome of this order is known now.')
  await page.getByRole('link', { name: reference }).click()
  await expectState(page, 'Rejected')
  await page.goto(`${server.url}/test/unresolved`)
  await shows(page, 'No unresolved orders')

  const other = await pageOf(newPage, server.url, viewer, '/test/unresolved')
  await shows(other.page, 'Your role does not give you access to this')
  expect(trouble()).toEqual([])
})
