import { describe, expect, test } from 'vitest'
import type { Outcome } from '../connector/types.ts'
import { openBreaker } from './breaker.ts'
import { openLimits, slotsOf } from './limits.ts'

const PLENTY = { perSecond: 1_000, ordersPerSecond: 1_000, atOnce: 4 }
const JOB = { isOrder: false, isAwaited: false }
const PAYER = { isOrder: false, isAwaited: true }
const ORDER = { isOrder: true, isAwaited: false }
const LONG_MS = 60_000

describe('the limits of a connection', () => {
  test('leave a quarter of the slots to calls that a person is waiting for', async () => {
    const limits = openLimits()
    const take = (wanted: typeof JOB, withinMs = LONG_MS) =>
      limits.take(1, PLENTY, wanted, withinMs)
    const releases = [await take(JOB), await take(JOB), await take(JOB)]
    expect(await take(JOB, 5)).toBeUndefined()
    const payer = await take(PAYER)
    expect(payer).toBeInstanceOf(Function)
    expect(await take(PAYER, 5)).toBeUndefined()
    const waiting = take(JOB)
    releases[0]!()
    // A second call has no effect.
    releases[0]!()
    payer!()
    expect(await waiting).toBeInstanceOf(Function)
    expect(await take(JOB, 5)).toBeUndefined()
    // Another connection has its own.
    expect(await limits.take(2, PLENTY, JOB, 5)).toBeInstanceOf(Function)
  })

  test.each([
    [8, 6],
    [4, 3],
    [1, 1],
  ])('of %d calls at once give jobs %d', (atOnce, slots) => {
    expect(slotsOf({ atOnce })).toBe(slots)
  })

  test('of orders do not hold up lookups', async () => {
    let nowMs = 0
    const limits = openLimits(() => nowMs)
    const allowed = { perSecond: 1_000, ordersPerSecond: 2, atOnce: 100 }
    const take = (wanted: typeof JOB, withinMs: number) => limits.take(1, allowed, wanted, withinMs)
    expect(await take(ORDER, LONG_MS)).toBeInstanceOf(Function)
    expect(await take(ORDER, 5)).toBeUndefined()
    expect(await take(JOB, LONG_MS)).toBeInstanceOf(Function)
    nowMs = 500
    expect(await take(ORDER, LONG_MS)).toBeInstanceOf(Function)
    expect(await take(ORDER, 5)).toBeUndefined()
  })

  test.each([1, 2, 4, 10, 25])('of %d calls a second are kept in every second', async (limit) => {
    let nowMs = 0
    const limits = openLimits(() => nowMs)
    const allowed = { perSecond: limit, ordersPerSecond: limit, atOnce: 1_000 }
    const startedAt: number[] = []
    for (; nowMs < 3_000; nowMs += 20) {
      // Whatever has to wait gives up at once.
      while (await limits.take(1, allowed, ORDER, 0)) startedAt.push(nowMs)
    }
    const inSecondFrom = (from: number) =>
      startedAt.filter((at) => at >= from && at < from + 1_000).length
    const seconds = startedAt.map(inSecondFrom)
    expect(Math.max(...seconds)).toBe(limit)
    expect(startedAt.length).toBeGreaterThan(2 * limit)
  })

  test('start nothing while the provider has asked to wait', async () => {
    let nowMs = 0
    const limits = openLimits(() => nowMs)
    limits.pause(1, PLENTY, 30_000)
    expect(await limits.take(1, PLENTY, PAYER, 5)).toBeUndefined()
    expect(await limits.take(2, PLENTY, PAYER, 5)).toBeInstanceOf(Function)
    nowMs = 30_000
    expect(await limits.take(1, PLENTY, PAYER, LONG_MS)).toBeInstanceOf(Function)
  })
})

describe('a connection', () => {
  const down: Outcome<never> = { kind: 'unknown', reason: 'timed_out' }
  const done: Outcome<unknown> = { kind: 'done', value: { status: 'Pending' } }
  const notNow = (code: string) => ({ kind: 'notNow', code, message: '' }) as Outcome<never>

  function breakerAt() {
    let nowMs = 1_000
    const breaker = openBreaker(() => nowMs)
    return {
      pass(ms: number) {
        nowMs += ms
      },
      call(outcome: Outcome<unknown>) {
        breaker.begin(1, 'PAYOUTS')
        return breaker.end(1, 'PAYOUTS', outcome)
      },
      isOpen: () => breaker.isOpen(1, 'PAYOUTS'),
      breaker,
    }
  }

  test('is suspended after five failures in a row, for one service', () => {
    const { call, isOpen, breaker } = breakerAt()
    for (let i = 0; i < 4; i++) expect(call(down)).toBeUndefined()
    call(done)
    for (let i = 0; i < 4; i++) expect(call(notNow('not_reached'))).toBeUndefined()
    expect(isOpen()).toBe(false)
    expect(call(notNow('provider_down'))).toBe('provider_down')
    expect([isOpen(), breaker.isOpen(1, 'USSD'), breaker.isOpen(2, 'PAYOUTS')]).toEqual([
      ...[true, false, false],
    ])
    expect(breaker.open()).toEqual([{ connectionId: 1, service: 'PAYOUTS', why: 'provider_down' }])
    breaker.reset(1)
    expect(isOpen()).toBe(false)
  })

  test('is not suspended by failures that are far apart, or that say nothing about it', () => {
    const { call, isOpen, pass } = breakerAt()
    for (let i = 0; i < 10; i++) {
      call(down)
      pass(10_000)
    }
    for (let i = 0; i < 10; i++) {
      call(notNow('rate_limited'))
      call({ kind: 'unknown', reason: 'duplicate' })
      call({ kind: 'refused', code: 'declined', message: '' })
    }
    expect(isOpen()).toBe(false)
  })

  test('is tried again with one call, and works again after its success', () => {
    const { call, isOpen, pass, breaker } = breakerAt()
    for (let i = 0; i < 5; i++) call(down)
    pass(29_999)
    expect(isOpen()).toBe(true)
    pass(1)
    expect(isOpen()).toBe(false)
    breaker.begin(1, 'PAYOUTS')
    expect(isOpen()).toBe(true)
    breaker.end(1, 'PAYOUTS', down)
    expect(isOpen()).toBe(true)
    pass(30_000)
    expect(isOpen()).toBe(false)
    call(done)
    call(down)
    expect(isOpen()).toBe(false)
  })

  test.each([
    notNow('credentials_refused'),
    notNow('address_not_allowed'),
    notNow('feature_off'),
    notNow('insufficient_provider_balance'),
    { kind: 'done', value: { status: 'Failed', notNow: 'insufficient_provider_balance' } } as const,
  ])('is suspended for longer if someone has to do something: %j', (outcome) => {
    const { call, isOpen, pass } = breakerAt()
    expect(call(outcome)).toBeDefined()
    pass(4 * 60_000)
    expect(isOpen()).toBe(true)
    pass(60_000)
    expect(isOpen()).toBe(false)
  })
})
