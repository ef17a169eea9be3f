import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { transferOrders } from '../money/transfers/provider-order.ts'
import type { Outcome, PayoutState, Provider } from '../providers/connector/types.ts'
import { connect } from '../providers/providers.fixture.ts'
import { openProviders } from '../providers/providers.ts'
import {
  done,
  FINAL,
  LATE,
  MINUTE,
  NEVER,
  notFound,
  notNow,
  openOneBank,
  PROVEN,
  refused,
  UNCLEAR,
  UNPROVEN,
  UNSAFE,
  unknown,
} from './one-bank.fixture.ts'
import { orderJob } from './orders.ts'

const { server, simulator, shopWithTransfer } = await openOneBank()
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

describe('the response to an order that was not sent before', () => {
  test.each<[Outcome<PayoutState>, string]>([
    [done('Successful'), 'Successful'],
    [done('Failed'), 'Failed'],
    [done('Rejected'), 'Rejected'],
    ...FINAL.map((code): [Outcome<PayoutState>, string] => [refused(code), 'Rejected']),
  ])('%j ends it', async (answer, expected) => {
    const { run, calls, status, order } = await shopWithTransfer()
    expect(await run({ send: answer })).toBe(1)
    expect([calls, await status()]).toEqual([['send R'], expected])
    const at = expect.any(Date)
    expect(await order()).toMatchObject({ sent_at: at, ended_at: at, next_at: null })
    expect(await order()).toMatchObject({ state: expected, last_outcome: answer.kind, tries: 1 })
    expect(await run({}, 24 * 60 * MINUTE)).toBe(0)
  })

  test.each([
    [done('Pending'), 60_000],
    [done('Blocked'), 10 * MINUTE],
    [unknown(), 5_000],
    [unknown('disconnected'), 5_000],
    [unknown('server_error'), 5_000],
    [unknown('unreadable'), 5_000],
  ])('%j leaves it open, to be looked up in %d ms', async (answer, waits) => {
    const { run, calls, order, waitMs } = await shopWithTransfer()
    await run({ send: answer })
    expect(calls).toEqual(['send R'])
    expect(await order()).toMatchObject({ sent_at: expect.any(Date), ended_at: null })
    expect(await order()).toMatchObject({ attention: null })
    expect(await waitMs()).toBe(waits)
  })

  test.each(UNCLEAR)('%s leaves it open, and a person has to look at it', async (code) => {
    const { run, status, order, wallet, calls } = await shopWithTransfer()
    await run({ send: refused(code) })
    expect([await status(), (await wallet()).held]).toEqual(['Pending', 1_010])
    expect(await order()).toMatchObject({ attention: 'bad_request', last_code: code })
    // It is not sent again by itself, even though the provider certainly has not got it.
    await run({ 'look up': notFound }, MINUTE)
    for (const minutes of [10, 20, 20]) await run({ 'look up': notFound }, minutes * MINUTE)
    expect(calls).toEqual(['send R', ...Array(4).fill('look up R')])
    expect(await order()).toMatchObject({ attention: 'bad_request' })
    await run({ 'look up': done('Successful') }, 20 * MINUTE)
    expect(await order()).toMatchObject({ attention: null, state: 'Successful' })
  })

  test('that it is a duplicate is followed by a look-up at once', async () => {
    const { run, calls, status } = await shopWithTransfer()
    await run({ send: unknown('duplicate'), 'look up': done('Successful') })
    expect([calls, await status()]).toEqual([['send R', 'look up R'], 'Successful'])
  })

  test.each(PROVEN)('%s makes it unsent again', async (code) => {
    const { run, calls, status, order, waitMs } = await shopWithTransfer(NEVER)
    await run({ send: notNow(code) })
    expect(await order()).toMatchObject({ sent_at: null, ended_at: null, attention: null })
    expect([await status(), await waitMs()]).toEqual(['Pending', MINUTE])
    await run({ send: done('Successful') }, MINUTE)
    expect([calls, await status()]).toEqual([['send R', 'send R'], 'Successful'])
  })

  test.each(UNPROVEN)('%s makes it unsent again after the proof of a timeout', async (code) => {
    const { run, calls, order, status } = await shopWithTransfer(LATE)
    await run({ send: notNow(code) })
    expect(await order()).toMatchObject({ sent_at: expect.any(Date) })
    // Neither no response nor a refusal confirms it, and neither does one lookup.
    await run({ 'look up': unknown() }, MINUTE)
    await run({ 'look up': notNow(code) }, 2 * MINUTE)
    await run({ 'look up': notFound }, 10 * MINUTE)
    expect(await order()).toMatchObject({ sent_at: expect.any(Date) })
    await run({ 'look up': notFound }, MINUTE)
    expect(await order()).toMatchObject({ sent_at: null })
    await run({ send: done('Successful') })
    expect(calls).toEqual(['send R', ...Array(4).fill('look up R'), 'send R'])
    expect(await status()).toBe('Successful')
  })

  test.each([
    ['never proves anything', NEVER],
    ['does not refuse a second order', UNSAFE],
  ])('that a proxy may have given needs a person if the provider %s', async (_, absence) => {
    const { run, calls, order } = await shopWithTransfer(absence)
    await run({ send: notNow('rate_limited') })
    for (const minutes of [1, 10, 10, 10, 10, 10, 10, 10]) {
      await run({ 'look up': notFound }, minutes * MINUTE)
    }
    expect(await order()).toMatchObject({ attention: 'not_found', sent_at: expect.any(Date) })
    expect(calls.filter((call) => call === 'send R')).toHaveLength(1)
  })

  test('that is certainly ours makes it unsent at once, whatever its code', async () => {
    const { run, calls, status } = await shopWithTransfer(NEVER)
    await run({ send: { ...notNow('rate_limited'), isUnsent: true } as Outcome<PayoutState> })
    await run({ send: done('Successful') }, MINUTE)
    expect([calls, await status()]).toEqual([['send R', 'send R'], 'Successful'])
  })

  test('that came from a proxy does not pay twice', async () => {
    const { run, calls, status } = await shopWithTransfer(NEVER)
    await run({ send: notNow('rate_limited') })
    await run({ 'look up': done('Successful') }, MINUTE)
    expect([calls, await status()]).toEqual([['send R', 'look up R'], 'Successful'])
  })

  test('notNow waits longer each time, or as long as the provider asks', async () => {
    const { run, waitMs } = await shopWithTransfer()
    const waits: number[] = []
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await run({ send: notNow('not_reached') })
      waits.push((await waitMs()) / MINUTE)
      clock.advance(await waitMs())
    }
    expect(waits).toEqual([1, 2, 5, 15, 60, 60])
    await run({ send: notNow('not_reached', 5_000) })
    expect(await waitMs()).toBe(5_000)
  })

  test('notNow needs a person after a day, and is sent all the same', async () => {
    const { run, order, status } = await shopWithTransfer()
    await run({ send: notNow('not_reached') })
    await run({ send: notNow('not_reached') }, 23 * 60 * MINUTE)
    expect(await order()).toMatchObject({ attention: null, not_now_count: 2 })
    await run({ send: notNow('not_reached') }, 60 * MINUTE)
    expect(await order()).toMatchObject({ attention: 'not_sent' })
    await run({ send: done('Successful') }, 60 * MINUTE)
    expect([await status(), (await order()).attention]).toEqual(['Successful', null])
  })
})

test('an order stays with its provider, whichever provider gets new ones', async () => {
  const { businessId, run, calls, reference, logged, status } = await shopWithTransfer()
  await run({ send: unknown() })
  const elsewhere = await connect(server, businessId)
  await db.run`update provider_orders set connection_id = ${elsewhere}
    where reference = ${reference}`
  clock.advance(61_000)
  await run({ 'look up': done('Successful'), send: done('Successful') })
  expect([calls, await status()]).toEqual([['send R'], 'Pending'])
  expect(logged).toMatchObject([{ err: { message: 'No connector for paystack' } }])
})

describe('two processes', () => {
  /** Ten jobs at once, which all find the same due orders. */
  const together = (run: () => Promise<number>) =>
    Promise.all(Array.from({ length: 10 }, run)).then((all) => all.reduce((sum, n) => sum + n))

  test('never send the same order, however often both look for work', async () => {
    const { run, calls } = await shopWithTransfer()
    const both = () => run({ send: done('Pending'), 'look up': done('Pending') })
    expect(await together(both)).toBe(1)
    expect(calls).toEqual(['send R'])
  })

  test.each([
    ['after notNow', { send: notNow('not_reached') }, { send: done('Pending') }],
    ['after proof', { send: unknown() }, { 'look up': notFound, send: done('Pending') }],
  ])('send an order again only once: %s', async (_, first, then) => {
    const { run, calls } = await shopWithTransfer()
    await run(first)
    clock.advance(MINUTE)
    expect(await together(() => run(then))).toBe(1)
    expect(calls.filter((call) => call === 'send R')).toHaveLength(2)
  })

  /** A bank that answers when the test says so. */
  function slowBank(answer: Outcome<PayoutState>) {
    const called = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const call = async () => {
      called.resolve()
      await released.promise
      return answer
    }
    return { call, called: called.promise, release: released.resolve }
  }
  const runWith = async (businessId: number, bank: Partial<Provider>) => {
    const providers = openProviders(db, { simulator: { ...simulator, ...bank } })
    const log = { info() {}, warn() {}, error() {} }
    const job = orderJob({ db, ids, log, providers }, transferOrders(server))
    const claimed = await job.run(db, clock.now(), businessId)
    await job.outlasting?.()
    return claimed
  }

  test('do not make an order unsent that the other has since sent', async () => {
    const { businessId, run, order } = await shopWithTransfer()
    const { call, called, release } = slowBank(notNow('not_reached'))
    const slow = runWith(businessId, { payOut: call })
    await called
    // The first process took so long that another one acted on the order.
    await run({ 'look up': notFound, send: unknown() }, 2 * MINUTE)
    release()
    await slow
    expect(await order()).toMatchObject({ sent_at: expect.any(Date), tries: 2 })
  })

  test('claim an order when it is sent, not when the run began', async () => {
    const { businessId, send } = await shopWithTransfer()
    for (const _ of Array.from({ length: 8 })) await send()
    const payOut = async () => {
      await sleep(1_100)
      return done('Pending')
    }
    await runWith(businessId, { payOut })
    const { times, sent } = await db.one<{ times: number; sent: number }>`
      select count(distinct sent_at)::integer as times, count(sent_at)::integer as sent
      from provider_orders where business_id = ${businessId}`
    expect(times).toBeGreaterThan(1)
    expect(sent).toBe(9)
  })

  test('do not send an order again that the other has since claimed', async () => {
    const { businessId, run, calls } = await shopWithTransfer()
    await run({ send: unknown() })
    clock.advance(MINUTE)
    let sent = 0
    const { call, called, release } = slowBank(notFound)
    const payOut = async () => {
      sent++
      return unknown()
    }
    const slow = runWith(businessId, { lookUpPayout: call, payOut })
    await called
    await run({ 'look up': done('Pending') }, 2 * MINUTE)
    release()
    await slow
    expect([sent, calls.at(-1)]).toEqual([0, 'look up R'])
  })
})
