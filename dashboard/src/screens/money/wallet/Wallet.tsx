import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowUpRight, IconCoins } from '@tabler/icons-react'
import type { WalletBalance } from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Figures } from '../../../ui/Figures.tsx'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { money, When } from '../../../ui/values.tsx'
import { Cause, kindName, Signed } from '../ledger/names.tsx'
import { Funding } from './Funding.tsx'
import { Payouts } from './Payouts.tsx'

/** Filters the ledger by the account for the available balance. */
const AVAILABLE = { account: 'wallet_available' }

export function Wallet() {
  const may = usePermission()
  const mode = useMode()
  const [isFunding, funding] = useDisclosure(false)
  const balances = useOperation('get_wallet_balance')
  const mayPayOut = may('transfers:read')
  const payout = useOperation('get_next_payout', undefined, { enabled: mayPayOut })
  const account = useOperation('get_funding_account')
  // Until both cards have arrived, neither they nor what is below them is visible, because it would
  // jump.
  const isLoading = account.isPending || (mayPayOut && payout.isPending)
  const rows = balances.data?.data ?? []
  const [{ currency }] = useSearchState()
  const shown = rows.find((row) => row.currency === currency) ?? rows[0]
  const mayFund = mode === 'test' && may('simulator:write')
  const fund = (
    <ActionButton icon={IconCoins} label="Fund the test wallet" isMain onClick={funding.open} />
  )
  return (
    <>
      <ListPage
        title="Wallet"
        actions={
          <>
            {may('transfers:write') && (
              <ActionButton icon={IconArrowUpRight} label="Send money" to="transfers/new" />
            )}
            {mayFund && fund}
          </>
        }
        operation="list_ledger_entries"
        query={AVAILABLE}
        cut="cursor"
        csv="export_ledger_entries"
        filters={[
          choice('direction', 'Direction', [
            { value: 'in', label: 'Money in' },
            { value: 'out', label: 'Money out' },
          ]),
          ...(rows.length > 1
            ? [
                choice(
                  'currency',
                  'Currency',
                  rows.map((row) => row.currency),
                ),
              ]
            : []),
          ...DAYS,
        ]}
        columns={[
          { label: 'Description', cell: ({ kind }) => kindName(kind) },
          { label: 'Source', cell: ({ cause }) => <Cause of={cause} />, onPhone: 'below' },
          { label: 'Date', cell: ({ createdAt }) => <When at={createdAt} />, onPhone: true },
          {
            label: 'Amount',
            cell: ({ direction, amount, currency: its }) => (
              <Signed direction={direction} amount={amount} currency={its} />
            ),
            align: 'right',
            onPhone: true,
          },
        ]}
        isHidden={isLoading}
        keyOf={({ id }) => id}
        hrefOf={({ reference }) => `ledger/${reference}`}
        empty={{
          title: 'No activity yet',
          text: 'Payments add money to the wallet; transfers, refunds and bills take money out. Every movement appears here.',
          ...(mayFund && { action: fund }),
        }}
      >
        {balances.error ? (
          <Failure error={balances.error} again={() => void balances.refetch()} />
        ) : (
          <Stack gap="xs">
            <Balance of={shown} isPending={balances.isPending} />
            <Stack gap="xs" style={isLoading ? { visibility: 'hidden' } : undefined}>
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm">
                {mayPayOut && <Payouts />}
                <Funding />
              </SimpleGrid>
              <Text size="sm">
                <ScreenLink to="ledger" search={{ account: 'wallet_available' }}>
                  View all accounts and the balance after each entry
                </ScreenLink>
              </Text>
            </Stack>
          </Stack>
        )}
      </ListPage>
      <FundForm opened={isFunding} onClose={funding.close} currency={shown?.currency} />
    </>
  )
}

function Balance({ of, isPending }: { of: WalletBalance | undefined; isPending: boolean }) {
  if (!of && !isPending) return null
  return (
    <Figures
      of={
        of && [
          {
            label: 'Available',
            value: money(of.available, of.currency),
            hint: 'ready to send or spend',
          },
          {
            label: 'On hold',
            value: money(of.held, of.currency),
            hint: 'for transfers, refunds and bills',
          },
          { label: 'Incoming', value: money(of.pending, of.currency), hint: 'not yet available' },
          {
            label: 'Total',
            value: money(of.ledger, of.currency),
            hint: 'everything in your wallet',
          },
        ]
      }
    />
  )
}

interface Values extends Record<string, unknown> {
  amount: number | string
}

function FundForm({
  currency = 'NGN',
  ...dialog
}: DialogProps & { currency?: string | undefined }) {
  return (
    <FormModal<Values>
      title="Fund the test wallet"
      {...dialog}
      initial={{ amount: 100_000 }}
      action={act('simulate_wallet', {
        input: ({ amount }: Values) => ({ amount }),
        done: 'Test wallet funded.',
      })}
      validate={{ amount: (amount) => (Number(amount) > 0 ? null : 'Must be more than zero.') }}
      verb={({ amount }) => `Add ${money(Number(amount) || 0, currency)}`}
    >
      {(form) => (
        <>
          <Text size="sm">
            No real money moves. Your webhook endpoints receive wallet.funded, as they would for a
            real deposit.
          </Text>
          <MoneyInput
            label="Amount"
            currency={currency}
            required
            data-autofocus
            {...form.field('amount')}
          />
        </>
      )}
    </FormModal>
  )
}
