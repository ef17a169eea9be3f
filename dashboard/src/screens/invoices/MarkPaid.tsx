import { Text, TextInput } from '@mantine/core'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'

interface Values extends Record<string, unknown> {
  amount: number | string
  paidAt: string
  note: string
}

/** Takes down what a customer paid in cash, or to another account. */
export function MarkPaid({
  path,
  due,
  currency,
  opened,
  onClose,
}: {
  path: string
  due: number
  currency: string
  opened: boolean
  onClose(): void
}) {
  return (
    <FormModal<Values>
      title="Mark as paid"
      opened={opened}
      onClose={onClose}
      initial={{ amount: due, paidAt: '', note: '' }}
      action={{
        path,
        done: 'The payment is in the books.',
        send: ({ amount, paidAt, note }) => ({
          amount,
          ...(paidAt && { paidAt }),
          ...(note && { note }),
        }),
      }}
      validate={{
        amount: (amount) =>
          Number(amount) > 0 && Number(amount) <= due
            ? null
            : `Must be more than zero and at most ${money(due, currency)}.`,
      }}
      verb={({ amount }) => `Mark ${money(Number(amount) || 0, currency)} as paid`}
    >
      {(form) => (
        <>
          <Text size="sm">
            For money that you got outside Tradepost. Your wallet does not change; the customer gets
            a receipt.
          </Text>
          <MoneyInput
            label="Amount"
            description={`${money(due, currency)} is due`}
            currency={currency}
            required
            data-autofocus
            {...form.getInputProps('amount')}
          />
          <TextInput
            label="Paid on"
            description="Now, unless you choose a day."
            type="date"
            {...form.getInputProps('paidAt')}
          />
          <TextInput label="Note" maxLength={200} {...form.getInputProps('note')} />
        </>
      )}
    </FormModal>
  )
}
