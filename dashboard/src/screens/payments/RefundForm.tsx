import { Text, TextInput } from '@mantine/core'
import type { Refund } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/payments.ts'
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
  const payer = payment.customer.name ?? payment.customer.email ?? t.thePayer
  return (
    <FormModal<Values>
      title={t.refundThisPayment}
      opened={opened}
      onClose={onClose}
      initial={{ amount: left, reason: '' }}
      onDone={(answer) => onDone?.((answer as Envelope<Refund>).data.reference)}
      action={{
        path: 'transaction-service/refunds',
        done: t.theRefundIsOnIts,
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
            : t.mustBeMoreThanZero(money(left, currency)),
      }}
      verb={({ amount }) => t.refundSum(money(Number(amount) || 0, currency))}
    >
      {(form) => (
        <>
          <Text size="sm">{t.theMoneyGoesBackTo(payer)}</Text>
          <MoneyInput
            label={t.amount}
            description={t.canBeRefunded(money(left, currency))}
            currency={currency}
            required
            data-autofocus
            {...form.getInputProps('amount')}
          />
          <TextInput
            label={t.reason}
            description={t.forYourOwnBooks}
            maxLength={200}
            {...form.getInputProps('reason')}
          />
        </>
      )}
    </FormModal>
  )
}
