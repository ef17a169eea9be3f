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
import { When } from '../../parts/values.tsx'
import { t } from '../../texts/settings.ts'
import { Part } from './SettingForm.tsx'

const PATH = 'user-service/profile/settings'

interface Values extends Record<string, unknown> {
  bankCode: string | null
  accountNumber: string
}

/** The business's own bank account, whose holder the bank has named. */
export function SettlementAccount({
  of: { settlementAccount: account, payoutsPausedUntil: paused },
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
    done: t.theSettlementAccountIsRemoved,
  })
  const remove = () =>
    confirm({
      title: t.removeTheSettlementAccount,
      text: t.atIsNoLongerWhere(
        account?.accountName ?? '',
        account?.accountNumber ?? '',
        account?.bankName ?? '',
      ),
      verb: t.removeTheAccount,
      isDangerous: true,
      go: removal.mutate,
    })
  return (
    <Part
      id="settlement-account"
      title={t.settlementAccount}
      about="The bank account that is your own, once the bank has named its holder."
      actions={
        mayWrite && (
          <Group gap="xs">
            {account && (
              <Button variant="default" onClick={remove} loading={removal.isPending}>
                {t.remove}
              </Button>
            )}
            <Button variant="default" onClick={form.open}>
              {account ? t.change : t.addAnAccount}
            </Button>
          </Group>
        )
      }
    >
      {account ? (
        <Facts
          of={{
            [t.holder]: account.accountName,
            [t.accountNumber]: account.accountNumber,
            [t.bank]: account.bankName,
            [t.receivesNothingBefore]:
              paused && Date.parse(paused) > Date.now() ? <When at={paused} /> : undefined,
          }}
        />
      ) : (
        <Text c="dimmed">{t.noneYetAddTheBank}</Text>
      )}
      <FormModal<Values>
        title={t.settlementAccount}
        opened={isOpen}
        onClose={form.close}
        initial={{ bankCode: null, accountNumber: '' }}
        action={{
          path: PATH,
          method: 'PUT',
          send: ({ bankCode, accountNumber }) => ({
            settlementAccount: { bankCode, accountNumber },
          }),
          done: t.theAccountIsStored,
        }}
        validate={{
          bankCode: (code) => (code ? null : t.chooseTheBank),
          accountNumber: (number) => (isAccountNumber(number) ? null : t.tenDigits),
        }}
        verb={t.useThisAccount}
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
      {found.account && <Alert color="blue">{t.isThatYouItIs}</Alert>}
    </>
  )
}
