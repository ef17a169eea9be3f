import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { shopOn } from '../money/bills/bills.fixture.ts'
import { openShop as sellerOn } from '../money/settlements/settlements.fixture.ts'
import { openShop as senderOn } from '../money/transfers/transfers.fixture.ts'
import { openShop as refunderOn } from '../payments/refunds/refunds.fixture.ts'
import { sentReferenceOf } from './connector/references.ts'
import { connect, recorded, routesApply, setRoutes } from './providers.fixture.ts'

/* Routes decide about new orders only: an order stays with the connection that it was made for. */

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const SERVICES = ['BANK_TRANSFER', 'USSD', 'PAYOUTS', 'UTILITY'] as const

const calls: { businessId: number; call: string }[] = []
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator: recorded(simulator, 'simulator', calls),
    paystack: recorded(simulator, 'paystack', calls),
  }),
})
const { db, clock, runJob } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

/** Makes a record, and returns what to do after the switch. */
const KINDS = {
  async transfer() {
    const { businessId, send } = await senderOn(server)
    const begin = async () => void (await send())
    return { businessId, begin, end: () => runJob('transfer-orders'), asks: ['payOut'] }
  },
  async settlement() {
    const { businessId, stall, pay, settle } = await sellerOn(server)
    const begin = async () => {
      const { page } = await stall()
      await pay(1_000, page)
      await settle()
    }
    return { businessId, begin, end: () => runJob('settlement-orders'), asks: ['payOut'] }
  },
  async refund() {
    const { businessId, post, refund } = await refunderOn(server)
    let id = 0
    const begin = async () => {
      const { body } = await post(USSD, { channel: 'USSD', amount: 500 })
      id = body.data.transactionId
      const { reference } = body.data
      await post('/api/simulator/ussd', { reference, outcome: 'success' })
    }
    const end = async () => {
      expect((await refund({ transactionId: id, amount: 200 })).status).toBe(201)
      await runJob('refund-orders')
    }
    return { businessId, begin, end, asks: ['refund'] }
  },
  async bill() {
    const { businessId, buy } = await shopOn(server)
    // Stays pending.
    const begin = async () => void (await buy({ amount: 500, customerId: '0000000006' }))
    return { businessId, begin, end: () => runJob('bill-orders'), asks: ['lookUpVend'] }
  },
  async charge() {
    const { businessId, keys } = await server.newBusiness()
    const { post } = server.as(keys.testSecret)
    const begin = async () => void (await post(USSD, { channel: 'USSD', amount: 500.04 }))
    return { businessId, begin, end: () => runJob('charge-orders'), asks: ['lookUpCharge'] }
  },
}

const names = Object.keys(KINDS) as (keyof typeof KINDS)[]

describe.each([
  ['simulator', 'paystack'],
  ['paystack', 'simulator'],
])('an order made for %s, when %s gets new orders', (first, second) => {
  test.each(names)('stays where it is: %s', async (name) => {
    const { businessId, begin, end, asks } = await KINDS[name]()
    const connectionId = await connect(server, businessId)
    const routed = (to: string) =>
      setRoutes(
        server,
        businessId,
        to === 'paystack' ? SERVICES.map((service) => ({ service, connectionId })) : [],
      )
    await routed(first)
    await routesApply()
    await begin()
    const before = calls.length
    await routed(second)
    await routesApply()
    clock.advance(61_000)
    await end()
    const asked = calls.slice(before).filter((one) => one.businessId === businessId)
    expect(asked.map(({ call }) => call)).toEqual(asks.map((call) => `${first} ${call}`))
  })
})

const paidByUssd = async () => {
  const shop = await refunderOn(server)
  const { body } = await shop.post(USSD, { channel: 'USSD', amount: 500 })
  const { reference, transactionId } = body.data
  const succeed = async () => {
    await db.run`update simulator_orders set status = 'Successful', message = 'Approved'
      where business_id = ${shop.businessId} and reference = ${sentReferenceOf(reference, 1)}`
    clock.advance(61_000)
    await runJob('charge-orders')
  }
  const refunded = async () => {
    const before = calls.length
    expect((await shop.refund({ transactionId, amount: 200 })).status).toBe(201)
    await runJob('refund-orders')
    const own = calls.slice(before).filter(({ businessId }) => businessId === shop.businessId)
    return own.map(({ call }) => call)
  }
  return { ...shop, succeed, refunded }
}

test('a payment without an order is refunded by the simulator', async () => {
  const { businessId, succeed, refunded } = await paidByUssd()
  await succeed()
  await db.run`delete from provider_orders where kind = 'charge' and business_id = ${businessId}`
  const connectionId = await connect(server, businessId)
  await setRoutes(server, businessId, [{ service: 'USSD', connectionId }])
  await routesApply()
  expect(await refunded()).toEqual(['simulator refund'])
})

test.each(['the same', 'another'])(
  'the order that was paid is refunded, even if a later one is at %s connection',
  async (which) => {
    const { businessId, succeed, refunded } = await paidByUssd()
    const connectionId = which === 'another' ? await connect(server, businessId) : 1
    await db.run`
    insert into provider_orders (business_id, live, kind, subject_id, attempt, reference,
      connection_id, sent_reference, reference_format, amount_minor, currency, expires_at,
      lookup_plan, sent_at, next_at, created_at)
    select business_id, live, kind, subject_id, 2, reference, ${connectionId},
      sent_reference || '-2', 2, amount_minor, currency, expires_at, lookup_plan, sent_at, next_at,
      created_at
    from provider_orders where business_id = ${businessId} and kind = 'charge'`
    await succeed()
    expect(await refunded()).toEqual(['simulator refund'])
    const orders = await db.many`
    select attempt, state from provider_orders
    where business_id = ${businessId} and kind = 'charge' order by attempt`
    expect(orders).toEqual([
      { attempt: 1, state: 'Successful' },
      { attempt: 2, state: expect.not.stringContaining('Successful') },
    ])
  },
)

test.each(['through the API', 'on a page'])(
  'a payer dials a bank that is offered: %s',
  async (by) => {
    const { businessId, post, invoice } = await refunderOn(server)
    const other = await connect(server, businessId, { settings: { ussdBanks: ['044'] } })
    const ours = await connect(server, businessId, { settings: { ussdBanks: ['058'] } })
    const routes = [other, ours].map((connectionId, i) => ({
      service: 'USSD' as const,
      connectionId,
      priority: i + 1,
    }))
    await setRoutes(server, businessId, routes)
    await routesApply()
    if (by === 'on a page') {
      const { page } = await invoice(500)
      expect((await page('/pay', { channel: 'USSD', bankCode: '058' })).status).toBe(303)
    } else {
      const { status } = await post(USSD, { channel: 'USSD', amount: 500, bankCode: '058' })
      expect(status).toBe(200)
    }
    const orders = await db.many`
    select connection_id from provider_orders where business_id = ${businessId}`
    expect(orders).toEqual([{ connection_id: ours }])
  },
)
