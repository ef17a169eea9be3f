import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowUpRight, IconCoins } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { WalletBalance, WalletLedger } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Figures } from '../../parts/Figures.tsx'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Failure } from '../../parts/states.tsx'
import { money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref, useMode, useSearchState } from '../../shell/where.ts'
import { Cause, kindName, Signed } from './causes.tsx'
import { FundForm } from './FundForm.tsx'

export function Wallet() {
  const may = useMay()
  const mode = useMode()
  const href = useHref()
  const [isFunding, funding] = useDisclosure(false)
  const balances = useRead<Envelope<WalletBalance[]>>('user-service/wallet/balance')
  const rows = balances.data?.data ?? []
  const [{ currency }] = useSearchState()
  const shown = rows.find((row) => row.currency === currency) ?? rows[0]
  const mayFund = mode === 'test' && may('simulator:write')
  const fund = (
    <Button leftSection={<IconCoins size={16} />} onClick={funding.open}>
      Fund the test wallet
    </Button>
  )
  return (
    <>
      <ListPage<WalletLedger>
        title="Wallet"
        actions={
          <>
            {may('transfers:write') && (
              <Button
                component={Link}
                to={href('transfers/new')}
                variant="default"
                leftSection={<IconArrowUpRight size={16} />}
              >
                Send money
              </Button>
            )}
            {mayFund && fund}
          </>
        }
        path="user-service/wallet/ledger"
        cut="cursor"
        filters={[
          {
            kind: 'choice',
            name: 'type',
            label: 'In or out',
            options: [
              { value: 'credit', label: 'Money in' },
              { value: 'debit', label: 'Money out' },
            ],
          },
          ...(rows.length > 1
            ? [
                {
                  kind: 'choice' as const,
                  name: 'currency',
                  label: 'Currency',
                  options: rows.map((row) => row.currency),
                },
              ]
            : []),
          ...DAYS,
        ]}
        columns={[
          { label: 'What', cell: ({ kind }) => kindName(kind) },
          { label: 'Because of', cell: ({ cause }) => <Cause of={cause} />, onPhone: 'below' },
          { label: 'When', cell: ({ createdAt }) => <When at={createdAt} />, onPhone: true },
          {
            label: 'Amount',
            cell: ({ type, amount, currency: its }) => (
              <Signed direction={type === 'credit' ? 'in' : 'out'} amount={amount} currency={its} />
            ),
            align: 'right',
            onPhone: true,
          },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ reference }) => `ledger/${reference}`}
        empty={{
          title: 'Nothing has moved yet',
          text: 'Payments add to the wallet; transfers, refunds and bills take from it. Each movement is a line here.',
          ...(mayFund && { action: fund }),
        }}
      >
        {balances.error ? (
          <Failure error={balances.error} again={() => void balances.refetch()} />
        ) : (
          <Stack gap="xs">
            <Balance of={shown} isPending={balances.isPending} />
            <Text size="sm">
              <ScreenLink to="ledger" search={{ account: 'wallet_available' }}>
                All accounts, and the balance after each entry
              </ScreenLink>
            </Text>
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
            hint: 'yours to send or spend',
          },
          {
            label: 'On its way out',
            value: money(of.held, of.currency),
            hint: 'held for transfers and bills',
          },
          {
            label: 'On its way in',
            value: money(of.pending, of.currency),
            hint: 'not yet available',
          },
          {
            label: 'In all',
            value: money(of.ledger, of.currency),
            hint: 'as the books have it',
          },
        ]
      }
    />
  )
}
