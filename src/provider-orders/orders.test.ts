import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { transferOrders } from '../money/transfers/jobs.ts'
import { openShop } from '../money/transfers/transfers.fixture.ts'
import { sentReferenceOf } from '../providers/connector/references.ts'
import type {
  Absence,
  NotNowCode,
  Outcome,
  PayoutState,
  Provider,
  RefusalCode,
  UnknownReason,
} from '../providers/connector/types.ts'
import { connect } from '../providers/providers.fixture.ts'
import { openProviders } from '../providers/providers.ts'
import { openSimulator } from '../providers/simulator/simulator.ts'
import { notificationHandler, orderJob } from './orders.ts'

/* Tests the protocol with transfers; all kinds of order go through the same code. */

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const simulator = openSimulator({ db, clock, simulatorDelayMs: 20, nudge: () => {} })

const MINUTE = 60_000

const done = (
  status: PayoutState['status'],
  { refs, ...more }: Partial<PayoutState> & { refs?: object } = {},
): Outcome<PayoutState> => ({
  kind: 'done',
  value: { status, message: status, ...more },
  ...(refs && { refs }),
})
const refused = (code: RefusalCode): Outcome<PayoutState> => ({
  kind: 'refused',
  code,
  message: code,
})
const notNow = (code: NotNowCode, retryAfterMs?: number): Outcome<PayoutState> => ({
  kind: 'notNow',
  code,
  message: 'Too many',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
const unknown = (reason: UnknownReason = 'timed_out'): Outcome<PayoutState> => ({
  kind: 'unknown',
  reason,
})
const notFound = refused('unknown_order')

/** Like Paystack: the order may appear for ten minutes, but a second one is refused. */
const LATE: Absence = { provenAfterMs: 10 * MINUTE, repeatIsSafe: true }
/** Like Flutterwave. */
const NEVER: Absence = { provenAfterMs: null, repeatIsSafe: false }
const UNSAFE: Absence = { provenAfterMs: 10 * MINUTE, repeatIsSafe: false }

type Answers = Partial<Record<'send' | 'look up', Outcome<PayoutState>>>

/** Opens a shop with one transfer, and a bank that replaces the simulator. */
async function shopWithTransfer(absence?: Absence) {
  const shop = await openShop(server)
  const reference = await shop.send()
  const sent = sentReferenceOf(reference, 1)
  const calls: string[] = []
  /** The state before each lookup, as the connector receives it. */
  const known: unknown[] = []
  const logged: object[] = []
  const note = (fields: object) => void logged.push(fields)
  const log = { info: note, warn: note, error: note }
  const kind = transferOrders(server)
  let ranAt = clock.now()
  const depsWith = (answers: Answers) => {
    const answer = (call: 'send' | 'look up', to: string) => {
      calls.push(`${call} ${to.replace(sent, 'R')}`)
      const outcome = answers[call]
      if (!outcome) throw new Error('The line is down')
      return Promise.resolve(outcome)
    }
    const bank: Partial<Provider> = {
      payOut: (_, order) => answer('send', order.reference),
      lookUpPayout: (_, order) => {
        known.push(order.state)
        return answer('look up', order.reference)
      },
      ...(absence && { absence: { ...simulator.absence, payout: absence } }),
    }
    return { db, ids, log, providers: openProviders(db, { simulator: { ...simulator, ...bank } }) }
  }
  /** Runs the job for this business only, with a bank that gives these responses. */
  const run = (answers: Answers, afterMs = 0) => {
    clock.advance(afterMs)
    ranAt = clock.now()
    return orderJob(depsWith(answers), kind).run(db, ranAt, shop.businessId)
  }
  const notice = async (answers: Answers, about = sent) => {
    const tenant = { businessId: shop.businessId, live: false }
    await notificationHandler(depsWith(answers), { transfer: kind })(
      { tenant, reference: about },
      clock.now(),
    )
  }
  const status = async () => (await shop.transfer(reference)).status
  const order = () => db.one<Record<string, unknown> & { next_at: Date | null }>`
    select tries, last_outcome, last_code, state, provider_id, provider_session, sent_at, next_at,
      ended_at, attention, fee_minor, not_now_count
    from provider_orders where reference = ${reference}`
  /** How long after the last run the order is due again, in whole seconds. */
  const waitMs = async () =>
    Math.round(((await order()).next_at!.getTime() - ranAt.getTime()) / 1_000) * 1_000
  const differences = () => db.many<Record<string, unknown>>`
    select field, ours_minor, theirs_minor, evidence from provider_differences
    where business_id = ${shop.businessId}`
  const seen = { calls, known, logged, status, order, waitMs, differences }
  return { ...shop, ...seen, reference, run, notice }
}

const FINAL = [
  'unknown_account',
  'unknown_bank',
  'unknown_customer',
  'unknown_package',
  'declined',
  'amount_out_of_range',
  'not_refundable',
] as const
const UNCLEAR = ['bad_request', 'unknown_order', 'unsupported'] as const
const PROVEN = [
  'not_reached',
  'insufficient_provider_balance',
  'feature_off',
  'limit_reached',
  'address_not_allowed',
] as const
const UNPROVEN = ['rate_limited', 'credentials_refused', 'provider_down'] as const

const isPending = (answer: Outcome<PayoutState>): [Outcome<PayoutState>, string] => [
  answer,
  'Pending',
]

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

describe('the look-up of an order that may have been sent', () => {
  test.each<[Outcome<PayoutState>, string]>([
    [done('Successful'), 'Successful'],
    [done('Failed'), 'Failed'],
    [done('Pending'), 'Pending'],
    [unknown(), 'Pending'],
    [unknown('server_error'), 'Pending'],
    ...[...FINAL, 'bad_request' as const].map((code) => isPending(refused(code))),
    ...[...PROVEN, ...UNPROVEN].map((code) => isPending(notNow(code))),
  ])('%j does not send it again', async (answer, expected) => {
    const { run, calls, status, order } = await shopWithTransfer()
    await run({ send: unknown() })
    expect(await run({ 'look up': answer, send: done('Successful') }, MINUTE)).toBe(1)
    expect([calls, await status()]).toEqual([['send R', 'look up R'], expected])
    expect(await order()).toMatchObject({ sent_at: expect.any(Date) })
  })

  test('follows after 5 s, 30 s and a minute, and then less and less often', async () => {
    const { run, waitMs } = await shopWithTransfer()
    const waits: number[] = []
    await run({ send: unknown() })
    for (const _ of [1, 2, 3, 4, 5, 6, 7, 8]) {
      waits.push((await waitMs()) / 1_000)
      await run({ 'look up': unknown() }, (await waitMs()) + 1_000)
    }
    expect(waits).toEqual([5, 30, 60, 98, 197, 395, 600, 600])
  })

  test('needs a person if the outcome is still unknown after 15 minutes', async () => {
    const { run, order, status } = await shopWithTransfer()
    await run({ send: unknown() })
    await run({ 'look up': unknown() }, 14 * MINUTE)
    expect(await order()).toMatchObject({ attention: null })
    await run({ 'look up': refused('bad_request') }, 14 * MINUTE)
    expect(await order()).toMatchObject({ attention: 'unknown' })
    await run({ 'look up': done('Pending') }, 30 * MINUTE)
    expect([await status(), (await order()).attention]).toEqual(['Pending', null])
  })

  test('that throws is logged, and the job continues', async () => {
    const { run, calls, logged, status, reference, send, businessId } = await shopWithTransfer()
    await run({ send: unknown() })
    await send()
    expect(await run({ send: done('Pending') }, MINUTE)).toBe(2)
    expect(calls.filter((call) => call.endsWith(' R'))).toEqual(['send R', 'look up R'])
    expect(calls).toHaveLength(3)
    expect(await status()).toBe('Pending')
    const fields = { job: 'transfer-orders', businessId, live: false, reference }
    expect(logged).toEqual([{ ...fields, err: expect.any(Error) }])
  })
})

describe('an order that the provider does not know', () => {
  test('is sent again at once, if that proves that it never arrived', async () => {
    const { run, calls, status } = await shopWithTransfer()
    await run({ send: unknown() })
    await run({ 'look up': notFound, send: done('Successful') }, MINUTE)
    expect([calls, await status()]).toEqual([['send R', 'look up R', 'send R'], 'Successful'])
  })

  test('is sent again after two look-ups, counted from the last sending', async () => {
    const { run, calls, waitMs, status } = await shopWithTransfer(LATE)
    await run({ send: unknown() })
    await run({ 'look up': notFound }, MINUTE)
    expect(await waitMs()).toBe(9 * MINUTE)
    // Not before, even if somebody asks.
    expect(await run({}, 8 * MINUTE)).toBe(0)
    await run({ 'look up': notFound, send: unknown() }, MINUTE)
    expect(calls).toEqual(['send R', 'look up R', 'look up R', 'send R'])
    await run({ 'look up': notFound }, MINUTE)
    expect(await waitMs()).toBe(9 * MINUTE)
    await run({ 'look up': notFound, send: done('Successful') }, 9 * MINUTE)
    expect([calls.slice(4), await status()]).toEqual([
      ['look up R', 'look up R', 'send R'],
      'Successful',
    ])
  })

  test('is not sent again if the two look-ups are less than a minute apart', async () => {
    const { run, calls, waitMs, notice } = await shopWithTransfer(LATE)
    await run({ send: unknown() })
    await run({ 'look up': notFound, send: done('Pending') }, 15 * MINUTE)
    expect([calls, await waitMs()]).toEqual([['send R', 'look up R'], MINUTE])
    clock.advance(30_000)
    await notice({ 'look up': notFound })
    expect(await waitMs()).toBe(MINUTE)
    await run({ 'look up': notFound, send: done('Pending') }, 30_000)
    expect(calls.at(-1)).toBe('send R')
  })

  test('is not sent again if another response came between the two look-ups', async () => {
    const { run, calls, waitMs } = await shopWithTransfer(LATE)
    await run({ send: unknown() })
    await run({ 'look up': notFound }, 15 * MINUTE)
    await run({ 'look up': unknown() }, MINUTE)
    await run({ 'look up': notFound }, await waitMs())
    expect(calls).not.toContain('send R again')
    expect(calls.filter((call) => call === 'send R')).toHaveLength(1)
  })

  test('waits for a person if the provider would not refuse a second order', async () => {
    const { run, calls, order } = await shopWithTransfer(UNSAFE)
    await run({ send: unknown() })
    await run({ 'look up': notFound }, MINUTE)
    expect(await order()).toMatchObject({ attention: null })
    await run({ 'look up': notFound }, 9 * MINUTE)
    expect(await order()).toMatchObject({ attention: 'not_found', last_code: 'not_found_yet' })
    for (const _ of [1, 2, 3]) await run({ 'look up': notFound }, 60 * MINUTE)
    expect(calls.filter((call) => call === 'send R')).toHaveLength(1)
  })

  test('waits for a person after an hour if that never proves anything', async () => {
    const { run, calls, order, status } = await shopWithTransfer(NEVER)
    await run({ send: unknown() })
    for (const minutes of [1, 10, 10, 10, 10, 10]) {
      await run({ 'look up': notFound }, minutes * MINUTE)
    }
    expect((await order()).attention).toBe('unknown')
    await run({ 'look up': notFound }, 10 * MINUTE)
    expect(await order()).toMatchObject({ attention: 'not_found' })
    expect(calls.filter((call) => call === 'send R')).toHaveLength(1)
    // The look-ups go on, and a later response settles it.
    await run({ 'look up': done('Successful') }, 10 * MINUTE)
    expect([await status(), (await order()).attention]).toEqual(['Successful', null])
  })

  test.each([
    [refused('unknown_account'), 'Rejected'],
    [unknown(), 'Pending'],
    [notNow('not_reached'), 'Pending'],
    [notNow('rate_limited'), 'Pending'],
  ])('keeps the time of its first sending after %j to the second', async (answer, expected) => {
    const { run, order, status } = await shopWithTransfer()
    await run({ send: unknown() })
    const { sent_at } = await order()
    await run({ 'look up': notFound, send: answer }, MINUTE)
    expect([await status(), (await order()).sent_at]).toEqual([expected, sent_at])
  })
})

describe('a report that differs from the order', () => {
  test.each([
    ['amount', { amount_minor: 99_900n }, { ours_minor: 100_000n, theirs_minor: 99_900n }],
    ['currency', { currency: 'USD' }, { ours_minor: null, theirs_minor: null }],
  ])('is not applied: another %s', async (field, more, figures) => {
    const { run, order, status, differences, wallet } = await shopWithTransfer()
    await run({ send: done('Successful', more) })
    expect([await status(), (await wallet()).held]).toEqual(['Pending', 1_010])
    expect(await order()).toMatchObject({ attention: 'different', state: null, ended_at: null })
    expect(await differences()).toMatchObject([{ field, ...figures }])
    // Seen again, it is the same difference.
    await run({ 'look up': done('Successful', more) }, MINUTE)
    expect(await differences()).toHaveLength(1)
    await run({ 'look up': done('Successful', { amount_minor: 100_000n }) }, 10 * MINUTE)
    expect([await status(), (await order()).attention]).toEqual(['Successful', null])
  })

  test('is not sent again, even if the provider then does not know the order', async () => {
    const { run, calls, order } = await shopWithTransfer()
    await run({ send: done('Pending', { amount_minor: 1n }) })
    await run({ 'look up': notFound, send: done('Pending') }, MINUTE)
    await run({ 'look up': unknown() }, 20 * MINUTE)
    await run({ 'look up': notFound, send: done('Pending') }, 20 * MINUTE)
    expect(calls).toEqual(['send R', ...Array(3).fill('look up R')])
    expect(await order()).toMatchObject({ attention: 'different' })
  })

  test('is applied if it agrees, with the fee that the provider kept', async () => {
    const { run, order, differences } = await shopWithTransfer()
    const money = { amount_minor: 100_000n, currency: 'NGN', fee_minor: 10_75n }
    await run({ send: done('Successful', money) })
    expect(await order()).toMatchObject({ state: 'Successful', fee_minor: 10_75n })
    expect(await differences()).toEqual([])
  })

  test.each([
    ['Successful', 'Failed'],
    ['Failed', 'Successful'],
    ['Rejected', 'Successful'],
  ] as const)('is a contradiction after the end: %s, then %s', async (first, then) => {
    const { run, notice, status, order, differences } = await shopWithTransfer()
    await run({ send: done(first) })
    for (const _ of [1, 2]) await notice({ 'look up': done(then) })
    expect(await status()).toBe(first)
    expect(await order()).toMatchObject({ attention: 'contradiction', next_at: null })
    expect(await differences()).toMatchObject([{ field: 'status' }])
  })
})

test('a blocked order needs a person if the provider says what to do', async () => {
  const { run, order } = await shopWithTransfer()
  await run({ send: done('Blocked') })
  expect(await order()).toMatchObject({ state: 'Blocked', attention: null })
  await run({ 'look up': done('Blocked', { action: 'Enter the code' }) }, 10 * MINUTE)
  expect(await order()).toMatchObject({ attention: 'blocked' })
  await run({ 'look up': done('Successful') }, 10 * MINUTE)
  expect(await order()).toMatchObject({ state: 'Successful', attention: null })
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
    await run({ send: unknown() })
    await notice({ 'look up': done('Successful') }, 'trf-nobody')
    await other.notice({ 'look up': done('Successful') }, 'R')
    expect([calls, other.calls]).toEqual([['send R'], []])
  })

  test('is not trusted, but makes the server look up the order', async () => {
    const { run, notice, calls, status, order } = await shopWithTransfer()
    await run({ send: unknown() })
    await notice({ 'look up': done('Pending') })
    expect(await status()).toBe('Pending')
    await notice({
      'look up': done('Successful', { refs: { id: '12345678901234567890', session: 'S' } }),
    })
    expect([calls, await status()]).toEqual([['send R', 'look up R', 'look up R'], 'Successful'])
    expect(await order()).toMatchObject({
      provider_id: '12345678901234567890',
      provider_session: 'S',
    })
  })

  test('of a paid order tells the connector that it was paid', async () => {
    const shop = await shopWithTransfer()
    await shop.run({ send: done('Pending') })
    await shop.run({ 'look up': done('Successful') }, 2 * MINUTE)
    await shop.notice({ 'look up': done('Returned') })
    expect(shop.known).toEqual(['Pending', 'Successful'])
    expect(await shop.status()).toBe('Failed')
  })

  test('never sends an order', async () => {
    const { run, notice, calls } = await shopWithTransfer()
    await run({ send: unknown() })
    await notice({ 'look up': notFound, send: done('Successful') })
    expect(calls).toEqual(['send R', 'look up R'])
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
