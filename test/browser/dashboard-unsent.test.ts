import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { connect, routesApply, setRoutes } from '../../src/providers/providers.fixture.ts'
import { openShop } from '../../src/sales/checkout/checkout.fixture.ts'
import { startServer } from '../harness.ts'
import { isTitled, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, settled, WAIT } from './dashboard.ts'

// Without jobs, nothing is sent.
const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const MONEY = '/api/transaction-service/external/v1'

test('a transfer and a refund that were not sent are cancelled', LONG, async () => {
  const shop = await openShop(server)
  const owner = await memberOf(server, 'owner', shop.businessId)
  const account = { bankCode: '058', accountNumber: '0000000001' }
  const transfer = (await shop.post(`${MONEY}/transfers`, { amount: 1_000, ...account })).body.data
  const at = `/test/transfers/${transfer.reference}`
  const { page, trouble } = await pageOf(newPage, server.url, owner, at)
  await isTitled(page, '₦1,000.00')
  await shows(page, 'Not sent yet')
  await expectFine(page)
  await press(page, 'Cancel transfer')
  await shows(page, /₦1,000\.00 will not be sent to CHINEDU EZE 0000000001/)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel transfer' }).click()
  await shows(page, 'Cancelled before it was sent')
  const sent = (await shop.get(`${MONEY}/transfers/${transfer.reference}`)).body.data
  expect(sent.status).toBe('Rejected')

  const { reference } = await shop.begun({ amount: 2_000 })
  await shop.paid(reference)
  const { transactionId } = await shop.seen(reference)
  const refund = (await shop.refund(transactionId, 700)).reference
  await page.goto(`${server.url}/test/refunds/${refund}`)
  await isTitled(page, '₦700.00')
  await press(page, 'Cancel refund')
  await shows(page, /The payer does not get ₦700\.00/)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel refund' }).click()
  await shows(page, 'The refund failed')
  await expectFine(page)
  expect((await shop.get(`${MONEY}/refunds/${refund}`)).body.data.status).toBe('Failed')
  expect(trouble()).toEqual([])
})

test('live mode says what the business’s own connections lack', LONG, async () => {
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  // Another business's connection does not count.
  const other = (await server.newBusiness()).businessId
  const theirs = await connect(server, other, { live: true })
  await setRoutes(server, other, [{ service: 'CARD', connectionId: theirs, live: true }])
  await routesApply()
  const { page } = await pageOf(newPage, server.url, owner, '/live/payments')
  await shows(page, 'Payers cannot pay online yet')
  await shows(page, 'You cannot send transfers or pay out either.')

  const connectionId = await connect(server, businessId, { live: true })
  const [card, payouts] = (['CARD', 'PAYOUTS'] as const).map((service) => ({
    service,
    connectionId,
    live: true,
  }))
  await setRoutes(server, businessId, [card!])
  await routesApply()
  await page.goto(`${server.url}/live/transfers`)
  await shows(page, 'You cannot send money yet')
  expect(await page.getByText('Payers cannot pay online yet').count()).toBe(0)
  await expectFine(page)

  await setRoutes(server, businessId, [card!, payouts!])
  await routesApply()
  await page.goto(`${server.url}/live/deposits`)
  await settled(page)
  await page.getByText('You cannot send money yet').waitFor({ ...WAIT, state: 'detached' })
})
