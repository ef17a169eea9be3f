import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { startServer } from '../../test/harness.ts'
import type { FaultRule } from '../../test/providers/doubles/faults.ts'
import { flutterwave } from '../../test/providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../test/providers/doubles/start.ts'
import { connectLive } from '../business/providers/providers.fixture.ts'

/* New transfers that are due together are one request, if the provider has batches. */

const API = '/api/transaction-service/external/v1'
const MINUTE_MS = 60_000
const MANY = 6

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const now = { now: new Date() }
const stack = await startDouble((kit) => paystack(kit), now)
const wave = await startDouble(
  (kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }),
  now,
)
afterAll(async () => expect(await findings(server)).toEqual([]))

type Business = Awaited<ReturnType<typeof connectLive>>
type AnyDouble = typeof stack | typeof wave

/** Gives a new business ₦50,000 at the provider. */
async function funded(double: AnyDouble): Promise<Business> {
  const business = await connectLive(server, double)
  const asked = { channel: 'USSD', amount: 50_000, bankCode: '058' }
  const { body } = await business.live.post(`${API}/transaction-with-ussd`, asked)
  double.provider.payer.dial(body.data.ussdCode)
  await noticed(double)
  return business
}

async function noticed(double: AnyDouble): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

async function advance(double: AnyDouble, ms: number): Promise<void> {
  clock.advance(ms)
  await double.advance(ms)
}

/** Asks for several transfers of ₦1,000, which nobody sends yet. */
async function request({ live }: Business, count = MANY): Promise<void> {
  for (let i = 0; i < count; i++) {
    const account = { bankCode: '057', accountNumber: `012345678${i}` }
    const { status } = await live.post(`${API}/transfers`, { ...account, amount: 1_000 })
    expect(status).toBe(201)
  }
}

interface Sent {
  id: number
  sent_reference: string
  status: string
  attention: string | null
  attempt: number
}

const transfersOf = ({ businessId }: Business) =>
  db.many<Sent>`
    select t.id, o.sent_reference, t.status, o.attention, o.attempt
    from transfers t join provider_orders o on o.business_id = t.business_id and o.live = t.live
      and o.kind = 'transfer' and o.subject_id = t.id
    where t.business_id = ${businessId} order by t.id, o.attempt`

/** Returns how often each request for a transfer was made since. */
function requestsOf({ calls }: AnyDouble, since: number): string[] {
  const orders = /^POST \/(transfer|transfer\/bulk|transfers|bulk-transfers)$/
  return calls
    .slice(since)
    .map(({ operation }) => operation)
    .filter((operation) => orders.test(operation))
}

const executed = ({ books }: AnyDouble, all: readonly Sent[]) =>
  all.map(({ sent_reference }) => books.executed.get(sent_reference) ?? 0)

/** Lets the provider pay whatever it has taken, and then looks everything up for two hours. */
async function finish(double: AnyDouble, business: Business, word: 'success' | 'SUCCESSFUL') {
  for (let i = 0; i < 12; i++) {
    for (const { sent_reference, status } of await transfersOf(business)) {
      if (status === 'Pending' && double.books.executed.has(sent_reference)) {
        double.provider.bank.settle(sent_reference, word as never)
      }
    }
    await noticed(double)
    await advance(double, 10 * MINUTE_MS)
    await runJob('transfer-orders')
  }
  return transfersOf(business)
}

const each = <T>(value: T, count = MANY): T[] => Array.from({ length: count }, () => value)
const statuses = (all: readonly Sent[]) => all.map(({ status }) => status)

describe('a batch at Paystack', () => {
  let business: Business
  beforeAll(async () => {
    business = await funded(stack)
  })

  async function send(...rules: FaultRule[]) {
    const before = await transfersOf(business)
    await request(business)
    for (const rule of rules) stack.fault(rule)
    const since = stack.calls.length
    await runJob('transfer-orders')
    const added = async () => (await transfersOf(business)).slice(before.length)
    return { since, added }
  }

  test('is one request, with an outcome for each, and its record is that of each order', async () => {
    const { since, added } = await send()
    expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk'])
    const all = await added()
    expect(executed(stack, all)).toEqual(each(1))
    const recorded = () => db.many`
      select subject_id from provider_calls
      where business_id = ${business.businessId} and operation = 'POST /transfer/bulk'
      order by subject_id`
    await expect.poll(recorded).toEqual(all.map(({ id }) => ({ subject_id: id })))
    stack.provider.bank.settle(all[0]!.sent_reference, 'failed')
    await noticed(stack)
    await finish(stack, business, 'success')
    expect(statuses(await added())).toEqual(['Failed', ...each('Successful', MANY - 1)])
  })

  test('leaves out a transfer whose recipient is refused, and pays the others', async () => {
    const { since, added } = await send({
      on: 'POST /transferrecipient',
      kind: 'status',
      status: 400,
      nth: 3,
      times: 1,
    })
    expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk'])
    await finish(stack, business, 'success')
    const all = await added()
    expect(executed(stack, all).sort()).toEqual([0, ...each(1, MANY - 1)])
    const left = all.filter(({ status }) => status !== 'Successful')
    expect(left).toMatchObject([{ status: 'Pending', attention: 'bad_request' }])
  })

  test('whose response is lost is looked up, and nothing is sent twice', async () => {
    const { since, added } = await send({
      on: 'POST /transfer/bulk',
      kind: 'reset_after_effect',
      times: 1,
    })
    await finish(stack, business, 'success')
    expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk'])
    const all = await added()
    expect(executed(stack, all)).toEqual(each(1))
    expect(statuses(all)).toEqual(each('Successful'))
  })

  test('that never arrived is sent again, each transfer alone, once that is proven', async () => {
    const { since, added } = await send({
      on: 'POST /transfer/bulk',
      kind: 'reset_after_read',
      times: 1,
    })
    await finish(stack, business, 'success')
    expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk', ...each('POST /transfer')])
    const all = await added()
    expect(executed(stack, all)).toEqual(each(1))
    expect(statuses(all)).toEqual(each('Successful'))
  })

  test('that is refused as a whole is sent again, each transfer alone', async () => {
    const { since, added } = await send({
      on: 'POST /transfer/bulk',
      kind: 'status',
      status: 400,
      times: 1,
    })
    expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk', ...each('POST /transfer')])
    await finish(stack, business, 'success')
    const all = await added()
    expect(executed(stack, all)).toEqual(each(1))
    expect(all.map(({ attention }) => attention)).toEqual(each(null))
  })

  test('is not made of fewer than five transfers', async () => {
    const since = stack.calls.length
    await request(business, 4)
    await runJob('transfer-orders')
    expect(requestsOf(stack, since)).toEqual(each('POST /transfer', 4))
    await finish(stack, business, 'success')
  })

  test('is sent once by two processes that find the same orders', async () => {
    const before = (await transfersOf(business)).length
    await request(business, 5)
    const since = stack.calls.length
    const job = server.app.jobs.find(({ name }) => name === 'transfer-orders')!
    await Promise.all([1, 2, 3].map(() => job.run(db, clock.now(), undefined)))
    // On a slow machine, sending can take longer than a run waits.
    await expect.poll(() => requestsOf(stack, since)).toEqual(['POST /transfer/bulk'])
    await finish(stack, business, 'success')
    expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk'])
    expect(executed(stack, (await transfersOf(business)).slice(before))).toEqual(each(1, 5))
  })
})

test('a batch that Paystack refuses for lack of money is looked up, and not sent', async () => {
  const business = await funded(stack)
  const { owner } = stack.provider
  const balance = stack.books.balance_minor('NGN')
  owner.topUp(-balance)
  await request(business)
  const since = stack.calls.length
  await runJob('transfer-orders')
  owner.topUp(balance)
  await advance(stack, MINUTE_MS)
  await runJob('transfer-orders')
  expect(requestsOf(stack, since)).toEqual(['POST /transfer/bulk'])
  const seen = stack.calls
    .slice(since)
    .filter(({ operation }) => operation === 'GET /transfer/verify/{reference}')
    .map(({ reference }) => reference)
  const sent = (await transfersOf(business)).map(({ sent_reference }) => sent_reference)
  expect(seen).toEqual(expect.arrayContaining(sent))
})

describe('a batch at Flutterwave', () => {
  /** Sends a batch of a new business, and returns its transfers two hours later. */
  async function sent(rule?: FaultRule) {
    const business = await funded(wave)
    wave.provider.owner.settleToWallet()
    await request(business)
    if (rule) wave.fault(rule)
    const since = wave.calls.length
    await runJob('transfer-orders')
    const all = await finish(wave, business, 'SUCCESSFUL')
    return { all, requests: requestsOf(wave, since) }
  }

  test('says nothing of each transfer, so each is looked up', async () => {
    const { all, requests } = await sent()
    expect(requests).toEqual(['POST /bulk-transfers'])
    expect(executed(wave, all)).toEqual(each(1))
    expect(statuses(all)).toEqual(each('Successful'))
  })

  // Flutterwave may pay a repeated reference twice, so a refusal that we do not know is no proof.
  test('that was taken although it looks refused is never sent again', async () => {
    const { all, requests } = await sent({
      on: 'POST /bulk-transfers',
      kind: 'status_after_effect',
      status: 400,
      times: 1,
    })
    expect(requests).toEqual(['POST /bulk-transfers'])
    expect(executed(wave, all)).toEqual(each(1))
    expect(statuses(all)).toEqual(each('Successful'))
  })

  test('that was refused and is not found waits for a person, each transfer', async () => {
    const { all, requests } = await sent({
      on: 'POST /bulk-transfers',
      kind: 'status',
      status: 400,
      times: 1,
    })
    expect(requests).toEqual(['POST /bulk-transfers'])
    expect(executed(wave, all)).toEqual(each(0))
    expect(statuses(all)).toEqual(each('Pending'))
    expect(all.map(({ attention }) => attention)).toEqual(each('not_found'))
    const logged = server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'a batch was refused')
    const connection = expect.any(Number)
    expect(logged.at(-1)).toMatchObject({ connection, orders: MANY, code: 'bad_request' })
  })
})
