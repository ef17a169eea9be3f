import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { newSentReference, shown, valueIn } from '../connector/connector.fixture.ts'
import type { RefundOrder } from '../connector/http-connector.ts'
import type { Outcome, ProviderRefs } from '../connector/types.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, chargeOrder, openAccount, paidCharge, sentOf, executed } =
  await openFlutterwave()
const { refund, lookUpRefund } = flutterwave.refunds!
const { payer } = double.provider

async function refundOrder(amount_minor = 100_000n): Promise<RefundOrder> {
  const [reference, charge] = [newSentReference('RFD'), await paidCharge()]
  return { reference, charge, paymentId: null, amount_minor, currency: 'NGN', reason: null }
}
const refsOf = (outcome: Outcome<unknown>) => (outcome as { refs: ProviderRefs }).refs
const lookUp = (order: RefundOrder, refs: ProviderRefs = {}, by = call()) =>
  lookUpRefund(by, { ...sentOf(order, refs), charge: order.charge })
const withoutId = (order: RefundOrder): RefundOrder => ({
  ...order,
  charge: { ...order.charge, refs: {} },
})

describe('a refund', () => {
  test('is taken, then paid, and found by its id', async () => {
    const order = await refundOrder(12_345n)
    const outcome = await refund(call(), order)
    expect(outcome).toEqual({
      kind: 'done',
      value: {
        ...{ status: 'Pending', message: 'Flutterwave is processing the refund.' },
        ...{ amount_minor: 12_345n, deducted_minor: 12_345n },
      },
      refs: { id: expect.stringMatching(/^\d+$/) },
    })
    const refs = refsOf(outcome)
    double.provider.refunds.settle(refs.id!, 'completed-bank-transfer')
    expect(await lookUp(order, refs)).toMatchObject({
      value: { status: 'Successful', message: 'The refund was paid.', amount_minor: 12_345n },
      refs,
    })
    expect(executed(order)).toBe(1)
  })

  test.each([
    ['new', 'Pending'],
    ['pending', 'Pending'],
    ['completed', 'Pending'],
    ['completed-mpgs', 'Successful'],
    ['completed-bank-transfer', 'Successful'],
    ['completed-momo', 'Successful'],
    ['completed-offline', 'Successful'],
    ['completed-preauth', 'Successful'],
    ['failed', 'Failed'],
  ] as const)('that is %s at Flutterwave is %s', async (word, status) => {
    const order = await refundOrder()
    const refs = refsOf(await refund(call(), order))
    double.provider.refunds.settle(refs.id!, word)
    for (const by of [refs, {}]) {
      const state = valueIn(await lookUp(order, by))
      expect(state.status).toBe(status)
      expect(state.deducted_minor).toBe(status === 'Failed' ? null : 100_000n)
    }
  })

  test('whose charge has no id finds its payment first', async () => {
    const order = withoutId(await refundOrder())
    expect(shown(await refund(call(), order))).toBe('done')
    expect(executed(order)).toBe(1)
    expect(shown(await lookUp(order))).toBe('done')
  })

  test('can be of the second payment of a charge', async () => {
    const charge = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(charge))
    payer.transferTo(accountNumber, 500_000n)
    payer.transferTo(accountNumber, 70_000n)
    const sent = sentOf(charge)
    const found = valueIn(await flutterwave.collections!.lookUpCharge(call(), sent))
    const paymentId = found.payments[1]!.providerId
    const order: RefundOrder = {
      ...{ reference: newSentReference('RFD'), charge: sent, paymentId },
      ...{ amount_minor: 70_000n, currency: 'NGN', reason: 'Sold out' },
    }
    const outcome = await refund(call(), order)
    expect(double.books.entries.at(-1)).toMatchObject({ kind: 'refund', amount_minor: -70_000n })
    // It is found although the charge's id is that of its first payment.
    const first = { ...sent, refs: { id: found.payments[0]!.providerId } }
    expect(refsOf(await lookUp({ ...order, charge: first }))).toEqual(refsOf(outcome))
  })

  test('can be one of several, each found by its own reference', async () => {
    const first = await refundOrder()
    const second = { ...first, reference: newSentReference('RFD'), amount_minor: 50_000n }
    const refs = [await refund(call(), first), await refund(call(), second)].map(refsOf)
    expect(refsOf(await lookUp(first))).toEqual(refs[0])
    expect(await lookUp(second)).toMatchObject({ value: { amount_minor: 50_000n }, refs: refs[1] })
    const third = { ...first, reference: newSentReference('RFD') }
    expect(shown(await lookUp(third))).toBe('refused unknown_order')
    expect(flutterwave.absence.refund.repeatIsSafe).toBe(false)
  })
})

describe('a refund that Flutterwave refuses', () => {
  test('of more than what is left is refused', async () => {
    const order = await refundOrder(500_001n)
    expect(shown(await refund(call(), order))).toBe('refused amount_out_of_range')
  })

  test('because it was made before is found', async () => {
    const order = await refundOrder(400_000n)
    const refs = refsOf(await refund(call(), order))
    const again = await refund(call(), order)
    expect(refsOf(again)).toEqual(refs)
    expect(executed(order)).toBe(1)
  })

  test('of a payment that failed is refused', async () => {
    const charge = chargeOrder()
    const outcome = await flutterwave.collections!.startUssd!(call(), {
      ...charge,
      bankCode: '058',
    })
    payer.dial(valueIn(outcome)[0]!.ussdCode, false)
    const order: RefundOrder = {
      ...{ reference: newSentReference('RFD'), charge: sentOf(charge, refsOf(outcome)) },
      ...{ paymentId: null, amount_minor: 1_000n, currency: 'NGN', reason: null },
    }
    expect(shown(await refund(call(), order))).toBe('refused not_refundable')
    expect(shown(await refund(call(), withoutId(order)))).toBe('refused not_refundable')
    expect(executed(order)).toBe(0)
  })

  test('of an unknown payment, or with a wrong key, ends nothing', async () => {
    const order = { ...(await refundOrder()), paymentId: '999999' }
    expect(shown(await refund(call(), order))).toBe('refused bad_request')
    const by = call({ key: 'FLWSECK-other-X' })
    expect(shown(await refund(by, order))).toBe('notNow credentials_refused')
    expect(shown(await refund(by, withoutId(await refundOrder())))).toBe(
      'notNow credentials_refused',
    )
  })

  test('while the balance is too low waits', async () => {
    const order = await refundOrder()
    const { owner } = double.provider
    owner.settleToBank()
    expect(shown(await refund(call(), order))).toBe('notNow insufficient_provider_balance')
    owner.topUp(10_000_000n)
    expect(shown(await refund(call(), order))).toBe('done')
  })
})

describe('a refund after a fault', () => {
  test.each<[Omit<FaultRule, 'on'>, string, number]>([
    [{ kind: 'reset_after_read' }, 'unknown disconnected', 0],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0],
    [{ kind: 'hang_after_effect' }, 'unknown timed_out', 1],
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
    [{ kind: 'status', status: 500 }, 'unknown server_error', 0],
    [{ kind: 'status_after_effect', status: 503 }, 'unknown server_error', 1],
    [{ kind: 'status', status: 429 }, 'notNow rate_limited', 0],
    [{ kind: 'html' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.id' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.tx_id' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.amount_refunded' }, 'unknown unreadable', 1],
  ])('is what can be known, and found by its comment: %j', async (rule, expected, times) => {
    const order = await refundOrder()
    double.fault({ ...rule, on: 'POST /transactions/*', times: 1 })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await refund(call({ deadlineMs }), order))).toBe(expected)
    expect(executed(order)).toBe(times)
    expect(shown(await lookUp(order))).toBe(times === 1 ? 'done' : 'refused unknown_order')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'reset_after_effect' }, 'notNow not_reached'],
    [{ kind: 'html' }, 'notNow not_reached'],
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
  ])('of the lookup before it was not sent: %j', async (rule, expected) => {
    const order = withoutId(await refundOrder())
    double.fault({ ...rule, on: 'GET *' })
    expect(shown(await refund(call(), order))).toBe(expected)
    expect(executed(order)).toBe(0)
  })
})

describe('a lookup of a refund', () => {
  test('by an id that Flutterwave does not have is inconclusive', async () => {
    const refs = { id: '999999' }
    expect(shown(await lookUp(await refundOrder(), refs))).toBe('unknown inconclusive')
  })

  test('of a charge that nobody has paid is inconclusive', async () => {
    const charge = sentOf(chargeOrder())
    const order = { ...(await refundOrder()), charge }
    expect(shown(await lookUp(order))).toBe('unknown inconclusive')
  })

  test('beside a refund without a comment is inconclusive', async () => {
    const order = await refundOrder()
    double.fault({ on: 'GET /refunds', kind: 'missing_field', field: 'data.comment' })
    expect(shown(await lookUp(order))).toBe('refused unknown_order')
    await refund(call(), order)
    expect(shown(await lookUp(order))).toBe('unknown inconclusive')
  })

  test.each<[string, Omit<FaultRule, 'on'>, string]>([
    ['GET /refunds', { kind: 'not_found_for' }, 'refused unknown_order'],
    ['GET /refunds', { kind: 'status', status: 404 }, 'unknown inconclusive'],
    ['GET /refunds', { kind: 'status', status: 500 }, 'notNow provider_down'],
    ['GET /refunds', { kind: 'hang_before_effect' }, 'unknown timed_out'],
    ['GET /refunds', { kind: 'html' }, 'unknown unreadable'],
    ['GET /refunds', { kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    ['GET /refunds', { kind: 'missing_field', field: 'data.status' }, 'unknown unreadable'],
    ['GET /refunds', { kind: 'missing_field', field: 'data.transaction_id' }, 'unknown unreadable'],
    ['GET /transactions', { kind: 'status', status: 404 }, 'unknown inconclusive'],
    ['GET /transactions', { kind: 'status', status: 500 }, 'notNow provider_down'],
    ['GET /transactions', { kind: 'html' }, 'unknown unreadable'],
    // The charge's id is known too.
    ['GET /transactions', { kind: 'not_found_for' }, 'done'],
  ])('after a fault of %s is what can be known: %j', async (on, rule, expected) => {
    const order = await refundOrder()
    await refund(call(), order)
    double.fault({ ...rule, on })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await lookUp(order, {}, call({ deadlineMs })))).toBe(expected)
  })
})
