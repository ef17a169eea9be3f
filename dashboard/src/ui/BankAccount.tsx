import {
  Loader,
  Select,
  type SelectProps,
  Text,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { ApiError } from '../api/call.ts'
import { useOperation } from '../api/hooks.ts'

export const isAccountNumber = (text: string): boolean => /^\d{10}$/.test(text)

/** Lists only banks that support transfers. The value is the bank's code. */
export function BankSelect(props: SelectProps) {
  const { data, isPending } = useOperation('list_banks')
  const banks = (data?.data ?? []).filter(
    ({ active, supportsTransfer }) => active && supportsTransfer,
  )
  return (
    <Select
      label="Bank"
      placeholder={isPending ? 'Loading banks…' : 'Search by name'}
      data={banks.map(({ code, name }) => ({ value: code, label: name }))}
      searchable
      limit={60}
      nothingFoundMessage="No bank with that name"
      {...props}
    />
  )
}

/**
 * Looks up the account holder once the user has entered the bank and a complete number. Never
 * returns the holder of a previous number.
 */
export function useAccountName(bankCode: string | null, accountNumber: string) {
  const isWhole = Boolean(bankCode) && isAccountNumber(accountNumber)
  const read = useOperation(
    'resolve_bank_account',
    { bankCode: bankCode ?? '', accountNumber },
    { enabled: isWhole },
  )
  return {
    account: isWhole ? read.data?.data : undefined,
    // Each event reads everything again, but a known account need not be waited for.
    isAsking: isWhole && read.isLoading,
    error: isWhole ? read.error : null,
  }
}

/** Shows the name of the account holder as the bank returned it. */
export function AccountNumberInput({
  found,
  ...props
}: TextInputProps & { found: ReturnType<typeof useAccountName> }) {
  return (
    <div>
      <TextInput
        label="Account number"
        placeholder="10 digits"
        inputMode="numeric"
        maxLength={10}
        autoComplete="off"
        rightSection={
          found.isAsking ? (
            <Loader size={16} role="status" aria-label="Checking with the bank" />
          ) : null
        }
        {...props}
      />
      <Holder of={found} />
    </div>
  )
}

function Holder({ of: { account, error } }: { of: ReturnType<typeof useAccountName> }) {
  if (account) {
    return (
      <Text size="sm" mt={6} role="status">
        <Text span c="green" inherit aria-hidden>
          <IconCircleCheck size={15} style={{ verticalAlign: '-2px' }} />
        </Text>{' '}
        <Text span fw={600} inherit>
          {account.accountName}
        </Text>
        {account.warning && (
          <Text span c="dimmed" inherit>
            {' '}
            · {account.warning}
          </Text>
        )}
      </Text>
    )
  }
  if (!error) return null
  return (
    <Text size="sm" mt={6} role="status">
      <IconAlertTriangle size={15} style={{ verticalAlign: '-2px' }} aria-hidden />{' '}
      {error instanceof ApiError && error.status === 404
        ? 'This bank has no account with this number. Check the bank and the number.'
        : 'The bank did not confirm the account holder. Double-check the number.'}
    </Text>
  )
}
