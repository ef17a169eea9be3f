import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { newSentReference, shown, valueIn } from '../connector/connector.fixture.ts'
import type { RefundOrder } from '../connector/http-connector.ts'
import type { ProviderRefs, SentOrder } from '../connector/types.ts'
import { paystack } from './connector.ts'
import { openPaystack, ZENITH } from './paystack.fixture.ts'

const { double, call, paidCharge, sentOf } = await openPaystack()
const { refund, lookUpRefund, retryRefund } = paystack.refunds!

async function refundOrder(amount_minor = 100_000n): Promise<RefundOrder> {
  const [reference, charge] = [newSentReference('RFD'), await paidCharge()]
  return { reference, charge, paymentId: null, amount_minor, currency: 'NGN', reason: null }
}
const idOf = (outcome: { refs?: ProviderRefs }) => outcome.refs!.id!
const executed = ({ reference }: RefundOrder) => double.books.executed.get(reference) ?? 0
const lookUp = (order: RefundOrder, refs: ProviderRefs = {}, by = call()) =>
  lookUpRefund(by, { ...sentOf(order, refs), charge: order.charge })
const withoutId = (charge: SentOrder): SentOrder => ({ ...charge, refs: {} })

describe('a refund', () => {
  test('is made, processed, and found by its id', async () => {
    const order = { ...(await refundOrder()), reason: 'Sold out' }
    const outcome = await refund(call(), order)
    expect(valueIn(outcome)).toMatchObject({
      ...{ status: 'Pending', amount_minor: 100_000n, currency: 'NGN', deducted_minor: 100_000n },
    })
    const id = idOf(outcome as { refs?: ProviderRefs })
    double.provider.refunds.settle(id, 'processed')
    expect(valueIn(await lookUp(order, { id }))).toMatchObject({
      ...{ status: 'Successful', message: 'The refund was paid.' },
    })
    expect(executed(order)).toBe(1)
  })

  test.each([
    ['pending', 'Pending'],
    ['processing', 'Pending'],
    ['processed', 'Successful'],
    ['failed', 'Failed'],
    ['needs-attention', 'NeedsAttention'],
  ] as const)('that is %s at Paystack is %s', async (word, status) => {
    const order = await refundOrder()
    const id = idOf((await refund(call(), order)) as { refs?: ProviderRefs })
    double.provider.refunds.settle(id, word)
    expect(valueIn(await lookUp(order, { id })).status).toBe(status)
  })

  test('names the payment by the id that is known, or else by its reference', async () => {
    const order = await refundOrder()
    const charge = withoutId(order.charge)
    expect(shown(await refund(call(), { ...order, charge }))).toBe('done')
    const paymentId = order.charge.refs.id!
    const another = { ...order, reference: newSentReference('RFD'), charge, paymentId }
    expect(shown(await refund(call(), another))).toBe('done')
  })

  test('can be one of several, each found by its own reference', async () => {
    const first = await refundOrder()
    const second = { ...first, reference: `${first.reference}-2`, amount_minor: 50_000n }
    await refund(call(), first)
    await refund(call(), second)
    expect(valueIn(await lookUp(first)).amount_minor).toBe(100_000n)
    expect(valueIn(await lookUp(second)).amount_minor).toBe(50_000n)
  })

  test('of more than is left is refused', async () => {
    const order = await refundOrder(500_001n)
    expect(shown(await refund(call(), order))).toBe('refused amount_out_of_range')
    const all = { ...order, amount_minor: 500_000n }
    expect(shown(await refund(call(), all))).toBe('done')
    const another = { ...all, reference: newSentReference('RFD') }
    expect(shown(await refund(call(), another))).toBe('refused not_refundable')
  })

  test('that is refused because it was made before is found', async () => {
    const order = await refundOrder(500_000n)
    const outcome = await refund(call(), order)
    expect(await refund(call(), order)).toEqual(outcome)
    expect(executed(order)).toBe(1)
    for (const status of [400, 404, 500]) {
      const lift = double.fault({ on: 'GET /refund', kind: 'status', status })
      expect(shown(await refund(call(), order))).toBe('unknown inconclusive')
      await lift()
    }
  })

  test('of a payment that Paystack does not have is a bad request, which ends nothing', async () => {
    const order = await refundOrder()
    const charge = { ...order.charge, reference: 'txn-nobody', refs: {} }
    expect(shown(await refund(call(), { ...order, charge }))).toBe('refused bad_request')
  })
})

describe('a refund after a fault', () => {
  test.each<[Omit<FaultRule, 'on'>, string, number]>([
    [{ kind: 'reset_after_read' }, 'unknown disconnected', 0],
    [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1],
    [{ kind: 'hang_after_effect' }, 'unknown timed_out', 1],
    [{ kind: 'status_after_effect', status: 500 }, 'unknown server_error', 1],
    [{ kind: 'status', status: 429 }, 'notNow rate_limited', 0],
    [{ kind: 'cut_body' }, 'unknown disconnected', 1],
    [{ kind: 'html' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.id' }, 'unknown unreadable', 1],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable', 1],
  ])('is found by its note if it was made: %j', async (rule, expected, times) => {
    const order = await refundOrder()
    double.fault({ ...rule, on: 'POST /refund', times: 1 })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await refund(call({ deadlineMs }), order))).toBe(expected)
    expect(executed(order)).toBe(times)
    const found = await lookUp(order)
    expect(shown(found)).toBe(times === 1 ? 'done' : 'refused unknown_order')
    // The id of the payment is looked up if its response was lost too.
    const charge = withoutId(order.charge)
    expect(await lookUp({ ...order, charge })).toEqual(found)
  })

  test('was not sent if nobody was reached', async () => {
    const order = await refundOrder()
    double.fault({ on: '*', kind: 'refuse' })
    expect(shown(await refund(call(), order))).toBe('notNow not_reached')
  })
})

describe('a lookup of a refund', () => {
  test('is inconclusive if several have its reference', async () => {
    const order = await refundOrder()
    await refund(call(), order)
    const { length } = double.takeProblems()
    await refund(call(), order)
    expect(shown(await lookUp(order))).toBe('unknown inconclusive')
    // Sending it twice is what this test did wrong.
    expect(double.takeProblems().length - length).toBe(1)
  })

  test('is inconclusive if its payment or its id is not known', async () => {
    const order = await refundOrder()
    const charge = { ...order.charge, reference: 'txn-nobody', refs: {} }
    expect(shown(await lookUp({ ...order, charge }))).toBe('unknown inconclusive')
    expect(shown(await lookUp(order, { id: '404404' }))).toBe('unknown inconclusive')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable'],
    [{ kind: 'not_found_for' }, 'unknown inconclusive'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    const order = await refundOrder()
    const id = idOf((await refund(call(), order)) as { refs?: ProviderRefs })
    double.fault({ ...rule, on: 'GET /refund*' })
    expect(shown(await lookUp(order))).toBe(expected)
    expect(shown(await lookUp(order, { id }))).toBe(expected)
  })

  test('with a word that we do not know ends nothing', async () => {
    const order = await refundOrder()
    const id = idOf((await refund(call(), order)) as { refs?: ProviderRefs })
    double.fault({ on: 'GET /refund/*', kind: 'unknown_status' })
    expect(valueIn(await lookUp(order, { id })).status).toBe('Pending')
  })
})

describe('a refund that needs attention', () => {
  const account = { bank: ZENITH, accountNumber: '0123456789', accountName: 'ADA OBI' }

  test("is retried with the payer's account, once", async () => {
    const order = await refundOrder()
    const id = idOf((await refund(call(), order)) as { refs?: ProviderRefs })
    double.provider.refunds.settle(id, 'needs-attention')
    const sent = sentOf(order, { id })
    const wrong = { ...account, accountNumber: '01' }
    expect(shown(await retryRefund!(call(), sent, wrong))).toBe('refused unknown_account')
    expect(valueIn(await retryRefund!(call(), sent, account)).status).toBe('Pending')
    // The state has to be looked up: the first retry may be the reason.
    expect(shown(await retryRefund!(call(), sent, account))).toBe('unknown inconclusive')
  })

  test("needs the refund's id and the bank's number", async () => {
    const order = await refundOrder()
    expect(shown(await retryRefund!(call(), sentOf(order), account))).toBe('refused bad_request')
    const noNumber = { ...account, bank: { ...ZENITH, id: null } }
    expect(shown(await retryRefund!(call(), sentOf(order, { id: '1' }), noNumber))).toBe(
      'refused unknown_bank',
    )
  })
})
