import { Alert, Button, Group, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ProfileSettings } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../parts/BankAccount.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { Facts } from '../../parts/DetailPage.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { Part } from './SettingForm.tsx'

const PATH = 'user-service/profile/settings'

interface Values extends Record<string, unknown> {
  bankCode: string | null
  accountNumber: string
}

/** The business's own bank account, whose holder the bank has named. */
export function SettlementAccount({
  of: { settlementAccount: account },
  mayWrite,
}: {
  of: ProfileSettings
  mayWrite: boolean
}) {
  const [isOpen, form] = useDisclosure(false)
  const removal = useAction({
    path: PATH,
    method: 'PUT',
    send: () => ({ settlementAccount: null }),
    done: 'The settlement account is removed.',
  })
  const remove = () =>
    confirm({
      title: 'Remove the settlement account?',
      text: `${account?.accountName} ${account?.accountNumber} at ${account?.bankName} is no longer where your own money goes.`,
      verb: 'Remove the account',
      isDangerous: true,
      go: removal.mutate,
    })
  return (
    <Part
      id="settlement-account"
      title="Settlement account"
      about="The bank account that is your own, once the bank has named its holder."
      actions={
        mayWrite && (
          <Group gap="xs">
            {account && (
              <Button variant="default" onClick={remove} loading={removal.isPending}>
                Remove
              </Button>
            )}
            <Button variant="default" onClick={form.open}>
              {account ? 'Change' : 'Add an account'}
            </Button>
          </Group>
        )
      }
    >
      {account ? (
        <Facts
          of={{
            Holder: account.accountName,
            'Account number': account.accountNumber,
            Bank: account.bankName,
          }}
        />
      ) : (
        <Text c="dimmed">None yet. Add the bank account that is the business’s own.</Text>
      )}
      <FormModal<Values>
        title="Settlement account"
        opened={isOpen}
        onClose={form.close}
        initial={{ bankCode: null, accountNumber: '' }}
        action={{
          path: PATH,
          method: 'PUT',
          send: ({ bankCode, accountNumber }) => ({
            settlementAccount: { bankCode, accountNumber },
          }),
          done: 'The account is stored.',
        }}
        validate={{
          bankCode: (code) => (code ? null : 'Choose the bank.'),
          accountNumber: (number) => (isAccountNumber(number) ? null : 'Ten digits.'),
        }}
        verb="Use this account"
      >
        {(values) => <Fields form={values} />}
      </FormModal>
    </Part>
  )
}

function Fields({ form }: { form: UseFormReturnType<Values> }) {
  const found = useAccountName(form.values.bankCode, form.values.accountNumber)
  return (
    <>
      <BankSelect required data-autofocus {...form.getInputProps('bankCode')} />
      <AccountNumberInput required found={found} {...form.getInputProps('accountNumber')} />
      {found.account && (
        <Alert color="blue">Is that you? It is kept only when the bank names its holder.</Alert>
      )}
    </>
  )
}
