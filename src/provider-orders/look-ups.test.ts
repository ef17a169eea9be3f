import { afterAll, describe, expect, test } from 'vitest'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import type { Outcome, PayoutState } from '../providers/connector/types.ts'
import {
  done,
  FINAL,
  isPending,
  LATE,
  MINUTE,
  NEVER,
  notFound,
  notNow,
  openOneBank,
  PROVEN,
  refused,
  UNPROVEN,
  UNSAFE,
  unknown,
} from './one-bank.fixture.ts'

const { server, shopWithTransfer } = await openOneBank()
const { db, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

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
    const expected = [5, 30, 60, 98, 197, 395, 600, 600]
    // The clock moves on by itself as well, and later waits depend on the time since the sending.
    const isNear = (wait: number, i: number) =>
      Math.abs(wait - expected[i]!) <= Math.max(4, expected[i]! / 20)
    expect(waits.map((wait, i) => (isNear(wait, i) ? expected[i] : wait))).toEqual(expected)
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

test('an order in a state that we do not know needs a person after a day', async () => {
  const { run, order, status } = await shopWithTransfer()
  const answer = done('Pending', { unknownWord: 'awaiting-moonrise' })
  await run({ send: answer })
  const last_message = 'The provider calls its state "awaiting-moonrise".'
  expect(await order()).toMatchObject({ state: 'Pending', attention: null, last_message })
  await run({ 'look up': answer }, 24 * 60 * MINUTE - MINUTE)
  expect(await order()).toMatchObject({ attention: null, last_message })
  await run({ 'look up': answer }, 10 * MINUTE)
  expect(await order()).toMatchObject({ attention: 'unknown', last_message })
  await run({ 'look up': done('Successful') }, 10 * MINUTE)
  expect([await status(), (await order()).attention]).toEqual(['Successful', null])
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
