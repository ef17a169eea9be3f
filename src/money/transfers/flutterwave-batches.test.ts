import { afterAll, afterEach, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { connectLive, liveOwner } from '../../business/providers/providers.fixture.ts'

/*
 * Flutterwave does not say that it refuses a used reference, and a refusal of a batch can come from
 * a proxy, or after some of its transfers were taken.
 */

const API = '/api/transaction-service/external/v1'
const MINUTE_MS = 60_000
const MANY = 6

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const double = await startDouble((kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }), {
  now: new Date(),
})
const { bank, owner, payer } = double.provider
afterEach(() => owner.set({ refusesUsedReferences: true }))
afterAll(async () => expect(await findings(server)).toEqual([]))

type Business = Awaited<ReturnType<typeof connectLive>>

/** Gives a new business ₦50,000 at Flutterwave. */
async function funded(): Promise<Business> {
  const business = await connectLive(server, double)
  const asked = { channel: 'USSD', amount: 50_000, bankCode: '058' }
  payer.dial((await business.live.post(`${API}/transaction-with-ussd`, asked)).body.data.ussdCode)
  await noticed()
  owner.settleToWallet()
  return business
}

async function noticed(): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

/** Asks for several transfers of ₦1,000, and sends them. */
async function send({ live }: Business): Promise<void> {
  for (let i = 0; i < MANY; i++) {
    const account = { bankCode: '057', accountNumber: `012345678${i}` }
    expect((await live.post(`${API}/transfers`, { ...account, amount: 1_000 })).status).toBe(201)
  }
  await runJob('transfer-orders')
}

const transfersOf = ({ businessId }: Business) =>
  db.many<{ id: number; sent: string; status: string; attention: string | null }>`
    select t.id, o.sent_reference as sent, t.status, o.attention
    from transfers t join provider_orders o on o.business_id = t.business_id and o.live = t.live
      and o.kind = 'transfer' and o.subject_id = t.id
    where t.business_id = ${businessId} order by t.id, o.attempt`

/** Lets Flutterwave pay whatever it has taken, while our lookups go on. */
async function goOn(business: Business, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    for (const { sent, status } of await transfersOf(business)) {
      if (status === 'Pending' && double.books.executed.has(sent)) bank.settle(sent, 'SUCCESSFUL')
    }
    await noticed()
    clock.advance(10 * MINUTE_MS)
    await double.advance(10 * MINUTE_MS)
    await runJob('transfer-orders')
  }
}

/** A person has asked Flutterwave about the transfers that nobody found there. */
async function sendRestAgain(business: Business): Promise<void> {
  const person = await liveOwner(server, business.businessId)
  for (const { id, attention } of await transfersOf(business)) {
    if (attention === null) continue
    const says = { reason: 'I asked Flutterwave', statement: 'We never received it.' }
    const body = { decision: 'send_again', ...says }
    const { status } = await person.post(`/console/unresolved/transfer/${id}/resolve`, body)
    expect(status).toBe(200)
  }
}

/** The references under which something was ordered again before anybody had looked it up. */
function sentUnseen(since: number): string[] {
  const seen = new Set<string>()
  const unseen: string[] = []
  for (const { operation, reference } of double.calls.slice(since)) {
    if (operation === 'GET /transfers' && reference !== null) seen.add(reference)
    if (operation !== 'POST /transfers' || reference === null) continue
    if (!seen.has(reference)) unseen.push(reference)
  }
  return unseen
}

const each = <T>(value: T): T[] => Array.from({ length: MANY }, () => value)
const NO_MONEY = 'Insufficient wallet balance'
const LIMIT = 'This batch exceeds your daily limit'

test.each<[string, { status: number; message?: string; taken?: number; isPage?: true }]>([
  ['400, all of which was taken', { status: 400 }],
  ['402, all of which was taken', { status: 402, message: NO_MONEY }],
  ['404, all of which was taken', { status: 404 }],
  ['400, of which a part was taken', { status: 400, taken: 2 }],
  ['402, of which a part was taken', { status: 402, taken: 5, message: NO_MONEY }],
  ['400, of which nothing was taken', { status: 400, taken: 0 }],
  ['400 for lack of money, all of which was taken', { status: 400, message: NO_MONEY }],
  ['400 for a limit, of which a part was taken', { status: 400, taken: 2, message: LIMIT }],
  ['400 by a proxy, all of which was taken', { status: 400, isPage: true }],
  ['404 by a proxy, all of which was taken', { status: 404, isPage: true }],
])('200 pays each transfer once of a batch refused with %s', async (_, { isPage, ...refusal }) => {
  const business = await funded()
  owner.set({ refusesUsedReferences: false })
  const { status, ...how } = refusal
  if (isPage) double.fault({ on: 'POST /bulk-transfers', kind: 'html', status, times: 1 })
  else bank.refuseBatch(status, how)
  const since = double.calls.length
  await send(business)
  const batches = double.calls.slice(since).filter(({ path }) => path === '/bulk-transfers')
  expect(batches).toHaveLength(1)
  await goOn(business, 8)
  expect(sentUnseen(since)).toEqual([])
  await sendRestAgain(business)
  await goOn(business, 4)
  const all = await transfersOf(business)
  expect(all.map(({ sent }) => double.books.executed.get(sent))).toEqual(each(1))
  expect(all.map(({ status: state }) => state)).toEqual(each('Successful'))
})
