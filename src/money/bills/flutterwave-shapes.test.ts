import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { connectLive, liveOwner } from '../../business/providers/providers.fixture.ts'
import { ENQUIRE, PROCESS, UTILITY } from './bills.fixture.ts'

/* Flutterwave documents two shapes of a bill. In one of them, nothing says how the bill ended. */

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const BALANCE = '/api/user-service/external/v1/wallet/balance'
const AIRTIME = { packageSlug: 'mtn-airtime-top-up', customerId: '08038291822' }
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const double = await startDouble((kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }), {
  now: new Date(),
})
const { billers, owner, payer } = double.provider
let business: Awaited<ReturnType<typeof connectLive>>

beforeAll(async () => {
  business = await connectLive(server, double)
  const asked = { channel: 'USSD', amount: 50_000, bankCode: '058' }
  payer.dial((await business.live.post(USSD, asked)).body.data.ussdCode)
  await noticed()
  owner.settleToWallet()
})
afterEach(() => owner.set({ billsShow: 'reference' }))
afterAll(async () => expect(await findings(server)).toEqual([]))

async function noticed(): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

async function later(ms: number): Promise<void> {
  clock.advance(ms)
  await double.advance(ms)
  await runJob('bill-orders')
}

async function buyAirtime() {
  expect((await business.live.post(ENQUIRE, AIRTIME)).status).toBe(200)
  const { body } = await business.live.post(PROCESS, { ...AIRTIME, amount: 500 })
  const { reference } = body.responseData as { reference: string }
  const order = () => db.one<{ id: number; sent: string; attention: string | null }>`
    select subject_id as id, sent_reference as sent, attention from provider_orders
    where business_id = ${business.businessId} and kind = 'bill' and reference = ${reference}`
  const status = async () =>
    (await business.live.get(`${UTILITY}/transactions/${reference}`)).body.responseData.status
  return { ...(await order()), order, status }
}

async function decide(id: number, decision: string, more: object) {
  const person = await liveOwner(server, business.businessId)
  const body = { decision, reason: 'I asked Flutterwave', ...more }
  return person.post(`/console/unresolved/bill/${id}/resolve`, body)
}

const wallet = async () => {
  const { available, held } = (await business.live.get(BALANCE)).body.data[0]
  return { available, held }
}

describe('a bill that shows a status, and not our reference', () => {
  test.each([
    ['successful', 'Successful'],
    ['failed', 'Failed'],
  ] as const)('200 is found by its number, and %s is %s', async (word, expected) => {
    owner.set({ billsShow: 'status' })
    const { sent, status } = await buyAirtime()
    await later(2 * MINUTE_MS)
    expect(await status()).toBe('Pending')
    billers.settle(sent, word)
    await noticed()
    expect(await status()).toBe(expected)
    expect(double.books.executed.get(sent)).toBe(1)
    const { held_minor } = await db.one<{ held_minor: bigint }>`
      select debits_minor - credits_minor as held_minor from ledger_accounts
      where business_id = ${business.businessId} and live and kind = 'provider_clearing'`
    expect(held_minor).toBe(double.books.balance_minor('NGN'))
  })

  test('200 that shows another number says nothing about it', async () => {
    const { sent, id, status, order } = await buyAirtime()
    billers.settle(sent, 'successful')
    owner.set({ billsShow: 'status' })
    // What was stored of the response to the purchase.
    await db.run`
      update provider_orders set provider_id = 'CF-FLYAPI-OTHER'
      where business_id = ${business.businessId} and kind = 'bill' and subject_id = ${id}`
    await noticed()
    for (let i = 0; i < 6; i++) await later(11 * MINUTE_MS)
    expect([await status(), (await order()).attention]).toEqual(['Pending', expect.any(String)])
  })
})

describe('a bill that shows our reference, and neither a status nor a token', () => {
  test.each([
    ['paid', 'successful', { providerId: 'CF-FLYAPI-1' }, 'Successful'],
    ['not_paid', 'failed', { statement: 'The network refused it.' }, 'Failed'],
  ] as const)(
    '200 is not bought again, and a person says that it was %s',
    async (decision, word, more, expected) => {
      const before = await wallet()
      const { id, sent, order, status } = await buyAirtime()
      const cost = (await wallet()).held - before.held
      billers.settle(sent, word)
      await noticed()
      for (let i = 0; i < 6; i++) await later(11 * MINUTE_MS)
      await later(DAY_MS)
      expect([await status(), (await order()).attention]).toEqual(['Pending', expect.any(String)])
      expect((await decide(id, decision, more)).status).toBe(200)
      expect([await status(), (await order()).attention]).toEqual([expected, null])
      const spent = expected === 'Successful' ? cost : 0
      const after = { available: before.available - spent, held: before.held }
      expect(await wallet()).toEqual(after)
      expect(double.books.executed.get(sent)).toBe(1)
    },
  )
})
