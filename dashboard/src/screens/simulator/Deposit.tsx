import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { isAccountNumber } from '../../parts/BankAccount.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money, sentence } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/simulator.ts'

interface Values {
  accountNumber: string
  amount: number | string
}

/** Money from a payer's bank; the account says whether it takes it. */
export function Deposit() {
  const { deposit } = t
  const [{ account = '', amount = '' }] = useSearchState()
  const form = useForm<Values>({
    initialValues: { accountNumber: account, amount: Number(amount) || '' },
    validate: {
      accountNumber: (number) => (isAccountNumber(number) ? null : deposit.accountWrong),
      amount: (sum) => (Number(sum) > 0 ? null : deposit.amountWrong),
    },
  })
  const pay = useAction<Envelope<{ accepted: boolean; reason: string | null }>, Values>({
    path: '/api/simulator/deposit',
    send: (values) => values,
  })
  const submit = form.onSubmit((values) =>
    pay.mutate(values, {
      onError: ({ fields }) => {
        for (const [field, [says]] of Object.entries(fields)) form.setFieldError(field, says)
      },
    }),
  )
  const became = pay.data?.data
  return (
    <Card title={deposit.title}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {deposit.text}
          </Text>
          <TextInput
            label={deposit.account}
            placeholder={deposit.accountHint}
            inputMode="numeric"
            maxLength={10}
            autoComplete="off"
            required
            {...form.getInputProps('accountNumber')}
          />
          <MoneyInput label={deposit.amount} required {...form.getInputProps('amount')} />
          {became && !pay.isPending && (
            <Alert
              color={became.accepted ? 'green' : 'yellow'}
              title={became.accepted ? deposit.accepted : deposit.rejected}
              role="status"
            >
              {became.accepted
                ? deposit.acceptedText
                : (sentence(became.reason) ?? deposit.rejectedText)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={pay.isPending}>
              {deposit.verb(money(Number(form.values.amount) || 0))}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
