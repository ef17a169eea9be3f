import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { PayoutOrder } from '../connector/http-connector.ts'
import type { Outcome, ProviderRefs } from '../connector/types.ts'
import { flutterwave } from './connector.ts'
import { GTBANK, openFlutterwave, payoutOrder } from './flutterwave.fixture.ts'

const { double, call, sentOf, executed } = await openFlutterwave()
const { bank, owner } = double.provider
const { payOut, payOutMany, lookUpPayout } = flutterwave.payouts!
owner.topUp(2_000_000_000_000n)

const pay = (order = payoutOrder(), by = call()) => payOut(by, order)
const lookUp = (order: PayoutOrder, refs: ProviderRefs = {}, by = call()) =>
  lookUpPayout(by, sentOf(order, refs))
const refsOf = (outcome: Outcome<unknown>) => (outcome as { refs: ProviderRefs }).refs

describe('a payout', () => {
  test('is sent and paid, with a fee of whole kobo', async () => {
    const order = payoutOrder(1_000_000n)
    const outcome = await pay(order)
    expect(outcome).toEqual({
      kind: 'done',
      value: {
        ...{ status: 'Pending', message: 'Flutterwave is sending the transfer.' },
        ...{ amount_minor: 1_000_000n, currency: 'NGN', fee_minor: null },
      },
      refs: { id: expect.stringMatching(/^\d+$/) },
    })
    bank.settle(order.reference, 'SUCCESSFUL')
    for (const refs of [{}, refsOf(outcome)]) {
      expect(await lookUp(order, refs)).toMatchObject({
        // 26.875
        value: { status: 'Successful', fee_minor: 2_688n },
        refs: refsOf(outcome),
      })
    }
    expect(executed(order)).toBe(1)
  })

  test.each([
    ['NEW', 'Pending'],
    ['PENDING', 'Pending'],
    ['SUCCESSFUL', 'Successful'],
    ['FAILED', 'Failed'],
  ] as const)('that is %s at Flutterwave is %s', async (word, status) => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, word)
    expect(valueIn(await lookUp(order)).status).toBe(status)
  })

  test('that fails after it was paid was returned', async () => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, 'FAILED')
    const before = { ...sentOf(order), state: 'Pending' }
    expect(valueIn(await lookUpPayout(call(), before)).status).toBe('Failed')
    for (const state of ['Successful', 'Returned']) {
      const after = await lookUpPayout(call(), { ...sentOf(order), state })
      expect(valueIn(after)).toMatchObject({ status: 'Returned', fee_minor: null })
    }
    bank.settle(order.reference, 'SUCCESSFUL')
    const state = 'Returned'
    expect(valueIn(await lookUpPayout(call(), { ...sentOf(order), state })).status).toBe(
      'Successful',
    )
  })

  test('for which there is too little money fails, and says why', async () => {
    const poor = payoutOrder(9_000_000_000_000n)
    const outcome = await pay(poor)
    expect(valueIn(outcome)).toMatchObject({ status: 'Pending' })
    expect(valueIn(await lookUp(poor))).toMatchObject({
      ...{ status: 'Failed', notNow: 'insufficient_provider_balance' },
      message: expect.stringContaining('Insufficient funds'),
    })
    // Its reference is used up.
    expect(shown(await pay(poor))).toBe('unknown duplicate')
    expect(executed(poor)).toBe(0)
    const next = { ...poor, amount_minor: 500_000n, reference: `${poor.reference}-2` }
    expect(valueIn(await pay(next)).status).toBe('Pending')
    expect(executed(next)).toBe(1)
  })

  test('that fails for another reason says nothing about money', async () => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, 'FAILED', 'DISBURSE FAILED: Account is dormant')
    const failed = valueIn(await lookUp(order))
    expect(failed).toMatchObject({
      ...{ status: 'Failed', message: 'DISBURSE FAILED: Account is dormant', fee_minor: null },
    })
    expect(failed).not.toHaveProperty('notNow')
  })

  test('that waits for approval is Blocked, and says what to do', async () => {
    owner.set({ needsApproval: true })
    const orders = [payoutOrder(), payoutOrder()]
    for (const order of orders) {
      expect(valueIn(await pay(order))).toMatchObject({
        ...{ status: 'Blocked', action: expect.stringContaining('Approve') },
      })
      expect(executed(order)).toBe(0)
      expect(valueIn(await lookUp(order)).status).toBe('Blocked')
    }
    owner.set({ needsApproval: false })
    bank.approve(orders[0]!.reference)
    bank.approve(orders[1]!.reference, false)
    expect(valueIn(await lookUp(orders[0]!)).status).toBe('Pending')
    expect(valueIn(await lookUp(orders[1]!)).status).toBe('Failed')
    expect(orders.map(executed)).toEqual([1, 0])
  })

  test('with a word that we do not know ends nothing', async () => {
    const order = payoutOrder()
    double.fault({ on: 'POST /transfers', kind: 'unknown_status' })
    expect(valueIn(await pay(order)).status).toBe('Pending')
    double.fault({ on: 'GET /transfers/*', kind: 'unknown_status' })
    const { id } = refsOf(await lookUp(order))
    expect(valueIn(await lookUp(order, { id: id! })).status).toBe('Pending')
  })

  test('reports the amount and the currency of Flutterwave', async () => {
    const order = payoutOrder()
    const refs = refsOf(await pay(order))
    double.fault({ on: '*', kind: 'wrong_amount', times: 1 })
    expect(valueIn(await lookUp(order, refs)).amount_minor).not.toBe(500_000n)
    double.fault({ on: '*', kind: 'other_currency', times: 1 })
    expect(valueIn(await lookUp(order, refs)).currency).toBe('USD')
  })

  test.each([1n, 29n, 57n, 123_456_789n, 1_000_000_000_000n])(
    'is sent with exactly %i kobo',
    async (minor) => {
      const order = payoutOrder(minor)
      expect(valueIn(await pay(order)).amount_minor).toBe(minor)
      const { entries } = double.books
      const entry = entries.find(
        (one) => one.reference === order.reference && one.kind === 'payout',
      )
      expect(entry!.amount_minor).toBe(-minor)
    },
  )
})

describe('a payout that Flutterwave refuses', () => {
  test('with a used reference may be there', async () => {
    const order = payoutOrder()
    await pay(order)
    expect(shown(await pay(order))).toBe('unknown duplicate')
    expect(executed(order)).toBe(1)
  })

  test('for an account that does not exist is refused', async () => {
    const to = { bank: GTBANK, accountNumber: '9999000000', accountName: null }
    expect(shown(await pay(payoutOrder(5_000n, { to })))).toBe('refused unknown_account')
  })

  test('for the key or the address waits', async () => {
    expect(shown(await pay(payoutOrder(), call({ key: 'FLWSECK-other-X' })))).toBe(
      'notNow credentials_refused',
    )
    owner.allowAddress('')
    expect(shown(await pay())).toBe('notNow address_not_allowed')
    // This refusal does not say that it is about the address.
    owner.allowAddress('10.0.0.1')
    expect(shown(await pay())).toBe('refused bad_request')
    owner.allowAddress(null)
  })
})

describe('a payout after a fault', () => {
  test.each<[Omit<FaultRule, 'on'>, string, number]>([
    [{ kind: 'reset_after_read' }, 'unknown disconnected', 0],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0],
    [{ kind: 'hang_after_effect' }, 'unknown timed_out', 1],
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
    [{ kind: 'cut_body' }, 'unknown disconnected', 1],
    [{ kind: 'status', status: 500 }, 'unknown server_error', 0],
    [{ kind: 'status_after_effect', status: 502 }, 'unknown server_error', 1],
    [{ kind: 'status_after_effect', status: 429, retryAfter: 7 }, 'notNow rate_limited', 1],
    [{ kind: 'status', status: 404 }, 'refused bad_request', 0],
    [{ kind: 'html' }, 'unknown unreadable', 1],
    [{ kind: 'huge' }, 'unknown unreadable', 1],
    [{ kind: 'redirect' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'status' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.id' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.reference' }, 'unknown unreadable', 1],
  ])('is what can be known: %j', async (rule, expected, times) => {
    const order = payoutOrder()
    double.fault({ ...rule, on: 'POST /transfers', times: 1 })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await pay(order, call({ deadlineMs })))).toBe(expected)
    expect(executed(order)).toBe(times)
    expect(shown(await lookUp(order))).toBe(times === 1 ? 'done' : 'refused unknown_order')
  })

  test('that kept it from being sent was not sent', async () => {
    double.fault({ on: '*', kind: 'refuse' })
    expect(shown(await pay())).toBe('notNow not_reached')
  })

  test('with its retry time', async () => {
    double.fault({ on: 'POST /transfers', kind: 'status', status: 429, retryAfter: 7, times: 1 })
    expect(await pay()).toMatchObject({ kind: 'notNow', retryAfterMs: 7_000 })
  })
})

describe('a lookup of a payout', () => {
  test('that Flutterwave does not have is refused, which proves nothing', async () => {
    expect(shown(await lookUp(payoutOrder()))).toBe('refused unknown_order')
    expect(shown(await lookUp(payoutOrder(), { id: '999999' }))).toBe('refused unknown_order')
    expect(flutterwave.absence.payout).toEqual({ provenAfterMs: null, repeatIsSafe: false })
  })

  test('in a list that is not filtered finds it, or nothing', async () => {
    const order = payoutOrder()
    await pay(order)
    owner.set({ filtersTransfers: false })
    expect(shown(await lookUp(order))).toBe('done')
    expect(shown(await lookUp(payoutOrder()))).toBe('unknown inconclusive')
    owner.set({ filtersTransfers: true })
  })

  test("by the id of another order's transfer does not find it", async () => {
    const refs = refsOf(await pay())
    expect(shown(await lookUp(payoutOrder(), refs))).toBe('unknown inconclusive')
  })

  test.each<[Omit<FaultRule, 'on'>, string, string?]>([
    [{ kind: 'not_found_for' }, 'refused unknown_order'],
    [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'status', status: 401 }, 'notNow credentials_refused'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'status' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.reference' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.amount' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    const order = payoutOrder()
    const refs = refsOf(await pay(order))
    double.fault({ ...rule, on: 'GET /transfers*' })
    const by = () => call({ deadlineMs: rule.kind.startsWith('hang') ? 400 : 10_000 })
    expect(shown(await lookUp(order, {}, by()))).toBe(expected)
    expect(shown(await lookUp(order, refs, by()))).toBe(expected)
  })
})

describe('a batch', () => {
  const someOrders = () => [5_000n, 6_000n, 7_000n].map((minor) => payoutOrder(minor))

  test('has one outcome for each order, and they are looked up', async () => {
    const orders = someOrders()
    const outcomes = valueIn(await payOutMany!(call(), orders))
    expect(outcomes.map(shown)).toEqual(['done', 'done', 'done'])
    expect(outcomes.map((one) => valueIn(one).status)).toEqual(Array(3).fill('Pending'))
    expect(orders.map(executed)).toEqual([1, 1, 1])
    bank.settle(orders[1]!.reference, 'SUCCESSFUL')
    bank.settle(orders[2]!.reference, 'FAILED')
    const found = await Promise.all(orders.map((order) => lookUp(order)))
    expect(found.map((one) => valueIn(one).status)).toEqual(['Pending', 'Successful', 'Failed'])
    expect(found.map((one) => valueIn(one).amount_minor)).toEqual([5_000n, 6_000n, 7_000n])
  })

  test('fails one of its transfers, whose account does not exist', async () => {
    const to = { bank: GTBANK, accountNumber: '9999000000', accountName: null }
    const orders = [payoutOrder(5_000n, { to }), payoutOrder(5_000n)]
    expect(shown(await payOutMany!(call(), orders))).toBe('done')
    expect(orders.map(executed)).toEqual([0, 1])
    expect(valueIn(await lookUp(orders[0]!)).status).toBe('Failed')
  })

  test('with one used reference may be there, all of it', async () => {
    const orders = someOrders()
    await pay(orders[1]!)
    expect(shown(await payOutMany!(call(), orders))).toBe('unknown duplicate')
    expect(orders.map(executed)).toEqual([0, 1, 0])
  })

  test('that is empty or too large is not sent', async () => {
    const { length } = double.calls
    expect(valueIn(await payOutMany!(call(), []))).toEqual([])
    const many = Array.from({ length: 101 }, () => payoutOrder(5_000n))
    expect(shown(await payOutMany!(call(), many))).toBe('refused bad_request')
    expect(double.calls.length).toBe(length)
  })

  test('waits for the address', async () => {
    owner.allowAddress('')
    expect(shown(await payOutMany!(call(), someOrders()))).toBe('notNow address_not_allowed')
    owner.allowAddress(null)
  })

  test.each<[Omit<FaultRule, 'on'>, string, number]>([
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0],
    [{ kind: 'status_after_effect', status: 500 }, 'unknown server_error', 1],
    [{ kind: 'status', status: 429 }, 'notNow rate_limited', 0],
    [{ kind: 'html' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable', 1],
  ])('after a fault is what can be known: %j', async (rule, expected, times) => {
    const orders = someOrders()
    double.fault({ ...rule, on: 'POST /bulk-transfers' })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await payOutMany!(call({ deadlineMs }), orders))).toBe(expected)
    expect(orders.map(executed)).toEqual([times, times, times])
    for (const order of orders) {
      expect(shown(await lookUp(order))).toBe(times === 1 ? 'done' : 'refused unknown_order')
    }
  })
})
