import type { Transaction, TransactionTotals } from '../../../../sdk/src/operations.ts'

export type Payment = Transaction
export type Totals = TransactionTotals

/** What of it can still be refunded, in major units. */
export const refundableOf = ({ paidAmount, refundedAmount }: Payment): number =>
  Math.round(((paidAmount ?? 0) - refundedAmount) * 100) / 100

/** Whether some of it can be refunded here; what was paid outside is refunded there. */
export const isRefundable = (payment: Payment): boolean =>
  payment.channel !== 'OFFLINE' &&
  ['Successful', 'PartiallyRefunded'].includes(payment.status) &&
  refundableOf(payment) > 0

/** What is left of it after fees and refunds; refunds return what was overpaid first. */
export function netAfterRefundsOf({ netAmount, refundedAmount, overpaidAmount }: Payment): number {
  const givenBack = Math.max(0, refundedAmount - overpaidAmount)
  return Math.round((netAmount - givenBack) * 100) / 100
}

/** Who paid, as far as is known. */
export const payerOf = ({ customer }: Payment): string => customer.name ?? customer.email ?? '–'
