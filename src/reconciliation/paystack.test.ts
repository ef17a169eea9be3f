import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { startServer } from '../../test/harness.ts'
import { paystack } from '../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../test/providers/doubles/start.ts'
import { send } from '../../test/request.ts'
import { connectLive, liveOwner } from '../business/providers/providers.fixture.ts'
import { dayOf } from './days.ts'
import { toMorning } from './reconciliation.fixture.ts'

/* What Paystack's lists have that is not ours, or that is there twice. */

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const DAY_MS = 86_400_000

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
toMorning(server)
const double = await startDouble((kit) => paystack(kit), { now: clock.now() })
const { disputes, owner, payer } = double.provider
let business: Awaited<ReturnType<typeof connectLive>>

beforeAll(async () => {
  // What Paystack paid out before the account was connected.
  owner.topUp(100_000n)
  owner.settleToBank()
  clock.advance(2 * DAY_MS)
  await double.advance(2 * DAY_MS)
  business = await connectLive(server, double)
})
afterEach(() => owner.set({ countsPages: true, filtersSettlements: true }))
afterAll(async () => expect(await findings(server)).toEqual([]))

async function noticed(): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

/** A payment, by the reference under which Paystack knows it. */
async function paid(amount: number): Promise<string> {
  const { body } = await business.live.post(USSD, { channel: 'USSD', amount, bankCode: '058' })
  payer.dial(body.data.ussdCode)
  await noticed()
  const { sent } = await db.one<{ sent: string }>`
    select sent_reference as sent from provider_orders
    where business_id = ${business.businessId} and kind = 'charge'
      and subject_id = ${body.data.transactionId}`
  return sent
}

/** Another application of the business shows a payer Paystack's page. */
async function openPage(reference: string): Promise<void> {
  const authorization = `Bearer ${double.provider.secretKey()}`
  const { status } = await send(`${double.baseUrl}/transaction/initialize`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', amount: 500_000, reference }),
  })
  expect(status).toBe(200)
}

/** Reads today's lists, and returns what they say. */
async function reconciled() {
  const { connectionId, businessId } = business
  const person = await liveOwner(server, businessId)
  const day = dayOf(clock.now())
  const asked = await person.post('/console/reconciliation/run', { connectionId, from: day })
  expect(asked.status).toBe(200)
  await runJob('reconciliation')
  return (await person.get(`/console/reconciliation/${connectionId}/${day}`)).body.data
}

const AGREED = { problem: null, differences: 0, balances: [{ unexplainedMinor: 0 }] }

test('200 a day agrees although settlements of other days are listed', async () => {
  await paid(5_000)
  owner.set({ filtersSettlements: false })
  expect(await reconciled()).toMatchObject(AGREED)
})

test('200 a day agrees although a subaccount was settled on it', async () => {
  await paid(5_000)
  owner.settleSubaccount('ACCT_1', 70_000n)
  expect(await reconciled()).toMatchObject(AGREED)
})

test('200 a day has what a dispute took once, although it is listed as a refund too', async () => {
  const id = disputes.open(await paid(5_000), 200_000n, 2 * DAY_MS)
  await noticed()
  disputes.decide(id, 'lost')
  await noticed()
  expect(await reconciled()).toMatchObject(AGREED)
})

test('200 a day is read to its end although pages have 50 rows, and no count', async () => {
  await paid(5_000)
  for (let i = 0; i < 51; i++) await openPage(`page-that-nobody-pays-${i}`)
  owner.set({ countsPages: false })
  expect(await reconciled()).toMatchObject(AGREED)
})

test('200 a settlement is booked although Paystack lists it by the day on which it was made', async () => {
  await paid(5_000)
  owner.settleToBank({ createdAt: new Date(double.now().getTime() - 3 * DAY_MS) })
  expect(await reconciled()).toMatchObject(AGREED)
})
