import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { PROCESS, shopOn, TOP_UP } from '../money/bills/bills.fixture.ts'
import { openShop as sellerOn } from '../money/settlements/settlements.fixture.ts'
import { openShop as senderOn } from '../money/transfers/transfers.fixture.ts'
import { openShop as refunderOn } from '../payments/refunds/refunds.fixture.ts'
import { ACCOUNT, openShop as checkoutShopOn } from '../sales/checkout/checkout.fixture.ts'
import { connect, pause, recorded, routesApply, setRoutes } from './providers.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const SERVICES = ['BANK_TRANSFER', 'USSD', 'PAYOUTS', 'UTILITY'] as const

const calls: { businessId: number; call: string }[] = []
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator: recorded(simulator, 'simulator', calls),
    paystack: recorded(simulator, 'paystack', calls),
    flutterwave: recorded(simulator, 'flutterwave', calls),
  }),
})
const { db, clock, runJob } = server
const asked = (businessId: number) =>
  calls.filter((one) => one.businessId === businessId).map(({ call }) => call)

// The accounts here are the simulator's, under another name, and it does not look them up.
const checks = allChecks.filter(({ name }) => name !== 'charge-orders')
afterAll(async () => expect(await runAudit(server.db, checks)).toEqual([]))

/** Routes everything that a business does to one new connection. */
async function routed(businessId: number, limits: { most_minor?: bigint } = {}) {
  const connectionId = await connect(server, businessId)
  const routes = SERVICES.map((service) => ({ service, connectionId, ...limits }))
  await setRoutes(server, businessId, routes)
  await routesApply()
  return connectionId
}

const KEY = { 'Idempotency-Key': 'a-key' }

describe('a repeated request is not told that nothing was done', () => {
  test('a transfer: 201 with its key, 409 with its reference', async () => {
    const { businessId, post } = await senderOn(server)
    const id = await routed(businessId)
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const send = (headers = {}) =>
      post(TRANSFERS, { amount: 1_000, ...account, transferReference: 'PAY-0001' }, headers)
    const first = await send(KEY)
    expect(first.status).toBe(201)
    await pause(server, id)
    const again = await send(KEY)
    expect([again.status, again.text]).toEqual([201, first.text])
    const { status, body } = await send()
    expect([status, body.errorCode, body.message]).toEqual([
      409,
      'transfer_reference_used',
      expect.stringContaining(first.body.data.reference),
    ])
    const other = await post(TRANSFERS, { amount: 1_000, ...account })
    expect([other.status, other.body.errorCode]).toEqual([503, 'provider_unavailable'])
  })

  test('a USSD payment, a checkout and its account', async () => {
    const shop = await checkoutShopOn(server)
    const id = await routed(shop.businessId)
    const requests = [
      () => shop.post(USSD, { channel: 'USSD', amount: 500 }, KEY),
      () => shop.begin({ amount: 500, reference: 'cart-0001' }, KEY),
      () => shop.post(ACCOUNT, { reference: 'cart-0001' }, KEY),
    ]
    const first = []
    for (const request of requests) first.push(await request())
    await pause(server, id)
    for (const [i, request] of requests.entries()) {
      const { status, text } = await request()
      expect([status, text]).toEqual([first[i]!.status, first[i]!.text])
    }
  })
})

test.each([[KEY], [{}]])('a repeated bill gets its response: %j', async (headers) => {
  const { businessId, post, enquire } = await shopOn(server)
  const id = await routed(businessId)
  await enquire()
  const body = { ...TOP_UP, paymentReference: 'bill-0001' }
  const first = await post(PROCESS, body, headers)
  expect([first.status, first.body.responseCode]).toEqual([200, '00'])
  await pause(server, id)
  const again = await post(PROCESS, body, headers)
  expect([again.status, again.text]).toEqual([200, first.text])
  const other = await post(PROCESS, { ...body, paymentReference: 'bill-0002' })
  expect([other.status, other.body.errorCode]).toEqual([503, 'provider_unavailable'])
})

describe('an order that was not sent', () => {
  const setStatus = async (id: number, status: string) => {
    await db.run`update provider_connections set status = ${status} where id = ${id}`
    await routesApply()
  }

  test.each(['Paused', 'Removed'])('waits while its connection is %s', async (status) => {
    const { businessId, send, transfer } = await senderOn(server)
    const id = await routed(businessId)
    const reference = await send()
    await setStatus(id, status)
    const before = asked(businessId).length
    await runJob('transfer-orders')
    const status1 = (await transfer(reference)).status
    expect([asked(businessId).slice(before), status1]).toEqual([[], 'Pending'])
    await setStatus(id, 'Active')
    clock.advance(60_000)
    await runJob('transfer-orders')
    expect(asked(businessId).slice(before)).toEqual(['paystack payOut'])
  })

  test('is sent if it refunds a payment of a paused connection', async () => {
    const { businessId, post, refund } = await refunderOn(server)
    const id = await routed(businessId)
    const { body } = await post(USSD, { channel: 'USSD', amount: 500 })
    const { reference, transactionId } = body.data
    await post('/api/simulator/ussd', { reference, outcome: 'success' })
    expect((await refund({ transactionId, amount: 200 })).status).toBe(201)
    await pause(server, id)
    const before = asked(businessId).length
    await runJob('refund-orders')
    expect(asked(businessId).slice(before)).toEqual(['paystack refund'])
  })
})

test('a payer can go back to the account that is open', async () => {
  const shop = await refunderOn(server)
  const id = await routed(shop.businessId)
  const { page } = await shop.invoice(500)
  await page('/pay', { channel: 'BANK_TRANSFER' })
  const number = /\b99\d{8}\b/.exec(await (await page()).text())![0]
  await pause(server, id)
  expect((await page('/pay', { channel: 'BANK_TRANSFER' })).status).toBe(303)
  expect(await (await page()).text()).toContain(number)
})

describe('a subaccount that no connection can pay', () => {
  const shopWith = async (...amounts: number[]) => {
    const shop = await sellerOn(server)
    for (const amount of amounts) await shop.pay(amount, (await shop.stall()).page)
    return shop
  }

  test('does not stop the settlement of the others', async () => {
    const shop = await shopWith(1_000, 100_000, 2_000)
    await routed(shop.businessId, { most_minor: 300_000n })
    expect((await shop.settle()).map(({ amount }) => amount).sort()).toEqual([1_000, 500])
    const { status, body } = await shop.post('/api/simulator/settlement')
    expect([status, body.errorCode]).toEqual([503, 'provider_unavailable'])
  })

  test('is settled by the job once a connection can pay it', async () => {
    const shop = await shopWith(100_000, 1_000)
    await routed(shop.businessId, { most_minor: 300_000n })
    clock.advance(86_400_000)
    await runJob('settlements')
    expect(await shop.list()).toHaveLength(1)
    await routed(shop.businessId)
    clock.advance(11 * 60_000)
    await runJob('settlements')
    expect(await shop.list()).toHaveLength(2)
  })
})
