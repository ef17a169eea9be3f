import { afterAll, expect, test } from 'vitest'
import { counted, FAR_MS, rounds, times, untilDone } from '../../../test/concurrency.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { callerWith, type Reply, startSecond, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const BALANCE = '/api/user-service/external/v1/wallet/balance'
const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }

const server = await startServer({ jobs: false })
const { db, clock } = server
const proxy = await startProxy(server.connection)
const far = await startSecond(server, { connection: proxy.connection, connectionsMax: 10 })

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

async function shop(url = server.url) {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = callerWith(url, keys.testSecret)
  const wallet = async () => {
    const { body } = await server.as(keys.testSecret).get(BALANCE)
    return { available: body.data[0].available, held: body.data[0].held }
  }
  const count = async (table: 'transfers' | 'events') => {
    const { n } = await (table === 'events'
      ? db.one<{ n: number }>`select count(*) as n from events where business_id = ${businessId}`
      : db.one<{ n: number }>`
          select count(*) as n from transfers where business_id = ${businessId}`)
    return n
  }
  return { get, post, wallet, count }
}

const statuses = (replies: Reply[]) => counted(replies.map(({ status }) => status))

/** 29 of them with a fee of ₦25 fit into the million of a new wallet. */
const AMOUNT = 34_000
const FIT = 29

test('201 as often as the balance allows, for 50 at once that together exceed it', async () => {
  const { post, wallet, count } = await shop()
  const replies = await times(50, () =>
    untilDone(() => post(TRANSFERS, { amount: AMOUNT, ...ACCOUNT })),
  )

  expect(statuses(replies)).toEqual({ 201: FIT, 400: 50 - FIT })
  const refused = replies.filter(({ status }) => status === 400)
  expect(new Set(refused.map(({ body }) => body.errorCode))).toEqual(
    new Set(['insufficient_balance']),
  )
  // Requests that lost the race get the same details as those that came later.
  const { available } = await wallet()
  const there = `₦${available.toLocaleString('en')}.00 available`
  const figures = `₦34,025.00 needed (₦34,000.00 + ₦25.00 fee), ${there}`
  expect(new Set(refused.map(({ body }) => body.message))).toContain(
    `Insufficient balance: ${figures}.`,
  )
  for (const { body } of refused) expect(body.message).toMatch(/ needed .* available\.$/)
  const held = FIT * (AMOUNT + 25)
  expect(await wallet()).toEqual({ available: 1_000_000 - held, held })
  expect([await count('transfers'), await count('events')]).toEqual([FIT, FIT])
})

test('201 as often as the balance allows, over a slow connection to the database', async () => {
  const { post, wallet, count } = await shop(far.url)
  proxy.slow(FAR_MS)
  // An overloaded server returns 503: nothing was done, and the request is repeated.
  const replies = await times(50, async (i) => {
    for (;;) {
      const headers = { 'idempotency-key': `race-${i}` }
      const reply = await post(TRANSFERS, { amount: AMOUNT, ...ACCOUNT }, headers)
      if (reply.status !== 503 && reply.body.errorCode !== 'request_in_progress') return reply
    }
  })
  proxy.slow(0)

  expect(statuses(replies)).toEqual({ 201: FIT, 400: 50 - FIT })
  const held = FIT * (AMOUNT + 25)
  expect(await wallet()).toEqual({ available: 1_000_000 - held, held })
  expect([await count('transfers'), await count('events')]).toEqual([FIT, FIT])
}, 60_000)

test('201 for one of 20 with one reference; 409 for the others', async () => {
  const { post, wallet, count } = await shop()
  const body = { amount: 600_000, transferReference: 'salary-ada', ...ACCOUNT }
  const replies = await times(20, () => untilDone(() => post(TRANSFERS, body)))

  expect(statuses(replies)).toEqual({ 201: 1, 409: 19 })
  expect(await wallet()).toEqual({ available: 399_950, held: 600_050 })
  expect(await count('transfers')).toBe(1)
})

const waiting = { amount: 1_000, bankCode: '058', accountNumber: '0000000005' }

test('200 for one of 20 approvals; the transfer is ordered and paid once', async () => {
  const { get, post, wallet, count } = await shop()
  const { reference } = (await post(TRANSFERS, waiting)).body.data
  const replies = await times(20, () => untilDone(() => post(`${TRANSFERS}/${reference}/approve`)))
  expect(statuses(replies)).toEqual({ 200: 1, 409: 19 })

  // Two processes run the jobs, and the bank notifies both.
  const runJob = (name: string) =>
    far.app.jobs.find((one) => one.name === name)!.run(far.db, clock.now())
  await Promise.all([server.runJob('transfer-orders'), runJob('transfer-orders')])
  clock.advance(1_000)
  await Promise.all([server.runJob('simulator'), runJob('simulator')])
  expect((await get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Successful')
  expect(await wallet()).toEqual({ available: 998_990, held: 0 })
  expect(await count('events')).toBe(4)
})

test('200 for either approve or reject, at once', async () => {
  const { post, wallet } = await shop()
  let approved = 0
  for (let round = 0; round < rounds(10); round++) {
    const { reference } = (await post(TRANSFERS, waiting)).body.data
    const verbs = round % 2 ? ['approve', 'reject'] : ['reject', 'approve']
    const replies = await Promise.all(
      verbs.map((verb) => untilDone(() => post(`${TRANSFERS}/${reference}/${verb}`))),
    )
    expect(statuses(replies)).toEqual({ 200: 1, 409: 1 })
    const winner = replies.find(({ status }) => status === 200)!
    if (winner.body.data.status === 'Pending') approved++
  }
  expect((await wallet()).held).toBe(approved * 1_010)
})

test('200 for one of 20 retries; a concurrent decision of the bank loses or wins', async () => {
  const { get, post, wallet } = await shop()
  const blocked = { ...waiting, accountNumber: '0000000003' }
  const { reference } = (await post(TRANSFERS, blocked)).body.data
  await post('/api/simulator/transfer', { reference, outcome: 'blocked' })
  const [replies, decided] = await Promise.all([
    times(20, () => untilDone(() => post(`${TRANSFERS}/${reference}/retry`))),
    post('/api/simulator/transfer', { reference, outcome: 'success' }),
  ])

  expect(statuses(replies)[200] ?? 0).toBeLessThanOrEqual(1)
  expect([200, 409]).toContain(decided.status)
  for (let step = 0; step < 3; step++) {
    await server.runJob('transfer-orders')
    clock.advance(61_000)
    await server.runJob('simulator')
  }
  expect((await get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Successful')
  expect(await wallet()).toEqual({ available: 998_990, held: 0 })
})

test('200 for a retry while the bank releases the transfer: one order is paid', async () => {
  const { get, post, wallet } = await shop()
  const blocked = { ...waiting, accountNumber: '0000000003' }
  const runJob = () => server.runJob('transfer-orders')
  const references: string[] = []
  for (let round = 0; round < rounds(30); round++) {
    const { reference } = (await post(TRANSFERS, blocked)).body.data
    await post('/api/simulator/transfer', { reference, outcome: 'blocked' })
    const release = () => post('/api/simulator/transfer', { reference, outcome: 'success' })
    const retry = () => post(`${TRANSFERS}/${reference}/retry`).then(runJob)
    await Promise.all(round % 2 ? [retry(), release(), release()] : [release(), retry(), release()])
    references.push(reference)
  }
  for (let step = 0; step < 3; step++) {
    await runJob()
    clock.advance(61_000)
    await server.runJob('simulator')
  }
  for (const reference of references) {
    const paid = await db.many`
      select reference from simulator_orders
      where reference like ${`${sentReferenceOf(reference, 1)}%`} and status = 'Successful'`
    const { status } = (await get(`${TRANSFERS}/${reference}`)).body.data
    expect([status, paid.length]).toEqual(['Successful', 1])
  }
  expect(await wallet()).toEqual({ available: 1_000_000 - rounds(30) * 1_010, held: 0 })
}, 30_000)
