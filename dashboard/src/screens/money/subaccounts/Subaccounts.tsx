import { NumberInput, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Subaccount } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../../ui/BankAccount.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { useGo } from '../../../ui/navigation.ts'
import type { FormState } from '../../../ui/use-form.ts'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { Copyable, shortReference, WithNote } from '../../../ui/values.tsx'

export function Subaccounts() {
  const may = usePermission()
  const go = useGo()
  const [isMaking, making] = useNewParam()
  const make = may('subaccounts:write') && (
    <ActionButton icon={IconPlus} label="Add a subaccount" isMain onClick={making.open} />
  )
  return (
    <>
      <ListPage
        title="Subaccounts"
        actions={make}
        operation="list_subaccounts"
        query={{ sort: 'desc', sortKey: 'createdAt' }}
        search="searchString"
        columns={[
          { label: 'Name', cell: ({ business_name }) => business_name },
          STATUS,
          {
            label: 'Bank account',
            cell: ({ account_name: name, bankName, account_number: number }) => (
              <WithNote note={`${bankName ?? 'No bank yet'} · ${number}`}>
                {name ?? 'Account holder unknown'}
              </WithNote>
            ),
            onPhone: 'below',
          },
          {
            label: 'Code',
            cell: ({ subaccount_code: code }) => (
              <Copyable text={code} shown={shortReference(code)} />
            ),
          },
          {
            label: 'You keep',
            cell: ({ percentage_charge }) => `${percentage_charge}%`,
            align: 'right',
          },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ subaccount_code }) => `subaccounts/${subaccount_code}`}
        empty={{
          title: 'No subaccounts yet',
          text: 'A subaccount represents someone you split payments with, such as a seller, a driver or a partner. We pay their share into their bank account every day.',
          ...(make && { action: make }),
        }}
      />
      <SubaccountForm
        opened={isMaking}
        onClose={making.close}
        onDone={(code) => go(`subaccounts/${code}`)}
      />
    </>
  )
}

interface Values extends Record<string, unknown> {
  business_name: string
  bank: string | null
  account_number: string
  percentage_charge: number | string
}

const valuesOf = (of: Subaccount | undefined): Values => ({
  business_name: of?.business_name ?? '',
  bank: of?.bankCode ?? null,
  account_number: of?.account_number ?? '',
  percentage_charge: of?.percentage_charge ?? 0,
})

export function SubaccountForm({
  of,
  onDone,
  ...dialog
}: DialogProps & {
  /** The subaccount to edit; absent for a new one. */
  of?: Subaccount
  /** Called with the code of the subaccount. */
  onDone?(code: string): void
}) {
  return (
    <FormModal<Values, Envelope<Subaccount>>
      title={of ? 'Edit subaccount' : 'Add a subaccount'}
      {...dialog}
      initial={valuesOf(of)}
      edits={
        of && {
          ...at('get_subaccount', { reference: of.subaccount_code }),
          valuesOf: ({ data }: Envelope<Subaccount>) => valuesOf(data),
        }
      }
      action={
        of
          ? act('update_subaccount', {
              input: (values: Values) => toUpdate(values, of),
              done: 'Subaccount saved.',
            })
          : act('create_subaccount', { input: toCreate, done: 'Subaccount added.' })
      }
      validate={{
        business_name: (name) => (name.trim() ? null : 'Enter a name.'),
        account_number: (number) =>
          isAccountNumber(number) ? null : 'Enter the ten-digit account number.',
        percentage_charge: (charge) => (charge === '' ? 'Enter a percentage from 0 to 100.' : null),
      }}
      verb={of ? 'Save changes' : 'Add subaccount'}
      onDone={(answer) => onDone?.(answer.data.subaccount_code)}
    >
      {(form) => <Fields form={form} />}
    </FormModal>
  )
}

const toCreate = ({ business_name, bank, account_number, percentage_charge }: Values) => ({
  business_name: business_name.trim(),
  percentage_charge: Number(percentage_charge),
  account_number,
  ...(bank && { bank }),
})

/**
 * Sends the bank account only if it has changed, or if the bank has not confirmed the name of its
 * holder yet.
 */
function toUpdate(values: Values, of: Subaccount) {
  const { business_name, bank, account_number, percentage_charge } = values
  const isKnown = of.verified || of.payoutsBlocked
  const isSameAccount = isKnown && of.bankCode === bank && of.account_number === account_number
  return {
    reference: of.subaccount_code,
    business_name: business_name.trim(),
    // The percentage determines what is paid out, so it is only sent if it has changed.
    ...(Number(percentage_charge) !== of.percentage_charge && {
      percentage_charge: Number(percentage_charge),
    }),
    ...(!isSameAccount && { account_number, bank }),
  }
}

function Fields({ form }: { form: FormState<Values> }) {
  const { bank, account_number } = form.values
  const found = useAccountName(bank, account_number)
  return (
    <>
      <TextInput
        label="Name"
        description="The name of the business or person."
        maxLength={200}
        required
        data-autofocus
        {...form.field('business_name')}
      />
      <BankSelect description="Required for payouts." clearable {...form.field('bank')} />
      <AccountNumberInput required found={found} {...form.field('account_number')} />
      <NumberInput
        label="You keep"
        description="Applies when the payment goes to them alone. Split pages have their own shares."
        suffix="%"
        min={0}
        max={100}
        decimalScale={2}
        hideControls
        required
        {...form.field('percentage_charge')}
      />
    </>
  )
}
