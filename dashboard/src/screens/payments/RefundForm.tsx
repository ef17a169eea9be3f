import { Text, TextInput } from '@mantine/core'
import type { Transaction, TransactionTotals } from '../../../../sdk/src/operations.ts'
import { callOperation } from '../../api/call.ts'
import { act, useOperation } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { type DialogProps, FormModal } from '../../ui/forms.tsx'
import { MoneyInput } from '../../ui/MoneyInput.tsx'
import { formatState, money } from '../../ui/values.tsx'
import { amountLeftOf } from './amounts.ts'

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
  const { left, isKnown } = useRefundable(payment)
  const payer = payment.customer.name ?? payment.customer.email ?? 'the payer'
  return (
    <FormModal
      title="Refund this payment"
      {...dialog}
      opened={dialog.opened && isKnown}
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

/** A payment has few refunds. The screen of the payment reads the same list. */
const REFUNDS_MAX = 50

const refundsOf = ({ reference }: Payment) => ({
  transactionReference: reference,
  limit: REFUNDS_MAX,
})

/**
 * Returns how much of a payment can be refunded here, in major units: nothing if it was not made
 * through Tradepost. Until the refunds in progress are known, they are not deducted.
 */
export function useRefundable(payment: Payment | undefined) {
  const isPossible = payment !== undefined && mayBeRefunded(payment)
  const enabled = usePermission()('refunds:read') && isPossible
  const read = useOperation('list_refunds', payment ? refundsOf(payment) : {}, { enabled })
  return {
    left: isPossible ? amountLeftOf(payment, read.data?.data) : 0,
    isKnown: !enabled || !read.isLoading,
  }
}

/** Payments made outside Tradepost have to be refunded outside Tradepost. */
const mayBeRefunded = ({ channel, status }: Payment): boolean =>
  channel !== 'OFFLINE' && ['Successful', 'PartiallyRefunded'].includes(status)

/** Returns why a payment can't be refunded; undefined if it can. */
export async function refusalOf(payment: Payment): Promise<string | undefined> {
  if (payment.channel === 'OFFLINE')
    return 'This payment was made outside Tradepost, so you need to refund it outside Tradepost too.'
  if (!mayBeRefunded(payment)) {
    const sum = money(payment.amount, payment.currency)
    return `This payment of ${sum} is ${formatState(payment.status).toLowerCase()}, so it can’t be refunded.`
  }
  const refunds = await callOperation('list_refunds', refundsOf(payment))
  if (amountLeftOf(payment, refunds.data) > 0) return undefined
  return amountLeftOf({ ...payment, disputedAmount: 0 }, refunds.data) > 0
    ? 'The payer has disputed this payment. Accept or contest the dispute instead.'
    : 'This payment has already been refunded in full, or is being refunded.'
}

export const payerOf = ({ customer }: Payment): string => customer.name ?? customer.email ?? '–'
