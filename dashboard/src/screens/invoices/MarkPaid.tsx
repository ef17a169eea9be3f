import { Text, TextInput } from '@mantine/core'
import { DayInput } from '../../parts/DayInput.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/invoices.ts'

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
      title={t.markAsPaid}
      opened={opened}
      onClose={onClose}
      initial={{ amount: due, paidAt: '', note: '' }}
      action={{
        path,
        done: t.thePaymentIsInThe,
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
            : t.mustBeMoreThanZeroAnd(money(due, currency)),
      }}
      verb={({ amount }) => t.markSumAsPaid(money(Number(amount) || 0, currency))}
    >
      {(form) => (
        <>
          <Text size="sm">{t.forMoneyThatYouGot}</Text>
          <MoneyInput
            label={t.amount}
            description={t.isDue(money(due, currency))}
            currency={currency}
            required
            data-autofocus
            {...form.getInputProps('amount')}
          />
          <DayInput
            label={t.paidOn}
            description={t.nowUnlessYouChooseA}
            {...form.getInputProps('paidAt')}
          />
          <TextInput label={t.note} maxLength={200} {...form.getInputProps('note')} />
        </>
      )}
    </FormModal>
  )
}
