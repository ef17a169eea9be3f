import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowUpRight, IconCoins } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { WalletBalance } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Figures } from '../../parts/Figures.tsx'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Failure } from '../../parts/states.tsx'
import { money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref, useMode, useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/wallet.ts'
import type { ListedMove } from '../ledger/types.ts'
import { Cause, kindName, Signed } from './causes.tsx'
import { FundForm } from './FundForm.tsx'

/** Of the ledger, what can be spent or was. */
const AVAILABLE = { account: 'wallet_available' }

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
      {t.fundTheTestWallet}
    </Button>
  )
  return (
    <>
      <ListPage<ListedMove>
        title={t.wallet}
        actions={
          <>
            {may('transfers:write') && (
              <Button
                component={Link}
                to={href('transfers/new')}
                variant="default"
                leftSection={<IconArrowUpRight size={16} />}
              >
                {t.sendMoney}
              </Button>
            )}
            {mayFund && fund}
          </>
        }
        path="/console/ledger"
        query={AVAILABLE}
        cut="cursor"
        csv="/console/ledger/export"
        filters={[
          {
            kind: 'choice',
            name: 'direction',
            label: t.inOrOut,
            options: [
              { value: 'in', label: t.moneyIn },
              { value: 'out', label: t.moneyOut },
            ],
          },
          ...(rows.length > 1
            ? [
                {
                  kind: 'choice' as const,
                  name: 'currency',
                  label: t.currency,
                  options: rows.map((row) => row.currency),
                },
              ]
            : []),
          ...DAYS,
        ]}
        columns={[
          { label: t.what, cell: ({ kind }) => kindName(kind) },
          { label: t.becauseOf, cell: ({ cause }) => <Cause of={cause} />, onPhone: 'below' },
          { label: t.when, cell: ({ createdAt }) => <When at={createdAt} />, onPhone: true },
          {
            label: t.amount,
            cell: ({ direction, amount, currency: its }) => (
              <Signed direction={direction} amount={amount} currency={its} />
            ),
            align: 'right',
            onPhone: true,
          },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ reference }) => `ledger/${reference}`}
        empty={{
          title: t.nothingHasMovedYet,
          text: t.paymentsAddToTheWallet,
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
                {t.allAccountsAndTheBalance}
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
            label: t.available,
            value: money(of.available, of.currency),
            hint: t.yoursToSendOrSpend,
          },
          {
            label: t.onItsWayOut,
            value: money(of.held, of.currency),
            hint: t.heldForTransfersAndBills,
          },
          {
            label: t.onItsWayIn,
            value: money(of.pending, of.currency),
            hint: t.notYetAvailable,
          },
          {
            label: t.inAll,
            value: money(of.ledger, of.currency),
            hint: t.asTheBooksHaveIt,
          },
        ]
      }
    />
  )
}
