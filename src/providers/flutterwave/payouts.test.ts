import { describe, expect, test } from 'vitest'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { PayoutOrder } from '../connector/http-connector.ts'
import type { Outcome, ProviderRefs } from '../connector/types.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave, payoutOrder } from './flutterwave.fixture.ts'

const { double, call, sentOf, executed } = await openFlutterwave()
const { bank, owner } = double.provider
const { payOut, lookUpPayout } = flutterwave.payouts!
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
        status: 'Pending',
        message: 'Flutterwave is sending the transfer.',
        amount_minor: 1_000_000n,
        currency: 'NGN',
        fee_minor: null,
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

  test('that fails for another reason says nothing about money', async () => {
    const order = payoutOrder()
    await pay(order)
    bank.settle(order.reference, 'FAILED', 'DISBURSE FAILED: Account is dormant')
    const failed = valueIn(await lookUp(order))
    expect(failed).toMatchObject({
      status: 'Failed',
      message: 'DISBURSE FAILED: Account is dormant',
      fee_minor: null,
    })
    expect(failed).not.toHaveProperty('notNow')
  })

  test('that waits for approval is Blocked, and says what to do', async () => {
    owner.set({ needsApproval: true })
    const orders = [payoutOrder(), payoutOrder()]
    for (const order of orders) {
      expect(valueIn(await pay(order))).toMatchObject({
        status: 'Blocked',
        action: expect.stringContaining('Approve'),
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
})

describe('a payout that Flutterwave refuses', () => {
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

describe('a lookup of a payout', () => {
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
})
