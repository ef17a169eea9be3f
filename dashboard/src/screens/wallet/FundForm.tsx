import { Text } from '@mantine/core'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/wallet.ts'

interface Values extends Record<string, unknown> {
  amount: number | string
}

/** Puts money that does not exist into the wallet of test mode. */
export function FundForm({
  opened,
  onClose,
  currency = 'NGN',
}: {
  opened: boolean
  onClose(): void
  currency?: string | undefined
}) {
  return (
    <FormModal<Values>
      title={t.fundTheTestWallet}
      opened={opened}
      onClose={onClose}
      initial={{ amount: 100_000 }}
      action={{ path: '/api/simulator/wallet', done: t.theMoneyIsInThe }}
      validate={{ amount: (amount) => (Number(amount) > 0 ? null : t.mustBeMoreThanZero) }}
      verb={({ amount }) => t.add(money(Number(amount) || 0, currency))}
    >
      {(form) => (
        <>
          <Text size="sm">{t.noRealMoneyMovesWebhooks}</Text>
          <MoneyInput
            label={t.amount}
            currency={currency}
            required
            data-autofocus
            {...form.getInputProps('amount')}
          />
        </>
      )}
    </FormModal>
  )
}
