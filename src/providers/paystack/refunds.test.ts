import { describe, expect, test } from 'vitest'
import { newSentReference, openResponder, shown } from '../connector/connector.fixture.ts'
import type { RefundOrder } from '../connector/http-connector.ts'
import type { ProviderRefs } from '../connector/types.ts'
import { paystack } from './connector.ts'
import { openPaystack, ZENITH } from './paystack.fixture.ts'

const { double, call, paidCharge, sentOf } = await openPaystack()
const { client, respondWith } = await openResponder()
const { refund, lookUpRefund, retryRefund } = paystack.refunds!

async function refundOrder(amount_minor = 100_000n): Promise<RefundOrder> {
  const [reference, charge] = [newSentReference('RFD'), await paidCharge()]
  return { reference, charge, paymentId: null, amount_minor, currency: 'NGN', reason: null }
}
const lookUp = (order: RefundOrder, refs: ProviderRefs = {}, by = call()) =>
  lookUpRefund(by, { ...sentOf(order, refs), charge: order.charge })

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

  test('finds it although every page of the list is the first one', async () => {
    const order = await refundOrder()
    const anywhere = { ...call(), http: client() }
    const row = { id: 7, domain: 'live', status: 'pending', merchant_note: order.reference }
    respondWith(200, { status: true, data: [row], meta: {} })
    expect(await lookUp(order, {}, anywhere)).toMatchObject({ kind: 'done', refs: { id: '7' } })
    respondWith(200, { status: true, data: [{ ...row, merchant_note: 'Ada called' }], meta: {} })
    expect(shown(await lookUp(order, {}, anywhere))).toBe('unknown inconclusive')
    respondWith(200, { status: true, data: [row], meta: { page: 1 } })
    expect(shown(await lookUp(order, {}, anywhere))).toBe('unknown unreadable')
  })

  test('is inconclusive if its payment or its id is not known', async () => {
    const order = await refundOrder()
    const charge = { ...order.charge, reference: 'txn-nobody', refs: {} }
    expect(shown(await lookUp({ ...order, charge }))).toBe('unknown inconclusive')
    expect(shown(await lookUp(order, { id: '404404' }))).toBe('unknown inconclusive')
  })
})

describe('a refund that needs attention', () => {
  const account = { bank: ZENITH, accountNumber: '0123456789', accountName: 'ADA OBI' }

  test("needs the refund's id and the bank's number", async () => {
    const order = await refundOrder()
    expect(shown(await retryRefund!(call(), sentOf(order), account))).toBe('refused bad_request')
    const noNumber = { ...account, bank: { ...ZENITH, id: null } }
    expect(shown(await retryRefund!(call(), sentOf(order, { id: '1' }), noNumber))).toBe(
      'refused unknown_bank',
    )
  })
})
