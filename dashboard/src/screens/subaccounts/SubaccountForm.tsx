import { NumberInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Subaccount } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../parts/BankAccount.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/subaccounts.ts'

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

/** Adds a subaccount, or changes one. */
export function SubaccountForm({
  of,
  opened,
  onClose,
  onDone,
}: {
  /** The one to change; none to add one. */
  of?: Subaccount
  opened: boolean
  onClose(): void
  /** With its code. */
  onDone?(code: string): void
}) {
  const path = of
    ? `transaction-service/subaccounts/${of.subaccount_code}`
    : 'transaction-service/subaccounts'
  return (
    <FormModal<Values>
      title={of ? t.changeTheSubaccount : t.addASubaccount}
      opened={opened}
      onClose={onClose}
      initial={valuesOf(of)}
      edits={of && { path, valuesOf: ({ data }: Envelope<Subaccount>) => valuesOf(data) }}
      action={{
        path,
        method: of ? 'PUT' : 'POST',
        send: (values) => changesOf(values, of),
        done: of ? t.theSubaccountIsChanged : t.theSubaccountIsAdded,
      }}
      validate={{
        business_name: (name) => (name.trim() ? null : t.itNeedsAName),
        account_number: (number) => (isAccountNumber(number) ? null : t.tenDigits),
        percentage_charge: (charge) => (charge === '' ? t.aPercentageFrom0To : null),
      }}
      verb={of ? t.saveTheChanges : t.addTheSubaccount}
      onDone={(answer) => onDone?.((answer as Envelope<Subaccount>).data.subaccount_code)}
    >
      {(form) => <Fields form={form} />}
    </FormModal>
  )
}

/** An account that is known stays as it is; one that is not named yet is asked for again. */
function changesOf(values: Values, of: Subaccount | undefined) {
  const { business_name, bank, account_number, percentage_charge } = values
  const isKnown = of?.verified || of?.payoutsBlocked
  const isSameAccount = isKnown && of.bankCode === bank && of.account_number === account_number
  return {
    business_name: business_name.trim(),
    // It says how much goes there, so it is sent only when it changes.
    ...(Number(percentage_charge) !== of?.percentage_charge && {
      percentage_charge: Number(percentage_charge),
    }),
    ...(!isSameAccount && { account_number, ...((bank || of) && { bank }) }),
  }
}

function Fields({ form }: { form: UseFormReturnType<Values> }) {
  const { bank, account_number } = form.values
  const found = useAccountName(bank, account_number)
  return (
    <>
      <TextInput
        label={t.name}
        description={t.ofTheBusinessOrPerson}
        maxLength={200}
        required
        data-autofocus
        {...form.getInputProps('business_name')}
      />
      <BankSelect
        description={t.withoutABankTheyCannot}
        clearable
        {...form.getInputProps('bank')}
      />
      <AccountNumberInput required found={found} {...form.getInputProps('account_number')} />
      <NumberInput
        label={t.youKeep}
        description={t.fromPaymentsMadeToThem}
        suffix="%"
        min={0}
        max={100}
        decimalScale={2}
        hideControls
        required
        {...form.getInputProps('percentage_charge')}
      />
    </>
  )
}
