import { Text } from '@mantine/core'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'

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
      title="Fund the test wallet"
      opened={opened}
      onClose={onClose}
      initial={{ amount: 100_000 }}
      action={{ path: '/api/simulator/wallet', done: 'The money is in the test wallet.' }}
      validate={{ amount: (amount) => (Number(amount) > 0 ? null : 'Must be more than zero.') }}
      verb={({ amount }) => `Add ${money(Number(amount) || 0, currency)}`}
    >
      {(form) => (
        <>
          <Text size="sm">
            No real money moves. Webhooks for wallet.funded are sent, as for a real deposit.
          </Text>
          <MoneyInput
            label="Amount"
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
