import { describe, expect, test } from 'vitest'
import { shown, valueIn } from '../../../src/providers/connector/connector.fixture.ts'
import type { PayoutOrder } from '../../../src/providers/connector/http-connector.ts'
import type { Outcome, SentOrder } from '../../../src/providers/connector/types.ts'
import { type Rig, refsOf } from '../rig.ts'

/** Exact in minor units, whatever the provider counts in. */
const ODD_AMOUNTS = [5_000n, 5_029n, 5_057n, 123_456_789n, 1_000_000_000_000n]

export function describePayouts(rig: Rig): void {
  const { connector, subject, double, call, payout, payOut, lookUpPayout, needs } = rig
  const executed = ({ reference }: PayoutOrder) => rig.executed(reference)
  const allExecuted = (orders: readonly PayoutOrder[]) => Promise.all(orders.map(executed))
  const settle = ({ reference }: PayoutOrder, word: string) => subject.settlePayout(reference, word)
  const paid = subject.words.journey[0]![0]

  describe('a payout', () => {
    test('is taken, paid once with its fee, and found by its reference and its id', async () => {
      const order = payout()
      const outcome = await payOut(order)
      const { fee_minor = null, ...taken } = valueIn(outcome)
      expect(taken).toMatchObject({ status: 'Pending', amount_minor: 500_000n, currency: 'NGN' })
      expect(fee_minor).toBeNull()
      await settle(order, paid)
      for (const refs of [{}, refsOf(outcome)]) {
        const { fee_minor: fee = null, ...found } = valueIn(await lookUpPayout(order, refs))
        expect(found).toMatchObject({ status: 'Successful', amount_minor: 500_000n })
        expect(fee).toBe(rig.feeOf(order.reference))
      }
      expect(await executed(order)).toBe(1)
    })

    needs('ids')('has the same id in every response', async () => {
      const order = payout()
      const { id } = refsOf(await payOut(order))
      expect(id).toMatch(/^\d+$/)
      expect(refsOf(await lookUpPayout(order)).id).toBe(id)
    })

    test('has a state for each word of the provider, and an action if it is Blocked', async () => {
      const found = await Promise.all(
        Object.keys(subject.words.payout).map(async (word) => {
          const order = payout()
          await payOut(order)
          await settle(order, word)
          const { status, action } = valueIn(await lookUpPayout(order))
          expect(status === 'Blocked' && rig.has('http')).toBe(action !== undefined)
          return [word, status] as const
        }),
      )
      expect(Object.fromEntries(found)).toEqual(subject.words.payout)
    })

    test('can change after it has ended', async () => {
      const order = payout()
      await payOut(order)
      let state: string | null = null
      for (const [word, status] of subject.words.journey) {
        await settle(order, word)
        const sent: SentOrder = { ...rig.sentOf(order), state }
        state = valueIn(await connector.payouts!.lookUpPayout(call(), sent)).status
        expect([word, state]).toEqual([word, status])
      }
    })

    test('is sent and reported with its exact amount', async () => {
      for (const minor of ODD_AMOUNTS) {
        const order = payout(minor)
        expect(valueIn(await payOut(order)).amount_minor).toBe(minor)
        const entry = double?.books.entries.find(
          (one) => one.reference === order.reference && one.kind === 'payout',
        )
        if (double) expect(entry!.amount_minor).toBe(-minor)
      }
    })

    test('that is sent again is not paid again', async () => {
      const order = payout()
      await payOut(order)
      const again = await payOut(order)
      expect(shown(again)).toBe(rig.has('http') ? 'unknown duplicate' : 'done')
      expect(await executed(order)).toBe(1)
    })

    needs('balances')(
      'for which there is too little money never ends, and is paid later',
      async () => {
        const { available_minor } = valueIn(await connector.balances!.balances(call()))[0]!
        const poor = payout(available_minor + 1n)
        const outcome = await payOut(poor)
        if (outcome.kind === 'done') {
          expect(valueIn(await lookUpPayout(poor))).toMatchObject({
            status: 'Failed',
            notNow: 'insufficient_provider_balance',
          })
        } else expect(shown(outcome)).toBe('notNow insufficient_provider_balance')
        expect(await executed(poor)).toBe(0)
        subject.topUp(available_minor + 10_000_000n)
        const next = { ...poor, reference: `${poor.reference}-2` }
        expect(shown(await payOut(next))).toBe('done')
        expect(await allExecuted([poor, next])).toEqual([0, 1])
      },
    )

    test.skipIf(subject.unknownAccount === null)(
      'to an account that nobody has is refused',
      async () => {
        const order = payout(5_000n, { to: subject.unknownAccount!, recipient: null })
        expect(shown(await payOut(order))).toBe('refused unknown_account')
      },
    )

    needs('http')('waits while the key or the address is not accepted', async () => {
      const by = call({ values: subject.wrongCredentials })
      const orders = [payout(), payout()]
      expect(shown(await payOut(orders[0]!, by))).toBe('notNow credentials_refused')
      subject.allowAddress('')
      expect(shown(await payOut(orders[1]!))).toBe('notNow address_not_allowed')
      subject.allowAddress(null)
      expect(await allExecuted(orders)).toEqual([0, 0])
    })

    needs('http')('with a word that we do not know ends nothing', async () => {
      const order = payout()
      double!.fault({ on: '*', kind: 'unknown_status' })
      const refs = refsOf(await payOut(order))
      expect(valueIn(await lookUpPayout(order)).status).toBe('Pending')
      expect(valueIn(await lookUpPayout(order, refs)).status).toBe('Pending')
    })

    needs('http')("has the amount and the currency of the provider's report", async () => {
      const order = payout()
      const refs = refsOf(await payOut(order))
      double!.fault({ on: '*', kind: 'wrong_amount', times: 1 })
      expect(valueIn(await lookUpPayout(order, refs)).amount_minor).not.toBe(500_000n)
      double!.fault({ on: '*', kind: 'other_currency', times: 1 })
      expect(valueIn(await lookUpPayout(order, refs)).currency).toBe('USD')
    })

    test('that the provider does not have is not known', async () => {
      expect(shown(await lookUpPayout(payout()))).toBe('refused unknown_order')
    })

    needs('http')('that a lookup does not show yet is not known either', async () => {
      const order = payout()
      await payOut(order)
      double!.fault({ on: '*', kind: 'not_found_for' })
      expect(shown(await lookUpPayout(order))).toBe('refused unknown_order')
    })

    needs('withdrawal')('that is Blocked can be withdrawn', async () => {
      const order = payout()
      await payOut(order)
      await settle(order, 'blocked')
      const withdrawn = await connector.payouts!.cancelPayout!(call(), rig.sentOf(order))
      expect(valueIn(withdrawn).status).toBe('Rejected')
    })
  })

  describe('a batch', () => {
    const payOutMany = (orders: readonly PayoutOrder[]) =>
      connector.payouts!.payOutMany!(call(), orders)
    const someOrders = () => [5_000n, 6_000n, 7_000n].map((minor) => payout(minor))

    needs('batches')('has an outcome for each order, in their sequence', async () => {
      const orders = someOrders()
      const outcomes: readonly Outcome<unknown>[] = valueIn(await payOutMany(orders))
      expect(outcomes.map(shown)).toEqual(['done', 'done', 'done'])
      expect(await allExecuted(orders)).toEqual([1, 1, 1])
      await settle(orders[1]!, paid)
      const found = await Promise.all(orders.map((order) => lookUpPayout(order)))
      expect(found.map((one) => valueIn(one).amount_minor)).toEqual([5_000n, 6_000n, 7_000n])
      expect(found.map((one) => valueIn(one).status)).toEqual(['Pending', 'Successful', 'Pending'])
    })

    needs('batches')('pays the others if one of its accounts does not exist', async () => {
      const to = subject.unknownAccount!
      const orders = [payout(5_000n, { to, recipient: null }), payout(5_000n)]
      const outcomes = valueIn(await payOutMany(orders))
      expect(await allExecuted(orders)).toEqual([0, 1])
      if (outcomes[0]!.kind === 'done') {
        expect(valueIn(await lookUpPayout(orders[0]!)).status).toBe('Failed')
      } else expect(shown(outcomes[0]!)).toBe('refused unknown_account')
    })

    needs('batches')('with one used reference may be there, all of it', async () => {
      const orders = someOrders()
      await payOut(orders[1])
      expect(shown(await payOutMany(orders))).toBe('unknown duplicate')
      expect(await allExecuted(orders)).toEqual([0, 1, 0])
    })

    needs('batches')('that is empty or too large is not sent', async () => {
      const { length } = double!.calls
      expect(valueIn(await payOutMany([]))).toEqual([])
      const many = Array.from({ length: connector.payouts!.batchMax! + 1 }, () =>
        payout(5_000n, { recipient: 'any' }),
      )
      expect(shown(await payOutMany(many))).toBe('refused bad_request')
      expect(double!.calls.length).toBe(length)
    })

    needs('batches')('that is refused ends none of its orders', async () => {
      const orders = [payout(), payout(0n)]
      expect(shown(await payOutMany(orders))).toBe('refused bad_request')
      expect(await allExecuted(orders)).toEqual([0, 0])
    })
  })
}
