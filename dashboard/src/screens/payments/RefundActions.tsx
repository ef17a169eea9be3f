import { Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBuildingBank, IconRefresh, IconX } from '@tabler/icons-react'
import type { Refund } from '../../../../sdk/src/operations.ts'
import { act, useAction } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../ui/BankAccount.tsx'
import { ActionButton } from '../../ui/buttons.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { type DialogProps, FormModal } from '../../ui/forms.tsx'
import type { FormState } from '../../ui/use-form.ts'
import { money } from '../../ui/values.tsx'

/** What a person can do about a refund that is stuck or was not sent. */
export function RefundActions({ of }: { of: Refund }) {
  const may = usePermission()
  const [isAsking, asking] = useDisclosure(false)
  const input = () => ({ reference: of.reference })
  const check = useAction(act('retry_refund', { input, done: 'Refund checked.' }))
  const cancel = useAction(
    act('cancel_refund', { input, done: 'Refund cancelled. The money is back in the wallet.' }),
  )
  if (!may('refunds:write')) return null
  const sum = money(of.amount, of.currency)
  return (
    <>
      {of.canRetry && (
        <>
          <ActionButton
            icon={IconRefresh}
            label="Check again"
            loading={check.isPending}
            onClick={() => check.mutate()}
          />
          <ActionButton
            icon={IconBuildingBank}
            label="Use another account"
            isMain
            onClick={asking.open}
          />
          <AnotherAccount of={of} opened={isAsking} onClose={asking.close} />
        </>
      )}
      {of.canCancel && (
        <ActionButton
          icon={IconX}
          label="Cancel refund"
          loading={cancel.isPending}
          onClick={() =>
            confirm({
              title: 'Cancel this refund?',
              text: `The payer does not get ${sum}. The money returns to your wallet, and to the subaccounts that paid a part of it.`,
              verb: 'Cancel refund',
              isDangerous: true,
              go: cancel.mutate,
            })
          }
        />
      )}
    </>
  )
}

interface Values extends Record<string, unknown> {
  bankCode: string | null
  accountNumber: string
}

/** Asks for another bank account of the payer, and pays the refund there. */
function AnotherAccount({
  of: { reference, amount, currency },
  ...dialog
}: DialogProps & { of: Refund }) {
  return (
    <FormModal<Values>
      title="Pay the refund to another account"
      {...dialog}
      initial={{ bankCode: null, accountNumber: '' }}
      action={act('retry_refund', {
        done: 'Refund sent again.',
        input: ({ bankCode, accountNumber }: Values) => ({
          reference,
          bankCode: bankCode ?? '',
          accountNumber,
        }),
      })}
      validate={{
        bankCode: (code) => (code ? null : 'Choose a bank.'),
        accountNumber: (number) =>
          isAccountNumber(number) ? null : 'Enter the ten-digit account number.',
      }}
      verb={`Refund ${money(amount, currency)}`}
    >
      {(form) => <Account form={form} />}
    </FormModal>
  )
}

function Account({ form }: { form: FormState<Values> }) {
  const { bankCode, accountNumber } = form.values
  const found = useAccountName(bankCode, accountNumber)
  return (
    <>
      <Text size="sm">
        Ask the payer for an account in their own name, and compare the name below with theirs.
      </Text>
      <BankSelect required {...form.field('bankCode')} />
      <AccountNumberInput required found={found} {...form.field('accountNumber')} />
    </>
  )
}
