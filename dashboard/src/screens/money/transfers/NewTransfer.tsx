import { Alert, Box, Group, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core'
import { IconUserCheck } from '@tabler/icons-react'
import { useState } from 'react'
import type { ResolveBankAccountResponse, TransferFee } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../../ui/BankAccount.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { useUnsaved } from '../../../ui/unsaved.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { money } from '../../../ui/values.tsx'
import { type Cost, useCost } from './cost.ts'

export interface Order extends Record<string, unknown> {
  amount: number | string
  bankCode: string | null
  accountNumber: string
  narration: string
  transferReference: string
}

const NOTHING: Order = {
  amount: '',
  bankCode: null,
  accountNumber: '',
  narration: '',
  transferReference: '',
}

/** Asks for the amount and the recipient, then shows both for review before sending. */
export function NewTransfer() {
  const go = useGo()
  const may = usePermission()
  const [isReviewed, setReviewed] = useState(false)
  const balances = useOperation('get_wallet_balance')
  const settings = useOperation('get_profile_settings', undefined, { enabled: may('profile:read') })
  const currency = settings.data?.data.currency ?? 'NGN'
  const balance = balances.data?.data.find((row) => row.currency === currency)
  const available = balance?.available ?? 0
  const form = useForm<Order>({
    initialValues: NOTHING,
    validate: {
      amount: (amount) =>
        Number(amount) <= 0
          ? 'Must be more than zero.'
          : Number(amount) > available
            ? `Insufficient balance: ${money(available, currency)} available.`
            : null,
      bankCode: (code) => (code ? null : 'Choose a bank.'),
      accountNumber: (number) =>
        isAccountNumber(number) ? null : 'Enter the ten-digit account number.',
    },
  })
  const found = useAccountName(form.values.bankCode, form.values.accountNumber)
  const holder = found.account
  const cost = useCost(Number(form.values.amount), balance?.availableMinor ?? 0, currency)
  const transfer = useAction(
    act('create_transfer', {
      input: ({ amount, bankCode, accountNumber, narration, transferReference }: Order) => ({
        amount,
        bankCode: bankCode!,
        accountNumber,
        currency,
        // If the name is no longer the one that the user reviewed, the transfer needs approval.
        ...(holder && { accountName: holder.accountName }),
        ...(narration && { narration }),
        ...(transferReference && { transferReference }),
      }),
      // The review has no inputs, but the form that comes back has one for each of its values.
      caught: ({ fields }) => {
        const names = Object.keys(fields)
        for (const [field, [says]] of Object.entries(fields)) form.setFieldError(field, says)
        if (names.length > 0) setReviewed(false)
        return names.length > 0 && names.every((field) => field in form.values)
      },
    }),
  )
  useUnsaved(() => form.isDirty())
  const send = () =>
    transfer.mutate(form.values, {
      onSuccess: ({ data }, values) => {
        form.resetDirty(values)
        go(`transfers/${data.reference}`)
      },
    })
  return (
    <DetailPage back={{ to: 'transfers', label: 'Transfers' }} title="Send money" read={balances}>
      <Box maw={560}>
        {isReviewed ? (
          <Review
            of={form.values}
            holder={holder}
            currency={currency}
            available={available}
            cost={cost}
            isSending={transfer.isPending}
            send={send}
            onBack={() => setReviewed(false)}
          />
        ) : (
          <Card>
            <form onSubmit={form.onSubmit(() => setReviewed(true))} noValidate>
              <Stack>
                <MoneyInput
                  label="Amount"
                  description={saysOf(cost.fee, available, currency)}
                  currency={currency}
                  required
                  autoFocus
                  {...form.field('amount')}
                />
                <BankSelect required {...form.field('bankCode')} />
                <AccountNumberInput required found={found} {...form.field('accountNumber')} />
                <TextInput
                  label="Narration"
                  description="Shown on the recipient’s statement."
                  maxLength={100}
                  {...form.field('narration')}
                />
                <TextInput
                  label="Your reference"
                  description="6 to 64 letters, digits, dots and dashes. Leave blank and we create one."
                  maxLength={64}
                  {...form.field('transferReference')}
                />
                <Group justify="space-between">
                  <Text size="sm" c="dimmed">
                    You can review it before anything is sent.
                  </Text>
                  <ActionButton label="Continue" isMain type="submit" loading={found.isAsking} />
                </Group>
              </Stack>
            </form>
          </Card>
        )}
      </Box>
    </DetailPage>
  )
}

const saysOf = (of: TransferFee | undefined, available: number, currency: string): string =>
  of
    ? `${money(of.total, currency)} of ${money(available, currency)} will leave the wallet, including a fee of ${money(of.fee, currency)}.`
    : `${money(available, currency)} available, before the fee.`

interface ReviewProps {
  of: Order
  holder: ResolveBankAccountResponse | undefined
  currency: string
  available: number
  cost: Cost
  isSending: boolean
  send(): void
  onBack(): void
}

function Review({
  of: { amount, bankCode, accountNumber, narration, transferReference },
  holder,
  currency,
  available,
  cost: { fee, left, error, again },
  isSending,
  send,
  onBack,
}: ReviewProps) {
  const banks = useOperation('list_banks')
  const bank = banks.data?.data.find(({ code }) => code === bankCode)?.name ?? bankCode
  const sum = money(Number(amount), currency)
  const isShort = left !== undefined && left < 0
  return (
    <Card title="Review transfer">
      <Stack>
        <div>
          <Text className="figure">{sum}</Text>
          <Text>to {holder?.accountName ?? `account ${accountNumber}`}</Text>
        </div>
        <Facts>
          <Fact label="Account holder" value={holder?.accountName ?? 'Unknown'} />
          <Fact label="Account number" value={accountNumber} />
          <Fact label="Bank" value={bank} />
          <Fact label="Narration" value={narration || undefined} />
          <Fact label="Your reference" value={transferReference || undefined} />
        </Facts>
        <Sums of={fee} available={available} left={left} currency={currency} />
        {error ? <Failure error={error} again={again} /> : null}
        {isShort && (
          <Alert color="red" title="Insufficient balance" role="alert">
            {money(fee?.total, currency)} needed, including the fee. {money(available, currency)}{' '}
            available.
          </Alert>
        )}
        {!holder && (
          <Alert color="yellow" title="The bank did not confirm the account holder">
            The transfer may need approval, or it may fail and be returned.
          </Alert>
        )}
        {fee?.needsApproval && (
          <Alert
            color="yellow"
            icon={<IconUserCheck />}
            title="A second person must approve this transfer"
          >
            This transfer is above your approval limit. The money stays on hold until another person
            in your business approves it.
          </Alert>
        )}
        <Group justify="flex-end">
          <ActionButton label="Back" onClick={onBack} />
          <ActionButton
            label={`Send ${sum}`}
            isMain
            loading={isSending}
            disabled={!fee || isShort}
            onClick={send}
            data-autofocus
          />
        </Group>
      </Stack>
    </Card>
  )
}

/** Shows what will leave the wallet and what will be left in it, according to the server. */
function Sums({
  of,
  available,
  left,
  currency,
}: {
  of: TransferFee | undefined
  available: number
  left: number | undefined
  currency: string
}) {
  const rows: [string, number | undefined][] = [
    ['Recipient gets', of?.amount],
    ['Fee', of?.fee],
    ['Total from the wallet', of?.total],
    ['Balance now', available],
    ['Balance after', left],
  ]
  return (
    <Table aria-label="Cost">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name} fw={name === 'Total from the wallet' ? 600 : undefined}>
            <Table.Td className="breaks">{name}</Table.Td>
            <Table.Td ta="right" className="whole">
              {value === undefined ? (
                <Skeleton height={18} width={96} ml="auto" aria-label="Loading" />
              ) : (
                money(value, currency)
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
