import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { PayoutOrder } from '../connector/http-connector.ts'
import { paystack } from './connector.ts'
import { openPaystack, payoutOrder, ZENITH } from './paystack.fixture.ts'

const { double, call, sentOf } = await openPaystack()
const { bank, owner } = double.provider
const { payOut, payOutMany, lookUpPayout } = paystack.payouts!
owner.topUp(1_000_000_000n)

const executed = ({ reference }: PayoutOrder) => double.books.executed.get(reference) ?? 0
const pay = (order = payoutOrder(), by = call()) => payOut(by, order)
const lookUp = (order: PayoutOrder, by = call()) => lookUpPayout(by, sentOf(order))
const transfersCalled = () => double.calls.filter(({ path }) => path === '/transfer').length

describe('a payout', () => {
  test('is sent to a recipient that is stored for the next one, and paid with its fee', async () => {
    const order = payoutOrder()
    const outcome = await pay(order)
    expect(outcome).toMatchObject({
      kind: 'done',
      value: {
        ...{ status: 'Pending', amount_minor: 500_000n, currency: 'NGN', fee_minor: null },
        recipient: expect.stringMatching(/^RCP_/),
      },
      refs: { id: expect.stringMatching(/^\d+$/) },
    })
    bank.settle(order.reference, 'success')
    const found = await lookUp(order)
    expect(found).toMatchObject({
      value: { status: 'Successful', message: 'The transfer was paid.', fee_minor: 1_000n },
      refs: { session: expect.any(String) },
    })
    expect(executed(order)).toBe(1)

    const { recipient } = valueIn(outcome)
    const before = double.calls.length
    const next = payoutOrder(7_000n, { recipient: recipient! })
    expect(valueIn(await pay(next)).recipient).toBe(recipient)
    expect(double.calls.length - before).toBe(1)
    // The same account has the same recipient.
    expect(valueIn(await pay(payoutOrder(8_000n))).recipient).toBe(recipient)
  })

  test('to a recipient that somebody deleted gets a new one', async () => {
    const order = payoutOrder(6_000n, { recipient: 'RCP_deleted' })
    expect(valueIn(await pay(order)).recipient).not.toBe('RCP_deleted')
    expect(executed(order)).toBe(1)
  })

  test.each([
    ['success', 'Successful'],
    ['failed', 'Failed'],
    ['abandoned', 'Failed'],
    ['reversed', 'Returned'],
    ['pending', 'Pending'],
    ['otp', 'Blocked'],
    ['blocked', 'Blocked'],
    ['rejected', 'Rejected'],
  ] as const)('that is %s at Paystack is %s', async (word, status) => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, word)
    const found = valueIn(await lookUp(order))
    expect(found.status).toBe(status)
    expect(found.action !== undefined).toBe(status === 'Blocked')
  })

  test('can be paid, then returned; and failed, then paid', async () => {
    const order = payoutOrder()
    await pay(order)
    const statuses: string[] = []
    for (const word of ['success', 'reversed', 'failed', 'success'] as const) {
      bank.settle(order.reference, word)
      statuses.push(valueIn(await lookUp(order)).status)
    }
    expect(statuses).toEqual(['Successful', 'Returned', 'Failed', 'Successful'])
  })

  test('with a word that we do not know ends nothing', async () => {
    const order = payoutOrder()
    double.fault({ on: 'POST /transfer', kind: 'unknown_status' })
    expect(valueIn(await pay(order)).status).toBe('Pending')
    double.fault({ on: 'GET /transfer/verify/*', kind: 'unknown_status' })
    expect(valueIn(await lookUp(order)).status).toBe('Pending')
  })

  test('reports the amount and the currency of Paystack', async () => {
    const order = payoutOrder()
    await pay(order)
    double.fault({ on: '*', kind: 'wrong_amount', times: 1 })
    expect(valueIn(await lookUp(order)).amount_minor).toBe(500_001n)
    double.fault({ on: '*', kind: 'other_currency', times: 1 })
    expect(valueIn(await lookUp(order)).currency).toBe('USD')
  })
})

describe('a payout that Paystack refuses', () => {
  test('with a used reference may be there', async () => {
    const order = payoutOrder()
    await pay(order)
    expect(shown(await pay(order))).toBe('unknown duplicate')
    expect(executed(order)).toBe(1)
  })

  test('for lack of money waits', async () => {
    expect(shown(await pay(payoutOrder(9_000_000_000n)))).toBe(
      'notNow insufficient_provider_balance',
    )
  })

  test('for an account or a bank that it does not have is refused', async () => {
    const to = { bank: ZENITH, accountNumber: '01', accountName: null }
    expect(shown(await pay(payoutOrder(5_000n, { to })))).toBe('refused unknown_account')
  })

  test('for its amount is refused', async () => {
    expect(shown(await pay(payoutOrder(4_999n)))).toBe('refused amount_out_of_range')
  })

  test('for what the account may not do waits', async () => {
    owner.setStarter(true)
    expect(shown(await pay())).toBe('notNow feature_off')
    owner.setStarter(false)
    expect(shown(await pay(payoutOrder(), call({ key: 'sk_live_other' })))).toBe(
      'notNow credentials_refused',
    )
    owner.allowAddress('10.0.0.1')
    expect(shown(await pay())).toBe('notNow address_not_allowed')
    owner.allowAddress(null)
  })

  test('until somebody enters a one-time password is Blocked, and says what to do', async () => {
    owner.setOtp(true)
    const order = payoutOrder()
    expect(valueIn(await pay(order))).toMatchObject({
      ...{ status: 'Blocked', action: expect.stringContaining('one-time password') },
    })
    owner.setOtp(false)
    expect(executed(order)).toBe(0)
    expect(valueIn(await lookUp(order)).status).toBe('Blocked')
  })

  test('for a wrong reference is a bad request, which ends nothing', async () => {
    const order = payoutOrder(5_000n, { reference: 'Too_Short' })
    expect(shown(await pay(order))).toBe('refused bad_request')
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
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.reference' }, 'unknown unreadable', 1],
  ])('is what can be known: %j', async (rule, expected, times) => {
    const order = payoutOrder()
    double.fault({ ...rule, on: 'POST /transfer', times: 1 })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await pay(order, call({ deadlineMs })))).toBe(expected)
    expect(executed(order)).toBe(times)
    expect(shown(await lookUp(order))).toBe(times === 1 ? 'done' : 'refused unknown_order')
  })

  test('that kept it from being sent was not sent', async () => {
    const order = payoutOrder(5_000n, { recipient: 'RCP_x' })
    double.fault({ on: '*', kind: 'refuse' })
    expect(shown(await pay(order))).toBe('notNow not_reached')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'reset_after_effect' }, 'notNow not_reached'],
    [{ kind: 'hang_after_effect' }, 'notNow not_reached'],
    [{ kind: 'html' }, 'notNow not_reached'],
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'status', status: 404 }, 'notNow not_reached'],
  ])('of its recipient was not sent: %j', async (rule, expected) => {
    const { length } = double.calls.filter(({ path }) => path === '/transfer')
    double.fault({ ...rule, on: 'POST /transferrecipient' })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await pay(payoutOrder(), call({ deadlineMs })))).toBe(expected)
    expect(transfersCalled()).toBe(length)
  })
})

describe('a lookup of a payout', () => {
  test('that Paystack does not have is refused', async () => {
    expect(shown(await lookUp(payoutOrder()))).toBe('refused unknown_order')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'not_found_for' }, 'refused unknown_order'],
    [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'status', status: 401 }, 'notNow credentials_refused'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.reference' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    const order = payoutOrder()
    await pay(order)
    double.fault({ ...rule, on: 'GET /transfer/verify/*' })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await lookUp(order, call({ deadlineMs })))).toBe(expected)
  })

  test('never takes a transfer of live mode for one of test mode', async () => {
    const order = payoutOrder()
    await pay(order)
    expect(shown(await lookUp(order, call({ live: false })))).toBe('unknown unreadable')
  })
})

describe('a batch', () => {
  const someOrders = () => [5_000n, 6_000n, 7_000n].map((minor) => payoutOrder(minor))

  test('has one outcome for each order', async () => {
    const orders = someOrders()
    const outcomes = valueIn(await payOutMany!(call(), orders))
    expect(outcomes.map(shown)).toEqual(['done', 'done', 'done'])
    expect(outcomes.map((one) => valueIn(one).amount_minor)).toEqual([5_000n, 6_000n, 7_000n])
    expect(orders.map(executed)).toEqual([1, 1, 1])
  })

  test('is sent without the orders whose accounts are refused', async () => {
    const to = { bank: ZENITH, accountNumber: '01', accountName: null }
    const orders = [payoutOrder(5_000n, { to }), payoutOrder(5_000n)]
    const outcomes = valueIn(await payOutMany!(call(), orders))
    expect(outcomes.map(shown)).toEqual(['refused unknown_account', 'done'])
    const { length } = double.calls
    const none = valueIn(await payOutMany!(call(), [payoutOrder(5_000n, { to })]))
    expect(none.map(shown)).toEqual(['refused unknown_account'])
    expect(double.calls.length - length).toBe(1)
  })

  test('with one used reference may be there, all of it', async () => {
    const orders = someOrders()
    await pay(orders[1]!)
    expect(shown(await payOutMany!(call(), orders))).toBe('unknown duplicate')
    expect(orders.map(executed)).toEqual([0, 1, 0])
  })

  test('that is refused ends no order', async () => {
    const wrong = [...someOrders(), payoutOrder(4_000n)]
    expect(shown(await payOutMany!(call(), wrong))).toBe('refused bad_request')
    const recipient = 'RCP_deleted'
    const gone = [...someOrders(), payoutOrder(5_000n, { recipient })]
    expect(shown(await payOutMany!(call(), gone))).toBe('refused bad_request')
    const many = Array.from({ length: 101 }, () => payoutOrder(5_000n, { recipient }))
    expect(shown(await payOutMany!(call(), many))).toBe('refused bad_request')
    expect([...wrong, ...gone].map(executed).some((times) => times > 0)).toBe(false)
  })

  test('waits for money, and while confirmation is on', async () => {
    const orders = [payoutOrder(9_000_000_000n), payoutOrder(5_000n)]
    expect(shown(await payOutMany!(call(), orders))).toBe('notNow insufficient_provider_balance')
    owner.setOtp(true)
    expect(shown(await payOutMany!(call(), someOrders()))).toBe('notNow feature_off')
    owner.setOtp(false)
  })

  test.each<[Omit<FaultRule, 'on'>, string, number]>([
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0],
    [{ kind: 'status_after_effect', status: 500 }, 'unknown server_error', 1],
    [{ kind: 'html' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable', 1],
  ])('after a fault is what can be known: %j', async (rule, expected, times) => {
    const orders = someOrders()
    double.fault({ ...rule, on: 'POST /transfer/bulk' })
    const deadlineMs = rule.kind.startsWith('hang') ? 1_000 : 10_000
    expect(shown(await payOutMany!(call({ deadlineMs }), orders))).toBe(expected)
    expect(orders.map(executed)).toEqual([times, times, times])
  })

  test('leaves orders open that its response does not have', async () => {
    double.fault({ on: 'POST /transfer/bulk', kind: 'missing_field', field: 'data.reference' })
    const outcomes = valueIn(await payOutMany!(call(), someOrders()))
    expect(outcomes.map(shown)).toEqual(Array(3).fill('unknown inconclusive'))
  })
})
