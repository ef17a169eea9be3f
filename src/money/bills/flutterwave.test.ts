import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { connectLive } from '../../business/providers/providers.fixture.ts'
import { routesApply } from '../../providers/providers.fixture.ts'
import { ENQUIRE, PROCESS, UTILITY } from './bills.fixture.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const METER = { packageSlug: 'ikedc-prepaid', customerId: '45012345678' }
const MINUTE_MS = 60_000

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const double = await startDouble((kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }), {
  now: new Date(),
})
const { billers, owner } = double.provider
let business: Awaited<ReturnType<typeof connectLive>>

beforeAll(async () => {
  business = await connectLive(server, double)
  await fund(500_000)
  owner.settleToWallet()
})
afterAll(async () => expect(await findings(server)).toEqual([]))

/** A payer pays the business. */
async function fund(amount: number): Promise<void> {
  const asked = { channel: 'USSD', amount, bankCode: '058' }
  const { body } = await business.live.post(USSD, asked)
  double.provider.payer.dial(body.data.ussdCode)
  await noticed()
}

async function noticed(): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

async function advance(ms: number): Promise<void> {
  clock.advance(ms)
  await double.advance(ms)
}

const packagesOf = async (query = '') =>
  (await business.live.get(`${UTILITY}/packages${query}`)).body.data as {
    packageSlug: string
    amount: number | null
  }[]

async function pay(amount: number, what = METER) {
  const enquiry = await business.live.post(ENQUIRE, what)
  expect([enquiry.status, enquiry.body.message]).toEqual([200, 'Customer found.'])
  return business.live.post(PROCESS, { ...what, amount })
}

const ordersOf = (reference: string) =>
  db.many<{ sent_reference: string; attention: string | null }>`
    select sent_reference, attention from provider_orders
    where business_id = ${business.businessId} and kind = 'bill' and reference = ${reference}`

/** Our ledger's balance at the provider is the provider's own. */
async function expectBooks(): Promise<void> {
  const { held_minor } = await db.one<{ held_minor: bigint }>`
    select debits_minor - credits_minor as held_minor from ledger_accounts
    where business_id = ${business.businessId} and live and kind = 'provider_clearing'`
  expect(held_minor).toBe(double.books.balance_minor('NGN'))
}

describe('the catalogue of a business with Flutterwave', () => {
  test('200 lists what Flutterwave sells, at its prices', async () => {
    const all = await packagesOf()
    const prices = all.map(({ packageSlug, amount }) => [packageSlug, amount])
    expect(prices.sort()).toEqual([
      ['9mobile-airtime-top-up', null],
      ['airtel-airtime-top-up', null],
      ['dstv-compact-plus', 34_000],
      ['glo-airtime-top-up', null],
      ['ikedc-postpaid', null],
      ['ikedc-prepaid', null],
      ['mtn-airtime-top-up', null],
      ['mtn-data-1gb-daily', 600],
    ])
    expect(await packagesOf('?biller=ikedc')).toHaveLength(2)
    expect(await packagesOf('?biller=gotv')).toEqual([])
    const { body } = await business.live.get(`${UTILITY}/categories`)
    const counts = body.data.map((one: { billers: number }) => one.billers)
    expect(counts).toEqual([4, 1, 1, 1, 0])
    // Test mode has the simulator, and another business has no connection.
    const everything = (await server.get(`${UTILITY}/packages`)).body.data
    expect(everything.length).toBeGreaterThan(80)
  })

  test('404 for a package that Flutterwave does not sell; 400 for an old price', async () => {
    const unsold = { packageSlug: 'gotv-max', customerId: '2012345678' }
    const { status, body } = await business.live.post(ENQUIRE, unsold)
    expect([status, body.errorCode]).toEqual([404, 'utility_package_not_found'])
    const dstv = { packageSlug: 'dstv-compact-plus', customerId: '2012345678' }
    const refused = await pay(30_000, dstv)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('34,000.00'),
    ])
  })

  test('404 for a customer that the biller does not know', async () => {
    const { status, body } = await business.live.post(ENQUIRE, { ...METER, customerId: '9999' })
    expect([status, body.errorCode]).toEqual([404, 'utility_customer_not_found'])
  })
})

describe('a bill through Flutterwave', () => {
  test('200 is bought once, and delivers the token that a lookup finds', async () => {
    const { status, body } = await pay(5_000)
    expect([status, body.responseCode]).toEqual([200, '09'])
    const { reference } = body.responseData
    const [order] = await ordersOf(reference)
    billers.settle(order!.sent_reference, 'successful')
    await noticed()
    const paid = (await business.live.get(`${UTILITY}/transactions/${reference}`)).body
    expect(paid.responseData).toMatchObject({
      status: 'Successful',
      token: { value: expect.stringMatching(/^\d{20}$/) },
    })
    expect(double.books.executed.get(order!.sent_reference)).toBe(1)
    await expectBooks()
  })

  test('200 gives the money back if the biller refuses', async () => {
    const { body } = await pay(2_000)
    const { reference } = body.responseData
    billers.settle((await ordersOf(reference))[0]!.sent_reference, 'failed')
    await advance(2 * MINUTE_MS)
    await runJob('bill-orders')
    const { status } = (await business.live.get(`${UTILITY}/transactions/${reference}`)).body
      .responseData
    expect(status).toBe('Failed')
    await expectBooks()
  })

  test.each([
    ['arrived', { kind: 'reset_after_effect' }, 1],
    ['did not arrive', { kind: 'reset_after_read' }, 0],
  ] as const)(
    '200 is Pending and never bought twice if its response was lost, and it %s',
    async (_, rule, times) => {
      double.fault({ ...rule, on: 'POST /billers/*', times: 1 })
      const { body } = await pay(3_000)
      expect(body.responseCode).toBe('09')
      const { reference } = body.responseData
      for (let i = 0; i < 8; i++) {
        await advance(11 * MINUTE_MS)
        await runJob('bill-orders')
      }
      const [order, ...others] = await ordersOf(reference)
      expect(others).toEqual([])
      expect(double.books.executed.get(order!.sent_reference) ?? 0).toBe(times)
      if (times === 0) return expect(order!.attention).toBe('not_found')
      billers.settle(order!.sent_reference, 'successful')
      await noticed()
      await expectBooks()
    },
  )
})

test('400 for the old price, without asking Flutterwave; the new one applies within a day', async () => {
  const bundle = { packageSlug: 'mtn-data-1gb-daily', customerId: '08038291822' }
  const before = double.calls.length
  const enquiry = await business.live.post(ENQUIRE, bundle)
  expect(enquiry.body.responseData.amount).toBe(600)
  await db.run`
    update provider_items set amount_minor = 70000 where package_slug = ${bundle.packageSlug}`
  await routesApply()
  const refused = await business.live.post(PROCESS, { ...bundle, amount: 600 })
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('700.00')])
  const sent = double.calls.slice(before).filter(({ method }) => method === 'POST')
  expect(sent).toEqual([])
  await runJob('item-lists')
  await routesApply()
  expect((await packagesOf('?biller=mtn-data'))[0]!.amount).toBe(700)
  await advance(25 * 60 * MINUTE_MS)
  await runJob('item-lists')
  await routesApply()
  expect((await packagesOf('?biller=mtn-data'))[0]!.amount).toBe(600)
})
