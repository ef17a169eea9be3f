import { expect, test } from 'vitest'
import { amountLeftOf, netLeftOf } from '../dashboard/src/screens/payments/amounts.ts'

const PAYMENT = {
  paidAmount: 5_000.3,
  netAmount: 4_825.2,
  overpaidAmount: 0,
  refundedAmount: 0,
  disputedAmount: 0,
  reversedAmount: 0,
}

test('refunds in progress and disputes leave less of a payment to refund', () => {
  const refund = (status: string, amount: number) => ({ status, amount })
  const refunds = [
    refund('Pending', 100),
    refund('Processing', 200),
    refund('NeedsAttention', 300.2),
    // Part of refundedAmount.
    refund('Processed', 1_000),
    refund('Failed', 2_000),
  ]
  const payment = { ...PAYMENT, refundedAmount: 1_000, disputedAmount: 500 }
  expect(amountLeftOf(payment, refunds)).toBe(2_900.1)
  expect(amountLeftOf(payment)).toBe(3_500.3)
  expect(amountLeftOf({ ...PAYMENT, paidAmount: null })).toBe(0)
})

test('refunds and lost disputes are taken from an overpayment first, then from the net', () => {
  expect(netLeftOf({ ...PAYMENT, reversedAmount: 1_200 })).toBe(3_625.2)
  expect(netLeftOf({ ...PAYMENT, reversedAmount: 1_200, refundedAmount: 100 })).toBe(3_525.2)
  expect(netLeftOf({ ...PAYMENT, reversedAmount: 200, overpaidAmount: 300 })).toBe(4_825.2)
  expect(netLeftOf({ ...PAYMENT, refundedAmount: 500, overpaidAmount: 300 })).toBe(4_625.2)
})
