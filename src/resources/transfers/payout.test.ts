import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import type { Outcome, PayoutState, Provider } from '../../providers/provider.ts'
import { openProviders } from '../../providers/providers.ts'
import { moveSimulatedOrder } from '../../providers/simulator/orders.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { transferSweeper } from './sweeper.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const USER = '/api/user-service/external/v1'

const server = await startServer({ sweepers: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const nothing = { available: 1_000_000, held: 0 }

/** A business of its own for each test, so that its wallet and events are its alone. */
async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const transfer = async (reference: string) => (await get(`${TRANSFERS}/${reference}`)).body.data
  const send = async (more: object = {}) => {
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const { status, body } = await post(TRANSFERS, { amount: 1_000, ...account, ...more })
    expect(status).toBe(201)
    return body.data.reference as string
  }
  const decide = (reference: string, verb: string) => post(`${TRANSFERS}/${reference}/${verb}`)
  const simulate = (reference: string, outcome: string) =>
    post('/api/simulator/transfer', { reference, outcome })
  const wallet = async () => {
    const { available, held } = (await get(`${USER}/wallet/balance`)).body.data[0]
    return { available, held }
  }
  const eventTypes = async () => {
    const { body } = await get(`${USER}/events?sort=ASC&limit=100`)
    return (body.data as { type: string }[]).map(({ type }) => type)
  }
  return { businessId, keys, post, transfer, send, decide, simulate, wallet, eventTypes }
}

/** Orders what is due, and lets the bank do what comes next. */
async function bankDay(): Promise<void> {
  await server.sweep('transfer-payouts')
  clock.advance(1_000)
  await server.sweep('simulator')
}

/** Makes something of an order at the bank without a word about it. */
const silently = (reference: string, status: string, notify = false) =>
  db.run`update simulator_orders
    set status = ${status}, due_at = null, silent_until = null, notify = ${notify}
    where reference = ${reference}`

const ordersOf = (reference: string) =>
  db.many<{ reference: string }>`
    select reference from simulator_orders where reference like ${`${reference}%`}
    order by reference`

describe('what the bank makes of a transfer', () => {
  test('200 …01 is paid: what was held leaves, the fee is the operator’s', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000001' })
    expect(await wallet()).toEqual({ available: 998_990, held: 1_010 })
    await bankDay()

    const paid = await transfer(reference)
    expect(paid).toMatchObject({ status: 'Successful', failureReason: null, reversedAt: null })
    expect(paid.completedAt).toBeTruthy()
    expect(await wallet()).toEqual({ available: 998_990, held: 0 })
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
    const { data } = await db.one<{ data: string }>`
      select data from events
      where type = 'wallet.debited' and data like ${`%${reference}%`}`
    expect(JSON.parse(data)).toEqual({
      reference,
      status: 'Successful',
      amount: 1_010,
      amountMinor: 101_000,
      currency: 'NGN',
      source: { type: 'transfer', reference },
    })
  })

  test.each([
    ['0000000002', 1_000, 'Failed', /No such account/, 'failed'],
    ['0000000004', 1_000, 'Rejected', /does not accept/, 'rejected'],
    ['0123456785', 10.01, 'Failed', /Declined/, 'failed'],
    ['0123456785', 10.02, 'Failed', /Insufficient/, 'failed'],
  ])('200 %s with %d ends as %s, and all comes back', async (accountNumber, amount, ...ends) => {
    const [status, says, event] = ends
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber, amount })
    await bankDay()

    const ended = await transfer(reference)
    expect(ended).toMatchObject({ status, completedAt: expect.any(String), reversedAt: null })
    expect(ended.failureReason).toMatch(says)
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toEqual(['transfer.pending', `transfer.${event}`])
  })

  test('200 …03 is blocked, and paid when it is sent again', async () => {
    const { send, transfer, decide, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    expect((await decide(reference, 'retry')).status).toBe(409)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Blocked', completedAt: null })
    expect((await wallet()).held).toBe(1_010)

    const { status, body } = await decide(reference, 'retry')
    expect([status, body.data.status, body.data.attempt]).toEqual([200, 'Pending', 2])
    expect((await decide(reference, 'retry')).status).toBe(409)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', failureReason: null })
    expect(await ordersOf(reference)).toEqual([{ reference }, { reference: `${reference}-2` }])
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.blocked',
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
  })

  test('200 …05 waits, is approved and paid', async () => {
    const { send, transfer, decide, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000005' })
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Unverified' })
    expect(await ordersOf(reference)).toEqual([])
    expect((await decide(reference, 'approve')).status).toBe(200)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    expect(await eventTypes()).toEqual([
      'transfer.unverified',
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
  })

  test('200 …05 waits and is rejected, and is never ordered', async () => {
    const { send, decide, wallet } = await shop()
    const reference = await send({ accountNumber: '0000000005' })
    expect((await decide(reference, 'reject')).body.data.status).toBe('Rejected')
    await bankDay()
    expect([await ordersOf(reference), await wallet()]).toEqual([[], nothing])
  })

  test.each([
    ['0000000006', 1_000],
    ['0123456785', 10.04],
  ])('200 %s with %d stays pending, and is asked about less and less', async (to, amount) => {
    const { send, transfer } = await shop()
    const reference = await send({ accountNumber: to, amount })
    const waits: number[] = []
    const from = clock.now().getTime()
    for (const minute of [0, 1.1, 5, 40]) {
      clock.advance(from + minute * 60_000 - clock.now().getTime())
      await server.sweep('transfer-payouts')
      const { look_up_at } = await db.one<{ look_up_at: Date }>`
        select look_up_at from transfers where reference = ${reference}`
      waits.push(Math.round((look_up_at.getTime() - clock.now().getTime()) / 60_000))
    }
    expect(waits).toEqual([1, 1, 5, 10])
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    expect(await ordersOf(reference)).toHaveLength(1)
  })

  test('200 …07 is paid and comes back, amount and fee', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000007' })
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    await bankDay()
    const back = await transfer(reference)
    expect(back).toMatchObject({ status: 'Failed', failureReason: 'Sent back by the bank' })
    expect(back.reversedAt > back.completedAt).toBe(true)
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
      'transfer.reversed',
      'wallet.funded',
    ])
  })

  test('200 .03 gets no answer, which decides nothing, and is paid late', async () => {
    const { send, transfer, wallet } = await shop()
    const reference = await send({ amount: 10.03 })
    await server.sweep('transfer-payouts')
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    const { sent_at } = await db.one<{ sent_at: Date | null }>`
      select sent_at from transfers where reference = ${reference}`
    expect(sent_at).not.toBeNull()
    expect((await wallet()).held).toBe(20.03)

    clock.advance(1_000)
    await server.sweep('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    expect(await ordersOf(reference)).toHaveLength(1)
  })
})

describe('what is lost, late or said twice', () => {
  test('200 a notice that never comes: it is asked about', async () => {
    const { send, transfer } = await shop()
    const reference = await send()
    await server.sweep('transfer-payouts')
    await silently(reference, 'Successful')
    await server.sweep('transfer-payouts')
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    clock.advance(61_000)
    await server.sweep('transfer-payouts')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
  })

  test('200 a crash after the claim: it is ordered then, under the same reference', async () => {
    const { send, transfer } = await shop()
    const reference = await send()
    await db.run`update transfers set sent_at = ${clock.now()}, look_up_at = ${clock.now()}
      where reference = ${reference}`
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await ordersOf(reference)).toEqual([{ reference }])
  })

  test('200 a crash after the order: it is asked about, not ordered again', async () => {
    const { send, transfer } = await shop()
    const reference = await send({ accountNumber: '0000000006' })
    await server.sweep('transfer-payouts')
    await silently(reference, 'Failed')
    await db.run`update transfers set look_up_at = ${clock.now()} where reference = ${reference}`
    await server.sweep('transfer-payouts')
    expect(await transfer(reference)).toMatchObject({ status: 'Failed' })
    expect(await ordersOf(reference)).toHaveLength(1)
  })

  test('200 notices that are repeated, or come after what they tell of, change nothing', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send()
    await bankDay()
    for (const status of ['Successful', 'Pending', 'Blocked', 'Rejected', 'Failed', 'Successful']) {
      await silently(reference, status, true)
      await server.sweep('simulator')
      expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    }
    for (const _ of [1, 2]) {
      await silently(reference, 'Returned', true)
      await server.sweep('simulator')
    }
    await silently(reference, 'Successful', true)
    await server.sweep('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Failed' })
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toHaveLength(5)
  })

  test('200 what was returned before anybody heard that it was paid, was paid first', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send()
    await server.sweep('transfer-payouts')
    await silently(reference, 'Returned', true)
    await server.sweep('simulator')

    const { status, timeline } = await transfer(reference)
    expect(status).toBe('Failed')
    expect(timeline.map((one: { status: string }) => one.status)).toEqual([
      'Pending',
      'Successful',
      'Failed',
    ])
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
      'transfer.reversed',
      'wallet.funded',
    ])
  })

  test.each([
    ['Successful', 'Successful'],
    ['Failed', 'Failed'],
    ['Rejected', 'Failed'],
  ])('200 the bank decides a blocked one after all: %s', async (said, status) => {
    const { send, transfer } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await silently(reference, said)
    clock.advance(9 * 60_000)
    await server.sweep('transfer-payouts')
    expect(await transfer(reference)).toMatchObject({ status: 'Blocked' })
    clock.advance(2 * 60_000)
    await server.sweep('transfer-payouts')
    expect(await transfer(reference)).toMatchObject({ status })
  })

  test('200 news of an earlier attempt does not move the present one', async () => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await server.sweep('transfer-payouts')
    for (const status of ['Blocked', 'Failed', 'Rejected']) {
      await silently(reference, status, true)
      await db.run`update simulator_orders set due_at = null where reference like ${`${reference}-%`}`
      await server.sweep('simulator')
      expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    }
    await silently(`${reference}-2`, 'Successful', true)
    await server.sweep('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
  })

  test('200 what was paid before it was sent again is not paid twice', async () => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    // The bank lets the first one go, and only then are we to order the second.
    await silently(reference, 'Pending')
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    await silently(reference, 'Successful')
    clock.advance(61_000)
    await bankDay()
    // By the first attempt, which is the present one again.
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await ordersOf(reference)).toEqual([{ reference }])
  })

  test('200 what is sent again was withdrawn before, so that it cannot be paid twice', async () => {
    const { businessId, send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await server.sweep('transfer-payouts')
    const tenant = { businessId, live: false }
    expect(await moveSimulatedOrder(db, tenant, reference, 'success')).toBe(false)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
    const orders = await db.many<{ status: string }>`
      select status from simulator_orders where reference like ${`${reference}%`}
      order by reference`
    expect(orders.map(({ status }) => status)).toEqual(['Rejected', 'Successful'])
  })

  test('200 what was let go and returned before it was sent again comes back once', async () => {
    const { send, transfer, decide, wallet, simulate } = await shop()
    const paid = await send({ accountNumber: '0000000003' })
    const returned = await send({ accountNumber: '0000000003' })
    await bankDay()
    for (const reference of [paid, returned]) await decide(reference, 'retry')
    await silently(paid, 'Successful')
    await silently(returned, 'Returned')
    await server.sweep('transfer-payouts')
    expect(await transfer(paid)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await transfer(returned)).toMatchObject({ status: 'Failed', attempt: 1 })
    // The bank returns it by the reference that it was paid by.
    expect((await simulate(paid, 'returned')).body.data.status).toBe('Failed')
    expect(await wallet()).toEqual(nothing)
  })

  test('200 a bank that pays what was withdrawn is in the log, with both references', async () => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await bankDay()
    await silently(reference, 'Successful', true)
    await server.sweep('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
    const said = server.logLines.filter((line) => line.includes('the bank paid another attempt'))
    expect(said.map((line) => JSON.parse(line))).toMatchObject([
      { reference: `${reference}-2`, other: reference, provider: 'Successful' },
    ])
  })
})

describe('a provider that is not as it should be', () => {
  const simulator = openSimulator({ db, clock, simulatorDelayMs: 20, nudge: () => {} })
  const sweepWith = (provider: Partial<Provider>, now = clock.now()) => {
    const providers = openProviders({ ...simulator, ...provider })
    return transferSweeper({ db, ids, providers }).sweep(db, now)
  }
  const answering = (outcome: Outcome<PayoutState>) => async () => outcome

  test('200 an order that it refuses is Rejected', async () => {
    const { send, transfer, wallet } = await shop()
    const reference = await send()
    const refused = { kind: 'refused', code: 'bad_account', message: 'No such account' } as const
    await sweepWith({ payOut: answering(refused) })
    const ended = await transfer(reference)
    expect([ended.status, ended.failureReason]).toEqual(['Rejected', 'No such account'])
    expect(await wallet()).toEqual(nothing)
  })

  test('200 a question that it refuses decides nothing, and orders nothing', async () => {
    const { send, transfer } = await shop()
    const reference = await send()
    await sweepWith({ payOut: answering({ kind: 'unknown' }) })
    clock.advance(61_000)
    const refused = { kind: 'refused', code: 'forbidden', message: 'Not now' } as const
    await sweepWith({ lookUpPayout: answering(refused) })
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    expect(await ordersOf(reference)).toEqual([])
  })

  test.each<[string, Outcome<PayoutState>]>([
    ['no answer', { kind: 'unknown' }],
    ['a refusal', { kind: 'refused', code: 'forbidden', message: 'Not now' }],
    ['still held up', { kind: 'done', value: { status: 'Blocked', message: 'Held up' } }],
    ['under way', { kind: 'done', value: { status: 'Pending', message: 'Soon' } }],
  ])('200 %s to a withdrawal: nothing is ordered until it is certain', async (_, answer) => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await sweepWith({ cancelPayout: answering(answer) })
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    expect(await ordersOf(reference)).toEqual([{ reference }])
    clock.advance(61_000)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
    expect(await ordersOf(reference)).toHaveLength(2)
  })

  test('200 one that fails keeps no other from being ordered', async () => {
    const { send, transfer } = await shop()
    const [bad, good] = [await send(), await send()]
    const payOut: Provider['payOut'] = (order) => {
      if (order.reference === bad) throw new Error('The line is down')
      return simulator.payOut(order)
    }
    await expect(sweepWith({ payOut })).rejects.toThrow('The line is down')
    await bankDay()
    expect(await transfer(good)).toMatchObject({ status: 'Successful' })
    clock.advance(61_000)
    await bankDay()
    expect(await transfer(bad)).toMatchObject({ status: 'Successful' })
  })
})

describe('POST /api/simulator/transfer', () => {
  test.each([
    ['success', 'Successful'],
    ['failed', 'Failed'],
    ['blocked', 'Blocked'],
    ['rejected', 'Rejected'],
  ])('200 %s makes it %s at once, ordered or not', async (outcome, status) => {
    const { send, simulate, transfer } = await shop()
    const [ordered, other] = [await send(), await send({ transferReference: 'not-yet' })]
    await db.run`update transfers set look_up_at = ${new Date(8e14)} where reference = ${other}`
    await server.sweep('transfer-payouts')
    for (const reference of [ordered, 'not-yet']) {
      const reply = await simulate(reference, outcome)
      expect([reply.status, reply.body.data]).toEqual([200, { reference, status }])
      expect(await transfer(reference)).toMatchObject({ status })
    }
  })

  test('200 returned, after it was paid; 409 before that', async () => {
    const { send, simulate, transfer, wallet } = await shop()
    const reference = await send()
    const early = await simulate(reference, 'returned')
    expect([early.status, early.body.errorCode]).toEqual([409, 'transfer_state'])
    await simulate(reference, 'success')
    expect((await simulate(reference, 'success')).status).toBe(409)
    expect((await simulate(reference, 'returned')).body.data.status).toBe('Failed')
    expect((await transfer(reference)).reversedAt).toBeTruthy()
    expect(await wallet()).toEqual(nothing)
  })

  test('200 of the attempt that is under way', async () => {
    const { send, simulate, decide, transfer } = await shop()
    const reference = await send()
    await simulate(reference, 'blocked')
    await decide(reference, 'retry')
    expect((await simulate(reference, 'failed')).body.data.status).toBe('Failed')
    expect(await transfer(reference)).toMatchObject({ attempt: 2 })
  })

  test('404 of another business; 409 while it waits; 400 for what is no outcome', async () => {
    const [one, other] = [await shop(), await shop()]
    const reference = await one.send({ accountNumber: '0000000005' })
    expect((await other.simulate(reference, 'success')).status).toBe(404)
    expect((await one.simulate(reference, 'success')).status).toBe(409)
    const { status, body } = await one.simulate(reference, 'lost')
    expect([status, Object.keys(body.errors)]).toEqual([400, ['outcome']])
    const live = server.as(one.keys.liveSecret)
    const reply = await live.post('/api/simulator/transfer', { reference, outcome: 'success' })
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'test_mode_only'])
  })
})

describe('a bank that is told by hand while a sweep orders', () => {
  test('200 of 30 that were just created; all fail', async () => {
    const running = await startServer({ simulatorDelayMs: 60_000 })
    const statuses: unknown[] = []
    for (let i = 0; i < 30; i++) {
      const account = { bankCode: '058', accountNumber: '0123456785' }
      const { body } = await running.post(TRANSFERS, { amount: 1_000, ...account })
      const { reference } = body.data
      const told = { reference, outcome: 'failed' }
      const reply = await running.post('/api/simulator/transfer', told)
      statuses.push([reply.status, reply.body.data?.status])
    }
    expect(statuses).toEqual(statuses.map(() => [200, 'Failed']))
    expect(await runAudit(running.db, allChecks)).toEqual([])
    await running.close()
  })

  test('200 of one that a sweep has claimed, and not ordered yet', async () => {
    const { send, simulate } = await shop()
    const reference = await send()
    const now = clock.now()
    await db.run`
      update transfers set sent_at = ${now}, look_up_at = ${new Date(now.getTime() + 60_000)}
      where reference = ${reference}`
    const reply = await simulate(reference, 'failed')
    expect([reply.status, reply.body.data?.status]).toEqual([200, 'Failed'])
    expect(await ordersOf(reference)).toEqual([{ reference }])
  })
})

describe('time', () => {
  test('200 a test clock that is ahead carries its transfers along', async () => {
    const { post, send, transfer } = await shop()
    await post('/api/simulator/clock', { advanceSeconds: 3_600 })
    const reference = await send({ accountNumber: '0000000007' })
    await bankDay()
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Failed' })
  })
})

describe('a server that sweeps', () => {
  test('201 …07 is ordered, paid and returned by itself, and another is approved', async () => {
    const running = await startServer()
    const account = { amount: 1_000, bankCode: '058' }
    const { body } = await running.post(TRANSFERS, { ...account, accountNumber: '0000000007' })
    const waits = await running.post(TRANSFERS, { ...account, accountNumber: '0000000005' })
    await running.post(`${TRANSFERS}/${waits.body.data.reference}/approve`)
    const status = async ({ reference }: { reference: string }) =>
      (await running.get(`${TRANSFERS}/${reference}`)).body.data.status

    await expect.poll(() => status(body.data), { timeout: 5_000 }).toBe('Failed')
    await expect.poll(() => status(waits.body.data), { timeout: 5_000 }).toBe('Successful')
    expect(await runAudit(running.db, allChecks)).toEqual([])
  })
})
