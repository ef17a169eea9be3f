import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { orderJob } from '../../provider-orders/orders.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import type { Outcome, PayoutState, Provider } from '../../providers/connector/types.ts'
import { openProviders } from '../../providers/providers.ts'
import { moveSimulatedOrder } from '../../providers/simulator/orders.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { transferOrders } from './provider-order.ts'
import { nothing, openBank, openShop } from './transfers.fixture.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)
const { bankDay, ordersOf } = openBank(server)

/** Changes an order at the bank without a notification. */
const silently = (reference: string, status: string, { notify = false, attempt = 1 } = {}) =>
  db.run`update simulator_orders
    set status = ${status}, due_at = null, silent_until = null, notify = ${notify}
    where reference = ${sentReferenceOf(reference, attempt)}`

describe('lost, late and repeated reports', () => {
  test('200 without a notice: the order is looked up', async () => {
    const { send, transfer } = await shop()
    const reference = await send()
    await server.runJob('transfer-orders')
    await silently(reference, 'Successful')
    await server.runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    clock.advance(61_000)
    await server.runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
  })

  test('200 after a crash between claim and order: it is ordered under the same reference', async () => {
    const { send, transfer } = await shop()
    const reference = await send()
    await db.run`update provider_orders set sent_at = ${clock.now()}, next_at = ${clock.now()}
      where reference = ${reference}`
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await ordersOf(reference)).toEqual([{ reference, attempt: 1 }])
  })

  test('200 after a crash following the order: it is looked up, not ordered again', async () => {
    const { send, transfer } = await shop()
    const reference = await send({ accountNumber: '0000000006' })
    await server.runJob('transfer-orders')
    await silently(reference, 'Failed')
    await db.run`update provider_orders set next_at = ${clock.now()} where reference = ${reference}`
    await server.runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status: 'Failed' })
    expect(await ordersOf(reference)).toHaveLength(1)
  })

  test('200 for repeated or late notifications, which change nothing', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send()
    await bankDay()
    for (const status of ['Successful', 'Pending', 'Blocked', 'Rejected', 'Failed', 'Successful']) {
      await silently(reference, status, { notify: true })
      await server.runJob('simulator')
      expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    }
    for (const _ of [1, 2]) {
      await silently(reference, 'Returned', { notify: true })
      await server.runJob('simulator')
    }
    await silently(reference, 'Successful', { notify: true })
    await server.runJob('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Failed' })
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toHaveLength(5)
  })

  test('200 for a transfer returned before its first look-up, which records the payment first', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send()
    await server.runJob('transfer-orders')
    await silently(reference, 'Returned', { notify: true })
    await server.runJob('simulator')

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
  ])('200 if the bank decides a blocked transfer after all: %s', async (said, status) => {
    const { send, transfer } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await silently(reference, said)
    clock.advance(9 * 60_000)
    await server.runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status: 'Blocked' })
    clock.advance(2 * 60_000)
    await server.runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status })
  })

  test('200 for news of an earlier attempt, which does not move the current one', async () => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await server.runJob('transfer-orders')
    for (const status of ['Blocked', 'Failed', 'Rejected']) {
      await silently(reference, status, { notify: true })
      await db.run`update simulator_orders set due_at = null where reference = ${sentReferenceOf(reference, 2)}`
      await server.runJob('simulator')
      expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    }
    await silently(reference, 'Successful', { notify: true, attempt: 2 })
    await server.runJob('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
  })

  test('200 for a transfer paid before its retry, which is not paid twice', async () => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    // The bank releases the first attempt just before we order the second.
    await silently(reference, 'Pending')
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    await silently(reference, 'Successful')
    clock.advance(61_000)
    await bankDay()
    // Paid by the first attempt, which is current again.
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await ordersOf(reference)).toEqual([{ reference, attempt: 1 }])
  })

  test('200 for a retry, which withdraws the earlier attempt so that it cannot be paid twice', async () => {
    const { businessId, send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await server.runJob('transfer-orders')
    const tenant = { businessId, live: false }
    expect(await moveSimulatedOrder(db, tenant, sentReferenceOf(reference, 1), 'success')).toBe(
      false,
    )
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
    const orders = await db.many<{ status: string }>`
      select status from simulator_orders
      where reference like ${`${sentReferenceOf(reference, 1)}%`}
      order by reference`
    expect(orders.map(({ status }) => status)).toEqual(['Rejected', 'Successful'])
  })

  test('200 for a transfer released and returned before its retry, which comes back once', async () => {
    const { send, transfer, decide, wallet, simulate } = await shop()
    const paid = await send({ accountNumber: '0000000003' })
    const returned = await send({ accountNumber: '0000000003' })
    await bankDay()
    for (const reference of [paid, returned]) await decide(reference, 'retry')
    await silently(paid, 'Successful')
    await silently(returned, 'Returned')
    await server.runJob('transfer-orders')
    expect(await transfer(paid)).toMatchObject({ status: 'Successful', attempt: 1 })
    expect(await transfer(returned)).toMatchObject({ status: 'Failed', attempt: 1 })
    // The bank returns it by the reference with which it was paid.
    expect((await simulate(paid, 'returned')).body.data.status).toBe('Failed')
    expect(await wallet()).toEqual(nothing)
  })

  test('200 if a bank pays a withdrawn attempt, which a person has to look at', async () => {
    const { businessId, send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await bankDay()
    await silently(reference, 'Successful', { notify: true })
    await server.runJob('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
    expect(
      await db.many`select class, field, attempt, evidence -> 'provider' ->> 'status' as theirs
        from provider_differences where business_id = ${businessId}`,
    ).toEqual([{ class: 'different', field: 'status', attempt: 1, theirs: 'Successful' }])
    expect(
      await db.many`select attempt from provider_orders
        where business_id = ${businessId} and attention = 'contradiction'`,
    ).toEqual([{ attempt: 2 }])
  })
})

describe('a provider that misbehaves', () => {
  const simulator = openSimulator({
    db,
    clock,
    publicUrl: '',
    simulatorDelayMs: 20,
    nudge: () => {},
  })
  const runWith = (provider: Partial<Provider>, now = clock.now()) => {
    const providers = openProviders(db, { simulator: { ...simulator, ...provider } })
    return orderJob({ db, ids, providers, log }, transferOrders(server)).run(db, now)
  }
  const failures: object[] = []
  const note = (fields: object) => void failures.push(fields)
  const log = { info: note, warn: note, error: note }
  const answering = (outcome: Outcome<PayoutState>) => async () => outcome

  test('200 for a refused order, which is Rejected', async () => {
    const { send, transfer, wallet } = await shop()
    const reference = await send()
    const refused = {
      kind: 'refused',
      code: 'unknown_account',
      message: 'No such account',
    } as const
    await runWith({ payOut: answering(refused) })
    const ended = await transfer(reference)
    expect([ended.status, ended.failureReason]).toEqual(['Rejected', 'No such account'])
    expect(await wallet()).toEqual(nothing)
  })

  test('200 for a refused look-up, which decides and orders nothing', async () => {
    const { send, transfer } = await shop()
    const reference = await send()
    await runWith({ payOut: answering({ kind: 'unknown', reason: 'timed_out' }) })
    clock.advance(61_000)
    const refused = { kind: 'refused', code: 'bad_request', message: 'Not now' } as const
    await runWith({ lookUpPayout: answering(refused) })
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    expect(await ordersOf(reference)).toEqual([])
  })

  test.each<[string, Outcome<PayoutState>]>([
    ['no answer', { kind: 'unknown', reason: 'timed_out' }],
    ['a refusal', { kind: 'refused', code: 'bad_request', message: 'Not now' }],
    ['still held up', { kind: 'done', value: { status: 'Blocked', message: 'Held up' } }],
    ['in progress', { kind: 'done', value: { status: 'Pending', message: 'Soon' } }],
  ])('200 for %s to a withdrawal: nothing is ordered until it is certain', async (_, answer) => {
    const { send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    await bankDay()
    await decide(reference, 'retry')
    await runWith({ cancelPayout: answering(answer) })
    expect(await transfer(reference)).toMatchObject({ status: 'Pending', attempt: 2 })
    expect(await ordersOf(reference)).toEqual([{ reference, attempt: 1 }])
    clock.advance(61_000)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', attempt: 2 })
    expect(await ordersOf(reference)).toHaveLength(2)
  })

  test('200 for an order that throws, which is logged and does not block the others', async () => {
    const { send, transfer } = await shop()
    const [bad, good] = [await send(), await send()]
    const payOut: Provider['payOut'] = (about, order) => {
      if (order.reference === sentReferenceOf(bad!, 1)) throw new Error('The line is down')
      return simulator.payOut(about, order)
    }
    expect(await runWith({ payOut })).toBeGreaterThanOrEqual(2)
    expect(failures).toMatchObject([{ reference: bad, err: { message: 'The line is down' } }])
    await bankDay()
    expect(await transfer(good)).toMatchObject({ status: 'Successful' })
    clock.advance(61_000)
    await bankDay()
    expect(await transfer(bad)).toMatchObject({ status: 'Successful' })
  })
})
