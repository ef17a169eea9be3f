import { describe, expect, test } from 'vitest'
import {
  newSentReference,
  shown,
  valueIn,
} from '../../../src/providers/connector/connector.fixture.ts'
import type { RefundOrder } from '../../../src/providers/connector/http-connector.ts'
import { type Rig, refsOf } from '../rig.ts'

export function describeRefunds(rig: Rig): void {
  const { connector, subject, double, call, paidCharge, refundOf, refund, lookUpRefund, needs } =
    rig
  const executed = ({ reference }: RefundOrder) => rig.executed(reference)
  const allExecuted = (orders: readonly RefundOrder[]) => Promise.all(orders.map(executed))
  const newRefund = async (amount_minor?: bigint) => refundOf(await paidCharge(), amount_minor)
  const withoutId = (order: RefundOrder): RefundOrder => ({
    ...order,
    charge: { ...order.charge, refs: {} },
  })
  const paidWord = Object.entries(subject.words.refund).find(
    ([, status]) => status === 'Successful',
  )![0]

  describe('a refund', () => {
    test('is taken, paid once, and found by its id', async () => {
      const order = { ...(await newRefund(12_345n)), reason: 'Sold out' }
      const outcome = await refund(order)
      expect(valueIn(outcome)).toMatchObject({ status: 'Pending', amount_minor: 12_345n })
      const refs = refsOf(outcome)
      await subject.settleRefund(order.reference, refs.id ?? '', paidWord)
      expect(valueIn(await lookUpRefund(order, refs))).toMatchObject({
        status: 'Successful',
        amount_minor: 12_345n,
      })
      expect(await executed(order)).toBe(1)
    })

    test('has a state for each word of the provider', async () => {
      const found: [string, string][] = []
      for (const word of Object.keys(subject.words.refund)) {
        const order = await newRefund()
        const refs = refsOf(await refund(order))
        await subject.settleRefund(order.reference, refs.id ?? '', word)
        const [byId, byReference] = [await lookUpRefund(order, refs), await lookUpRefund(order)]
        expect(valueIn(byId)).toEqual(valueIn(byReference))
        found.push([word, valueIn(byId).status])
      }
      expect(Object.fromEntries(found)).toEqual(subject.words.refund)
    })

    test('can be one of several, each found by its own reference', async () => {
      const first = await newRefund()
      const second = refundOf(first.charge, 50_000n)
      await refund(first)
      await refund(second)
      expect(valueIn(await lookUpRefund(first)).amount_minor).toBe(100_000n)
      expect(valueIn(await lookUpRefund(second)).amount_minor).toBe(50_000n)
      expect(shown(await lookUpRefund(refundOf(first.charge)))).toBe('refused unknown_order')
    })

    test('names the payment by its id, or finds it by the reference of the charge', async () => {
      const order = withoutId(await newRefund())
      expect(shown(await refund(order))).toBe('done')
      expect(shown(await lookUpRefund(order))).toBe('done')
      const paymentId = (await paidCharge()).refs.id ?? null
      const another = { ...order, reference: newSentReference('RFD'), paymentId }
      expect(shown(await refund(another))).toBe('done')
      expect(await allExecuted([order, another])).toEqual([1, 1])
    })

    needs('http')('of more than is left is refused', async () => {
      const order = await newRefund(500_001n)
      expect(shown(await refund(order))).toBe('refused amount_out_of_range')
      expect(shown(await refund({ ...order, amount_minor: 500_000n }))).toBe('done')
      const another = refundOf(order.charge, 1n)
      expect(shown(await refund(another))).toMatch(
        /^refused (?:not_refundable|amount_out_of_range)$/,
      )
      expect(await allExecuted([order, another])).toEqual([1, 0])
    })

    needs('http')('that is refused because it was made before is found', async () => {
      const order = await newRefund(500_000n)
      const outcome = await refund(order)
      expect(await refund(order)).toMatchObject({ kind: 'done', refs: refsOf(outcome) })
      expect(await executed(order)).toBe(1)
      for (const status of [400, 404, 500]) {
        const lift = double!.fault({ on: 'GET *', kind: 'status', status })
        expect(shown(await refund(order))).toBe('unknown inconclusive')
        await lift()
      }
    })

    needs('http')('of a payment that the provider does not have ends nothing', async () => {
      const order = { ...(await newRefund()), paymentId: '999999' }
      expect(shown(await refund(order))).toBe('refused bad_request')
      const by = call({ values: subject.wrongCredentials })
      expect(shown(await refund(order, by))).toBe('notNow credentials_refused')
    })

    needs('http')('of a payment that failed is refused', async () => {
      const order = rig.charge()
      const started = await rig.startUssd(order)
      await subject.dial(valueIn(started)[0]!.ussdCode, order.reference, false)
      const failed = refundOf(rig.sentOf(order, refsOf(started)))
      expect(shown(await refund(failed))).toBe('refused not_refundable')
      expect(await executed(failed)).toBe(0)
    })

    needs('http')('with a word that we do not know ends nothing', async () => {
      const order = await newRefund()
      const refs = refsOf(await refund(order))
      double!.fault({ on: '*', kind: 'unknown_status' })
      expect(valueIn(await lookUpRefund(order, refs)).status).toBe('Pending')
    })
  })

  describe('a lookup of a refund', () => {
    needs('http')('by an id that the provider does not have is inconclusive', async () => {
      expect(shown(await lookUpRefund(await newRefund(), { id: '999999' }))).toBe(
        'unknown inconclusive',
      )
    })

    needs('http')('of a charge that nobody has paid is inconclusive', async () => {
      const order = refundOf(rig.sentOf(rig.charge()))
      expect(shown(await lookUpRefund(order))).toBe('unknown inconclusive')
    })
  })

  describe('a refund that needs attention', () => {
    needs('refund retries')("is retried with the payer's account, once", async () => {
      const retry = connector.refunds!.retryRefund!
      const [word] = Object.entries(subject.words.refund).find(
        ([, status]) => status === 'NeedsAttention',
      )!
      const order = await newRefund()
      const refs = refsOf(await refund(order))
      await subject.settleRefund(order.reference, refs.id!, word)
      const sent = rig.sentOf(order, refs)
      const wrong = { ...subject.account, accountNumber: '01' }
      expect(shown(await retry(call(), sent, wrong))).toBe('refused unknown_account')
      expect(valueIn(await retry(call(), sent, subject.account)).status).toBe('Pending')
      // The state has to be looked up: the first retry may be the reason.
      expect(shown(await retry(call(), sent, subject.account))).toBe('unknown inconclusive')
      expect(await executed(order)).toBe(1)
    })
  })
}
