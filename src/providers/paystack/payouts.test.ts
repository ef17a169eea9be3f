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
        status: 'Pending',
        amount_minor: 500_000n,
        currency: 'NGN',
        fee_minor: null,
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
})

describe('a payout that Paystack refuses', () => {
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
      status: 'Blocked',
      action: expect.stringContaining('one-time password'),
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
  test('that is reversed says that it was returned only if it was paid before', async () => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, 'reversed')
    for (const [state, status] of [
      [undefined, 'Failed'],
      [null, 'Failed'],
      ['Pending', 'Failed'],
      ['Failed', 'Failed'],
      ['Successful', 'Returned'],
      ['Returned', 'Returned'],
    ] as const) {
      const found = await lookUpPayout(call(), { ...sentOf(order), ...(state && { state }) })
      expect([state, valueIn(found).status]).toEqual([state, status])
    }
    expect(executed(order)).toBe(1)
  })

  test('that is blocked has failed, and asks nobody to act', async () => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, 'blocked')
    const found = valueIn(await lookUp(order))
    expect(found).toMatchObject({ status: 'Failed', fee_minor: null })
    expect(found).not.toHaveProperty('action')
  })

  test('never takes a transfer of live mode for one of test mode', async () => {
    const order = payoutOrder()
    await pay(order)
    expect(shown(await lookUp(order, call({ live: false })))).toBe('unknown unreadable')
  })
})

describe('a batch', () => {
  const someOrders = () => [5_000n, 6_000n, 7_000n].map((minor) => payoutOrder(minor))

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
})
