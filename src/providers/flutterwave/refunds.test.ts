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
  test('can be of the second payment of a charge', async () => {
    const charge = chargeOrder()
    const { accountNumber } = valueIn(await openAccount(charge))
    payer.transferTo(accountNumber, 500_000n)
    payer.transferTo(accountNumber, 70_000n)
    const sent = sentOf(charge)
    const found = valueIn(await flutterwave.collections!.lookUpCharge(call(), sent))
    const paymentId = found.payments[1]!.providerId
    const order: RefundOrder = {
      reference: newSentReference('RFD'),
      charge: sent,
      paymentId,
      amount_minor: 70_000n,
      currency: 'NGN',
      reason: 'Sold out',
    }
    const outcome = await refund(call(), order)
    expect(double.books.entries.at(-1)).toMatchObject({ kind: 'refund', amount_minor: -70_000n })
    // It is found although the charge's id is that of its first payment.
    const first = { ...sent, refs: { id: found.payments[0]!.providerId } }
    expect(refsOf(await lookUp({ ...order, charge: first }))).toEqual(refsOf(outcome))
  })
})

describe('a refund that Flutterwave refuses', () => {
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
