import { afterAll, expect, test } from 'vitest'
import { counted, times, untilDone } from '../../../test/concurrency.ts'
import { callerWith, type Reply, startSecond, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { BEGAN_WITH, METER, PROCESS, shopOn, TOP_UP } from './bills.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const server = await startServer({ jobs: false })
const { db, clock } = server
const second = await startSecond(server)

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const statuses = (replies: Reply[]) => counted(replies.map(({ status }) => status))

test('200 for 50 requests with one paymentReference at two servers, which buy once', async () => {
  const { keys, enquire, payment, wallet, eventTypes, orders } = await shopOn(server)
  await enquire()
  const callers = [server, second].map(({ url }) => callerWith(url, keys.testSecret))
  const replies = await times(50, (i) =>
    untilDone(() => callers[i % 2]!.post(PROCESS, { ...TOP_UP, paymentReference: 'once' })),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const { responseData } = await payment('once')
  for (const { body } of replies) {
    expect(['00', '09']).toContain(body.responseCode)
    expect(body.responseData.transactionId).toBe(responseData.transactionId)
  }
  // The request that bought it waited for the biller.
  expect(replies.some(({ body }) => body.responseCode === '00')).toBe(true)
  expect(await orders()).toEqual([{ reference: responseData.reference, status: 'Successful' }])
  expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
  expect(await eventTypes()).toEqual(['utility.pending', 'utility.successful', 'wallet.debited'])
})

test('200 for 50 requests with one Idempotency-Key, which buy once and return the same', async () => {
  const { post, enquire, wallet, orders } = await shopOn(server)
  await enquire()
  const key = { 'idempotency-key': 'once' }
  const replies = await times(50, () => post(PROCESS, TOP_UP, key))
  expect(statuses(replies)).toEqual({ 200: 50 })
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(await orders()).toHaveLength(1)
  expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
})

test('500 or 200 09 for 20 requests refused by the biller; the money comes back each time', async () => {
  const { post, enquire, wallet } = await shopOn(server)
  await enquire('0000000002', METER.packageSlug)
  const body = { ...METER, customerId: '0000000002', paymentReference: 'refused' }
  const replies = await times(20, () => untilDone(() => post(PROCESS, body)))
  expect(replies.some(({ status }) => status === 500)).toBe(true)
  for (const { status, body: said } of replies) {
    expect([
      [500, undefined],
      [200, '09'],
    ]).toContainEqual([status, said.responseCode])
  }
  expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
})

test('200 or 409 for two concurrent bodies with one reference; one of them is bought', async () => {
  const { post, enquire, payment, wallet } = await shopOn(server)
  await enquire()
  const replies = await times(20, (i) =>
    untilDone(() =>
      post(PROCESS, { ...TOP_UP, amount: 500 + (i % 2), paymentReference: 'either' }),
    ),
  )
  expect(statuses(replies)).toEqual({ 200: 10, 409: 10 })
  const { amount } = (await payment('either')).responseData
  expect(await wallet()).toEqual({ available: BEGAN_WITH - amount, held: 0 })
})

test('200 and 201 as often as the balance allows, for bills and transfers on one wallet', async () => {
  const { post, enquire, wallet } = await shopOn(server)
  await enquire()
  await enquire('45012345678', METER.packageSlug)
  const transfer = { amount: 90_000, bankCode: '058', accountNumber: '0123456785' }
  const light = { ...METER, customerId: '45012345678', amount: 90_000 }
  const replies = await times(40, (i) =>
    untilDone(() => (i % 2 ? post(TRANSFERS, transfer) : post(PROCESS, light))),
  )
  const { 200: bought = 0, 201: sent = 0, 400: refused = 0 } = statuses(replies)
  expect(bought + sent + refused).toBe(40)
  expect(bought + sent).toBe(11)
  const short = replies.filter(({ status }) => status === 400).map(({ body }) => body)
  expect(new Set(short.map(({ errorCode }) => errorCode))).toEqual(
    new Set(['insufficient_balance']),
  )
  for (const { message } of short) expect(message).toMatch(/ needed.* available\.$/)
  const { available, held } = await wallet()
  expect(held).toBe(sent * 90_050)
  expect(available).toBe(BEGAN_WITH - bought * 90_000 - sent * 90_050)
})

test('200 for concurrent results by notification, job and simulator at two servers: it ends once', async () => {
  const { tenant, buy, post, payment, wallet, eventTypes } = await shopOn(server)
  for (const paymentReference of ['one', 'two', 'three', 'four']) {
    await buy({ amount: 500.04, paymentReference })
  }
  expect((await wallet()).held).toBe(4 * 500.04)
  const runJob = (name: string) =>
    second.app.jobs.find((one) => one.name === name)!.run(second.db, clock.now())
  clock.advance(61_000)
  await db.run`
    update simulator_orders set notify = true, status = 'Successful', message = 'Delivered'
    where business_id = ${tenant.businessId} and account_number is not null
      and reference in (select sent_reference from provider_orders join utility_payments
        using (business_id, live, reference) where payment_reference = 'one')`
  await Promise.all([
    server.runJob('simulator'),
    runJob('simulator'),
    server.runJob('bill-orders'),
    runJob('bill-orders'),
    ...['two', 'three', 'four'].flatMap((reference) => [
      untilDone(() => post('/api/simulator/utility', { reference, outcome: 'success' })),
      untilDone(() => post('/api/simulator/utility', { reference, outcome: 'failed' })),
    ]),
  ])
  const states: string[] = []
  for (const reference of ['one', 'two', 'three', 'four']) {
    states.push((await payment(reference)).responseData.status)
  }
  expect(states).not.toContain('Pending')
  const bought = states.filter((status) => status === 'Successful').length
  const [{ available }] = [await wallet()]
  expect(available).toBe(toKobo(BEGAN_WITH - bought * 500.04))
  expect((await wallet()).held).toBe(0)
  expect(await eventTypes()).toHaveLength(4 + 4 + bought)
})

const toKobo = (naira: number) => Number(naira.toFixed(2))
