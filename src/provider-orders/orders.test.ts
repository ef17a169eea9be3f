import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { transferOrders } from '../money/transfers/jobs.ts'
import { openShop } from '../money/transfers/transfers.fixture.ts'
import type { Outcome, PayoutState, Provider, RefusalCode } from '../providers/connector/types.ts'
import { openProviders } from '../providers/providers.ts'
import { openSimulator } from '../providers/simulator/simulator.ts'
import { notificationHandler, orderJob } from './orders.ts'

/* Tests the protocol with transfers; all kinds of order go through the same code. */

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const simulator = openSimulator({ db, clock, simulatorDelayMs: 20, nudge: () => {} })

const done = (status: PayoutState['status'], refs?: object): Outcome<PayoutState> => ({
  kind: 'done',
  value: { status, message: status },
  ...(refs && { refs }),
})
const refused = (code: RefusalCode): Outcome<PayoutState> => ({
  kind: 'refused',
  code,
  message: code,
})
const notNow = (retryAfterMs?: number): Outcome<PayoutState> => ({
  kind: 'notNow',
  code: 'rate_limited',
  message: 'Too many',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
const unknown: Outcome<PayoutState> = { kind: 'unknown', reason: 'timed_out' }

/** Opens a shop with one transfer, and a bank that replaces the simulator. */
async function shopWithTransfer() {
  const shop = await openShop(server)
  const reference = await shop.send()
  const calls: string[] = []
  const logged: object[] = []
  const note = (fields: object) => void logged.push(fields)
  const log = { info: note, warn: note, error: note }
  const kind = transferOrders({ ids, log })
  const depsWith = (answers: Partial<Record<'send' | 'look up', Outcome<PayoutState>>>) => {
    const answer = (call: 'send' | 'look up', sent: string) => {
      calls.push(`${call} ${sent.replace(reference, 'R')}`)
      const outcome = answers[call]
      if (!outcome) throw new Error('The line is down')
      return Promise.resolve(outcome)
    }
    const bank: Partial<Provider> = {
      payOut: (order) => answer('send', order.reference),
      lookUpPayout: (_, sent) => answer('look up', sent),
    }
    return { db, log, providers: openProviders(db, { simulator: { ...simulator, ...bank } }) }
  }
  /** Runs the job for this business only, with a bank that gives these responses. */
  const run = (answers: Parameters<typeof depsWith>[0]) =>
    orderJob(depsWith(answers), kind).run(db, clock.now(), shop.businessId)
  const notice = async (answers: Parameters<typeof depsWith>[0], sent = reference) => {
    const tenant = { businessId: shop.businessId, live: false }
    await notificationHandler(depsWith(answers), { transfer: kind })(
      { tenant, reference: sent },
      clock.now(),
    )
  }
  const status = async () => (await shop.transfer(reference)).status
  const order = () => db.one<Record<string, unknown> & { next_at: Date | null }>`
    select tries, last_outcome, state, provider_id, provider_session, sent_at, next_at, ended_at
    from provider_orders where reference = ${reference}`
  const waitMs = async () => (await order()).next_at!.getTime() - clock.now().getTime()
  return { ...shop, reference, calls, logged, run, notice, status, order, waitMs }
}

describe('an order that is sent for the first time', () => {
  test.each([
    ['ends immediately', done('Successful'), 'Successful', 'Successful'],
    ['is refused', refused('unknown_account'), 'Rejected', 'Rejected'],
    ['is refused as unknown', refused('unknown_order'), 'Rejected', 'Rejected'],
    ['is in progress', done('Pending'), 'Pending', 'Pending'],
    ['gets no response', unknown, 'Pending', null],
    ['cannot be accepted now', notNow(), 'Pending', null],
  ])('%s, without a lookup', async (_, answer, expected, state) => {
    const { run, calls, status, order } = await shopWithTransfer()
    expect(await run({ send: answer })).toBe(1)
    expect([calls, await status()]).toEqual([['send R'], expected])
    const isOver = expected !== 'Pending'
    expect(await order()).toMatchObject({
      tries: 1,
      last_outcome: answer.kind,
      state,
      sent_at: expect.any(Date),
      next_at: isOver ? null : expect.any(Date),
      ended_at: isOver ? expect.any(Date) : null,
    })
    expect(await run({})).toBe(0)
  })
})

describe('an order that may have been sent', () => {
  test.each([
    ['has ended', done('Successful'), 'Successful'],
    ['is in progress', done('Pending'), 'Pending'],
    ['gets no response', unknown, 'Pending'],
    ['cannot be looked up', refused('bad_request'), 'Pending'],
    ['can only be looked up later', notNow(), 'Pending'],
  ])('%s: it is not sent again', async (_, answer, expected) => {
    const { run, calls, status } = await shopWithTransfer()
    await run({ send: unknown })
    clock.advance(61_000)
    expect(await run({ 'look up': answer, send: done('Successful') })).toBe(1)
    expect([calls, await status()]).toEqual([['send R', 'look up R'], expected])
  })

  test.each([
    [done('Successful'), 'Successful'],
    [refused('unknown_account'), 'Rejected'],
    [unknown, 'Pending'],
    [notNow(), 'Pending'],
  ])('but never arrived is sent again with the same reference: %j', async (answer, expected) => {
    const { run, calls, status } = await shopWithTransfer()
    await run({ send: unknown })
    clock.advance(61_000)
    await run({ 'look up': refused('unknown_order'), send: answer })
    expect([calls, await status()]).toEqual([['send R', 'look up R', 'send R'], expected])
  })

  test('is not sent again if the look-up throws; the job logs it and continues', async () => {
    const { run, calls, logged, status, reference, send, businessId } = await shopWithTransfer()
    await run({ send: unknown })
    await send()
    clock.advance(61_000)
    expect(await run({ send: done('Pending') })).toBe(2)
    expect(calls.filter((call) => call.endsWith(' R'))).toEqual(['send R', 'look up R'])
    expect(calls).toHaveLength(3)
    expect(await status()).toBe('Pending')
    const fields = { job: 'transfer-orders', businessId, live: false, reference }
    expect(logged).toEqual([{ ...fields, err: expect.any(Error) }])
  })
})

describe('an order that the provider cannot accept now', () => {
  test('is sent later with the same reference, as often as necessary, without failing', async () => {
    const { run, calls, status, wallet } = await shopWithTransfer()
    await run({ send: notNow() })
    for (let again = 0; again < 3; again++) {
      clock.advance(11 * 60_000)
      await run({ 'look up': refused('unknown_order'), send: notNow() })
    }
    expect(await status()).toBe('Pending')
    expect((await wallet()).held).toBe(1_010)
    clock.advance(11 * 60_000)
    await run({ 'look up': refused('unknown_order'), send: done('Successful') })
    expect(await status()).toBe('Successful')
    expect(new Set(calls)).toEqual(new Set(['send R', 'look up R']))
  })

  test('waits as long as the provider asks, else as after a missing response', async () => {
    const { run, waitMs } = await shopWithTransfer()
    await run({ send: notNow(5_000) })
    expect(await waitMs()).toBeGreaterThan(0)
    expect(await waitMs()).toBeLessThanOrEqual(5_000)
    clock.advance(6_000)
    await run({ 'look up': refused('unknown_order'), send: notNow() })
    expect(await waitMs()).toBeGreaterThan(50_000)
  })
})

describe('a notification', () => {
  test('about an order that was not sent causes no look-up', async () => {
    const { notice, calls } = await shopWithTransfer()
    await notice({ 'look up': done('Successful') })
    expect(calls).toEqual([])
  })

  test('about an unknown order, or one of another business, causes no look-up', async () => {
    const { run, notice, calls } = await shopWithTransfer()
    const other = await shopWithTransfer()
    await run({ send: unknown })
    await notice({ 'look up': done('Successful') }, 'TRF_nobody')
    await other.notice({ 'look up': done('Successful') }, 'R')
    expect([calls, other.calls]).toEqual([['send R'], []])
  })

  test('is not trusted, but makes the server look up the order', async () => {
    const { run, notice, calls, status, order } = await shopWithTransfer()
    await run({ send: unknown })
    await notice({ 'look up': done('Pending') })
    expect(await status()).toBe('Pending')
    await notice({ 'look up': done('Successful', { id: '12345678901234567890', session: 'S' }) })
    expect([calls, await status()]).toEqual([['send R', 'look up R', 'look up R'], 'Successful'])
    expect(await order()).toMatchObject({
      provider_id: '12345678901234567890',
      provider_session: 'S',
    })
  })

  test('never sends an order', async () => {
    const { run, notice, calls } = await shopWithTransfer()
    await run({ send: unknown })
    await notice({ 'look up': refused('unknown_order'), send: done('Successful') })
    expect(calls).toEqual(['send R', 'look up R'])
  })
})

test('an order stays with its provider, whichever provider gets new ones', async () => {
  const { run, calls, reference, logged, status } = await shopWithTransfer()
  await run({ send: unknown })
  await db.run`update provider_orders set connection_id = 2 where reference = ${reference}`
  clock.advance(61_000)
  await run({ 'look up': done('Successful'), send: done('Successful') })
  expect([calls, await status()]).toEqual([['send R'], 'Pending'])
  expect(logged).toMatchObject([{ err: { message: 'No provider has the connection 2' } }])
})

test('two processes never send the same order, however often both look for work', async () => {
  const { run, calls } = await shopWithTransfer()
  const both = () => run({ send: done('Pending'), 'look up': done('Pending') })
  const claimed = await Promise.all(Array.from({ length: 10 }, both))
  expect(claimed.reduce((sum, n) => sum + n)).toBe(1)
  expect(calls).toEqual(['send R'])
})
