import { Text, TextInput } from '@mantine/core'
import type { Refund } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { type Payment, refundableOf } from './types.ts'

interface Values extends Record<string, unknown> {
  amount: number | string
  reason: string
}

/** Gives a payment back, all of it or a part; its button says how much. */
export function RefundForm({
  of: payment,
  opened,
  onClose,
  onDone,
}: {
  of: Payment
  opened: boolean
  onClose(): void
  /** With the reference of the refund. */
  onDone?(reference: string): void
}) {
  const { currency, reference } = payment
  const left = refundableOf(payment)
  const payer = payment.customer.name ?? payment.customer.email ?? 'the payer'
  return (
    <FormModal<Values>
      title="Refund this payment"
      opened={opened}
      onClose={onClose}
      initial={{ amount: left, reason: '' }}
      onDone={(answer) => onDone?.((answer as Envelope<Refund>).data.reference)}
      action={{
        path: 'transaction-service/refunds',
        done: 'The refund is on its way.',
        send: ({ amount, reason }) => ({
          transactionReference: reference,
          amount,
          ...(reason && { reason }),
        }),
      }}
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
            The money goes back to {payer}, to where it came from, and is taken from your wallet
            now. The fee is not given back.
          </Text>
          <MoneyInput
            label="Amount"
            description={`${money(left, currency)} can be refunded`}
            currency={currency}
            required
            data-autofocus
            {...form.getInputProps('amount')}
          />
          <TextInput
            label="Reason"
            description="For your own books."
            maxLength={200}
            {...form.getInputProps('reason')}
          />
        </>
      )}
    </FormModal>
  )
}
