import type { Refund, Transaction } from '../../../../sdk/src/operations.ts'

/** The states of refunds that have taken their amount, but are not in `refundedAmount` yet. */
const IN_PROGRESS = ['Pending', 'Processing', 'NeedsAttention']

/**
 * Returns how much of a payment is left to refund, in major units. Refunds in progress and open
 * disputes have already taken their amounts.
 */
export function amountLeftOf(
  {
    paidAmount,
    refundedAmount,
    disputedAmount,
  }: Pick<Transaction, 'paidAmount' | 'refundedAmount' | 'disputedAmount'>,
  refunds: readonly Pick<Refund, 'status' | 'amount'>[] = [],
): number {
  const inProgress = refunds
    .filter(({ status }) => IN_PROGRESS.includes(status))
    .map(({ amount }) => -amount)
  return sumOf(paidAmount ?? 0, -refundedAmount, -disputedAmount, ...inProgress)
}

/**
 * Returns the net amount after refunds and lost disputes. Both are taken from an overpayment first.
 */
export function netLeftOf({
  netAmount,
  refundedAmount,
  reversedAmount,
  overpaidAmount,
}: Pick<
  Transaction,
  'netAmount' | 'refundedAmount' | 'reversedAmount' | 'overpaidAmount'
>): number {
  const givenBack = sumOf(refundedAmount, reversedAmount, -overpaidAmount)
  return sumOf(netAmount, -Math.max(0, givenBack))
}

/** Rounds to the nearest kobo, to hide floating-point errors. */
export const sumOf = (...amounts: number[]): number =>
  Math.round(amounts.reduce((sum, amount) => sum + amount * 100, 0)) / 100
