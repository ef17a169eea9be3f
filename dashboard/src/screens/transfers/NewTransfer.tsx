import { Box, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type {
  ProfileSettings,
  Transfer,
  TransferFee,
  WalletBalance,
} from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../parts/BankAccount.tsx'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/transfers.ts'
import { useCost } from './fee.ts'
import { Review } from './Review.tsx'

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

/** Sends money: what and whereto, then a look at both, and only then it goes. */
export function NewTransfer() {
  const go = useGo()
  const may = useMay()
  const [isReviewed, setReviewed] = useState(false)
  const balances = useRead<Envelope<WalletBalance[]>>('user-service/wallet/balance')
  const settings = useRead<Envelope<ProfileSettings>>(
    'user-service/profile/settings',
    {},
    may('profile:read'),
  )
  const currency = settings.data?.data.currency ?? 'NGN'
  const balance = balances.data?.data.find((row) => row.currency === currency)
  const available = balance?.available ?? 0
  const form = useForm<Order>({
    initialValues: NOTHING,
    validate: {
      amount: (amount) =>
        Number(amount) <= 0
          ? t.mustBeMoreThanZero
          : Number(amount) > available
            ? t.theWalletHas(money(available, currency))
            : null,
      bankCode: (code) => (code ? null : t.chooseTheBank),
      accountNumber: (number) => (isAccountNumber(number) ? null : t.tenDigits),
    },
  })
  const found = useAccountName(form.values.bankCode, form.values.accountNumber)
  const holder = found.account
  const cost = useCost(Number(form.values.amount), balance, currency)
  const act = useAction<Envelope<Transfer>, Order>({
    path: 'transaction-service/transfers',
    send: ({ amount, bankCode, accountNumber, narration, transferReference }) => ({
      amount,
      bankCode,
      accountNumber,
      currency,
      // What was looked at is what is paid: another name by now waits for somebody's approval.
      ...(holder && { accountName: holder.accountName }),
      ...(narration && { narration }),
      ...(transferReference && { transferReference }),
    }),
  })
  const send = () =>
    act.mutate(form.values, {
      onSuccess: ({ data }) => go(`transfers/${data.reference}`),
      onError: ({ fields }) => {
        if (Object.keys(fields).length === 0) return
        for (const [field, [says]] of Object.entries(fields)) form.setFieldError(field, says)
        setReviewed(false)
      },
    })
  return (
    <DetailPage back={{ to: 'transfers', label: t.transfers }} title={t.sendMoney} read={balances}>
      <Box maw={560}>
        {isReviewed ? (
          <Review
            of={form.values}
            {...{ holder, currency, available, cost, isSending: act.isPending, send }}
            onBack={() => setReviewed(false)}
          />
        ) : (
          <Card>
            <form onSubmit={form.onSubmit(() => setReviewed(true))} noValidate>
              <Stack>
                <MoneyInput
                  label={t.amount}
                  description={saysOf(cost.fee, available, currency)}
                  currency={currency}
                  required
                  autoFocus
                  {...form.getInputProps('amount')}
                />
                <BankSelect required {...form.getInputProps('bankCode')} />
                <AccountNumberInput
                  required
                  found={found}
                  {...form.getInputProps('accountNumber')}
                />
                <TextInput
                  label={t.narration}
                  description={t.whatTheReceiverReadsOn}
                  maxLength={100}
                  {...form.getInputProps('narration')}
                />
                <TextInput
                  label={t.yourReference}
                  description={t.referenceRule}
                  maxLength={64}
                  {...form.getInputProps('transferReference')}
                />
                <Group justify="space-between">
                  <Text size="sm" c="dimmed">
                    {t.nothingIsSentYet}
                  </Text>
                  <Button type="submit" loading={found.isAsking}>
                    {t.continue}
                  </Button>
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
    ? t.withTheFeeOfOf(
        money(of.fee, currency),
        money(of.total, currency),
        money(available, currency),
      )
    : t.isAvailableTheFeeIs(money(available, currency))
