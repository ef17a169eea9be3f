import { afterAll, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { paystack } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { emailTo } from '../../business/people/people.fixture.ts'
import { connectLive } from '../../business/providers/providers.fixture.ts'
import { routesApply } from '../../providers/providers.fixture.ts'
import { INVOICES } from '../../sales/invoices/invoices.fixture.ts'
import { NEXT, PAYOUTS, SETTINGS } from './payouts.fixture.ts'

const BALANCE = '/api/user-service/external/v1/wallet/balance'
const EVENTS = '/api/user-service/external/v1/events'
const DAY_MS = 24 * 3_600_000

const server = await startServer({ jobs: false })
const double = await startDouble((kit) => paystack(kit), { now: new Date() })
const { db, clock, runJob } = server
const { payer, bank } = double.provider
afterAll(async () => expect(await findings(server)).toEqual([]))

/** Opens a business that was paid in live mode, with a settlement account. */
async function openPaid(amount = 5_000) {
  const business = await connectLive(server, double)
  const { businessId, live } = business
  const { hostedUrl } = (await live.post(INVOICES, { customerEmail: 'ada@example.com', amount }))
    .body.data
  const path = new URL(hostedUrl).pathname
  const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  await fetch(`${server.url}${path}/pay`, { method: 'POST', body: form, redirect: 'manual' })
  await (await fetch(server.url + path)).text()
  const account = await db.one<{ account_number: string }>`
    select account_number from virtual_accounts
    where business_id = ${businessId} and live order by id desc limit 1`
  payer.transferTo(account.account_number, BigInt(amount) * 100n)
  await hear()
  const settlementAccount = { bankCode: '057', accountNumber: '0123456789' }
  expect((await live.put(SETTINGS, { settlementAccount })).status).toBe(200)
  const wallet = async () => {
    const { available, held } = (await live.get(BALANCE)).body.data[0]
    return { available, held }
  }
  const payout = async (reference: string) => (await live.get(`${PAYOUTS}/${reference}`)).body.data
  const orders = () => db.many<{ sent_reference: string; connection_id: number; attempt: number }>`
    select sent_reference, connection_id, attempt from provider_orders
    where business_id = ${businessId} and kind = 'transfer' order by created_at, attempt`
  return { ...business, wallet, payout, orders }
}

async function hear(): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

test('201 pays out through the provider, once, and 200 shows its order', async () => {
  const { live, owner, connectionId, wallet, payout, orders } = await openPaid()
  const { available } = await wallet()
  const { status, body } = await live.post(PAYOUTS, {})
  expect([status, body.data.amount + body.data.fee]).toEqual([201, available])
  expect(await wallet()).toEqual({ available: 0, held: available })
  await runJob('transfer-orders')
  const [order, ...others] = await orders()
  expect([order!.connection_id, others]).toEqual([connectionId, []])
  expect(double.books.executed.get(order!.sent_reference)).toBe(1)
  bank.settle(order!.sent_reference, 'success')
  await hear()
  expect(await payout(body.data.reference)).toMatchObject({
    status: 'Successful',
    bankCode: '057',
    accountNumber: '0123456789',
  })
  expect((await wallet()).held).toBe(0)
  const shown = await owner.get(`/console/transfers/${body.data.id}/orders`)
  expect(shown.body.data).toMatchObject([{ connectionId, state: 'Successful' }])
})

test('200 a payout that the provider took without a response is found, and paid once', async () => {
  const { live, payout, orders } = await openPaid()
  double.fault({ on: 'POST /transfer', kind: 'reset_after_effect', times: 1 })
  const { reference } = (await live.post(PAYOUTS, { amount: 1_000 })).body.data
  await runJob('transfer-orders')
  expect(await payout(reference)).toMatchObject({ status: 'Pending', canCancel: false })
  const [order] = await orders()
  bank.settle(order!.sent_reference, 'success')
  clock.advance(11 * 60_000)
  await runJob('transfer-orders')
  await hear()
  expect(await payout(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
  expect(double.books.executed.get(order!.sent_reference)).toBe(1)
})

test('200 a payout that the bank refuses, or returns, is back in the wallet', async () => {
  const { live, owner, wallet, payout, orders } = await openPaid()
  const before = (await wallet()).available
  const failed = (await live.post(PAYOUTS, { amount: 1_000 })).body.data.reference
  await runJob('transfer-orders')
  bank.settle((await orders())[0]!.sent_reference, 'failed')
  await hear()
  expect(await payout(failed)).toMatchObject({ status: 'Failed', reversedAt: null })
  expect(await emailTo(server, owner.email, 'payout failed')).toContain('1,000')
  const returned = (await live.post(PAYOUTS, { amount: 1_200 })).body.data.reference
  await runJob('transfer-orders')
  const { sent_reference } = (await orders())[1]!
  bank.settle(sent_reference, 'success')
  await hear()
  expect(await payout(returned)).toMatchObject({ status: 'Successful' })
  bank.settle(sent_reference, 'reversed')
  await hear()
  expect(await payout(returned)).toMatchObject({
    status: 'Failed',
    reversedAt: expect.any(String),
  })
  expect((await wallet()).available).toBe(before)
  expect(await emailTo(server, owner.email, 'payout was returned')).toContain('1,200')
})

test.each(['reversed', 'blocked'] as const)(
  '200 a payout that is %s before it was paid has failed, and was never a success',
  async (word) => {
    const { live, wallet, payout, orders } = await openPaid()
    const before = await wallet()
    const { reference } = (await live.post(PAYOUTS, { amount: 1_000 })).body.data
    await runJob('transfer-orders')
    bank.settle((await orders())[0]!.sent_reference, word)
    await hear()
    // Paystack does not notify of each word.
    for (let i = 0; i < 2; i++) {
      clock.advance(11 * 60_000)
      await runJob('transfer-orders')
    }
    expect(await payout(reference)).toMatchObject({ status: 'Failed', reversedAt: null })
    expect(await wallet()).toEqual(before)
    const events = (await live.get(`${EVENTS}?sort=ASC&limit=100`)).body.data as { type: string }[]
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('transfer.'))
    expect(types).toEqual(['transfer.pending', 'transfer.failed'])
  },
)

test('409 for 24 hours after the account was changed, and then the schedule pays', async () => {
  const { businessId, live, payout } = await openPaid()
  expect((await live.put(SETTINGS, { payoutSchedule: 'daily' })).status).toBe(200)
  const settlementAccount = { bankCode: '058', accountNumber: '0123456780' }
  const changed = await live.put(SETTINGS, { settlementAccount })
  const until = changed.body.data.payoutsPausedUntil
  expect(await live.post(PAYOUTS, {})).toMatchObject({
    status: 409,
    body: { errorCode: 'payouts_paused', message: expect.stringContaining(until) },
  })
  const next = (await live.get(NEXT)).body.data
  expect(next).toMatchObject({ blockedBy: 'payouts_paused', pausedUntil: until })
  expect(Date.parse(next.nextAt)).toBeGreaterThanOrEqual(Date.parse(until))
  clock.advance(Date.parse(until) - clock.now().getTime() - 60_000)
  await runJob('payouts')
  const list = async () => (await live.get(PAYOUTS)).body.data
  expect(await list()).toEqual([])
  clock.advance(2 * DAY_MS)
  await runJob('payouts')
  const [made, ...others] = await list()
  expect(others).toEqual([])
  expect(await payout(made.reference)).toMatchObject({
    origin: 'payout',
    bankCode: '058',
    accountNumber: '0123456780',
    createdBy: null,
  })
  expect(businessId).toBe(made.businessId)
})

test('409 once the owner says that the provider pays out by itself', async () => {
  const { owner, live, connectionId } = await openPaid()
  const path = `/console/providers/${connectionId}`
  const isDone = async () => {
    const { checks } = (await owner.get(path)).body.data
    return checks.find(({ name }: { name: string }) => name === 'automatic_settlement').isDone
  }
  expect(await isDone()).toBe(null)
  const set = (automaticSettlement: boolean) =>
    owner.put(path, { settings: { automaticSettlement } })
  expect((await set(true)).status).toBe(200)
  expect(await isDone()).toBe(false)
  expect((await live.post(PAYOUTS, {})).body.errorCode).toBe('automatic_settlement')
  expect((await live.put(SETTINGS, { payoutSchedule: 'weekly' })).status).toBe(409)
  expect((await set(false)).status).toBe(200)
  expect(await isDone()).toBe(true)
  expect((await live.post(PAYOUTS, {})).status).toBe(201)
})

test('503 while the only connection is paused, and nothing is on hold', async () => {
  const { owner, live, connectionId, wallet } = await openPaid()
  const before = await wallet()
  expect((await owner.post(`/console/providers/${connectionId}/pause`)).status).toBe(200)
  await routesApply()
  expect(await live.post(PAYOUTS, {})).toMatchObject({
    status: 503,
    body: { errorCode: 'provider_unavailable' },
  })
  expect(await wallet()).toEqual(before)
})
