import { Text, TextInput } from '@mantine/core'
import type { Transaction, TransactionTotals } from '../../../../sdk/src/operations.ts'
import { act } from '../../api/hooks.ts'
import { type DialogProps, FormModal } from '../../ui/forms.tsx'
import { MoneyInput } from '../../ui/MoneyInput.tsx'
import { money } from '../../ui/values.tsx'

interface Values extends Record<string, unknown> {
  amount: number | string
  reason: string
}

/** The button shows the amount. */
export function RefundForm({
  of: payment,
  onDone,
  ...dialog
}: DialogProps & {
  of: Payment
  /** Called with the reference of the refund. */
  onDone?(reference: string): void
}) {
  const { currency, reference } = payment
  const left = refundableOf(payment)
  const payer = payment.customer.name ?? payment.customer.email ?? 'the payer'
  return (
    <FormModal
      title="Refund this payment"
      {...dialog}
      initial={{ amount: left, reason: '' }}
      onDone={(answer) => onDone?.(answer.data.reference)}
      action={act('create_refund', {
        done: 'Refund started.',
        input: ({ amount, reason }: Values) => ({
          transactionReference: reference,
          amount,
          ...(reason && { reason }),
        }),
      })}
      validate={{
        amount: (amount) =>
          Number(amount) > 0 && Number(amount) <= left
            ? null
            : `Must be more than zero and at most ${money(left, currency)}.`,
      }}
      verb={({ amount }) => `Refund ${money(Number(amount) || 0, currency)}`}
    >
      {(form) => (
        <>
          <Text size="sm">
            We return the money to the account that {payer} paid from, and deduct the amount from
            your wallet now. The fee is not refunded.
          </Text>
          <MoneyInput
            label="Amount"
            description={`${money(left, currency)} can be refunded`}
            currency={currency}
            required
            data-autofocus
            {...form.field('amount')}
          />
          <TextInput
            label="Reason"
            description="For your records."
            maxLength={200}
            {...form.field('reason')}
          />
        </>
      )}
    </FormModal>
  )
}

export type Payment = Transaction
export type Totals = TransactionTotals

/** Returns the amount that can still be refunded, in major units. */
export const refundableOf = ({ paidAmount, refundedAmount }: Payment): number =>
  Math.round(((paidAmount ?? 0) - refundedAmount) * 100) / 100

/**
 * Returns whether any part of the payment can be refunded here. Payments made outside Tradepost
 * have to be refunded outside Tradepost.
 */
export const isRefundable = (payment: Payment): boolean =>
  payment.channel !== 'OFFLINE' &&
  ['Successful', 'PartiallyRefunded'].includes(payment.status) &&
  refundableOf(payment) > 0

/** Returns the net amount after refunds. Refunds are taken from an overpayment first. */
export function netAfterRefundsOf({ netAmount, refundedAmount, overpaidAmount }: Payment): number {
  const givenBack = Math.max(0, refundedAmount - overpaidAmount)
  return Math.round((netAmount - givenBack) * 100) / 100
}

export const payerOf = ({ customer }: Payment): string => customer.name ?? customer.email ?? '–'
