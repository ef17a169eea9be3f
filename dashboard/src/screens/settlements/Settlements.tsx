import { Button, Stack, Text } from '@mantine/core'
import { IconCash } from '@tabler/icons-react'
import type { ListedSettlement, Subaccount } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode, useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/settlements.ts'

/** As many as a field can show to be chosen from; of others the screen of each leads here. */
const LISTED_MAX = 100

/** Subaccounts by name, and whichever is chosen, by its code; and whether one is to be made first. */
function useReceivers() {
  const may = useMay()
  const [{ subaccount: chosen }] = useSearchState()
  const { data } = useRead<Envelope<Subaccount[]>>(
    'transaction-service/subaccounts/all',
    { page: 1, limit: LISTED_MAX, sort: 'asc', sortKey: 'business_name' },
    may('subaccounts:read'),
  )
  const options = (data?.data ?? []).map(({ subaccount_code: value, business_name: label }) => ({
    value,
    label,
  }))
  const isListed = !chosen || options.some(({ value }) => value === chosen)
  return {
    receivers: isListed ? options : [...options, { value: chosen, label: chosen }],
    isFirst: data?.data.length === 0 && may('subaccounts:write'),
  }
}

export function Settlements() {
  const { receivers, isFirst } = useReceivers()
  return (
    <ListPage<ListedSettlement>
      title={t.settlements}
      actions={<SettleNow />}
      path="transaction-service/settlements"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: ['Pending', 'Paid', 'Failed'],
        },
        { kind: 'choice', name: 'subaccount', label: t.subaccount, options: receivers },
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        STATUS,
        { label: t.subaccount, cell: (one) => <Receiver of={one} />, onPhone: 'below' },
        { label: t.lines, cell: ({ count }) => count.toLocaleString('en-NG'), align: 'right' },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `settlements/${reference}`}
      empty={{
        title: t.noSettlementsYet,
        text: t.afterEachMidnightEverySubaccount,
        ...(isFirst && {
          action: <ScreenLink to="subaccounts">{t.addASubaccountFirst}</ScreenLink>,
        }),
      }}
    />
  )
}

function Receiver({ of }: { of: ListedSettlement }) {
  return (
    <Stack gap={0}>
      <span>{of.business_name ?? of.subaccountCode}</span>
      <Text span size="xs" c="dimmed">
        {of.bankName} · {of.accountNumber}
      </Text>
    </Stack>
  )
}

/** Test mode does not have to wait for midnight. */
function SettleNow() {
  const may = useMay()
  const mode = useMode()
  const settle = useAction({
    path: '/api/simulator/settlement',
    send: () => ({}),
    done: t.everythingThatWasDueIs,
  })
  if (mode !== 'test' || !may('simulator:write')) return null
  return (
    <Button
      leftSection={<IconCash size={16} />}
      loading={settle.isPending}
      onClick={() => settle.mutate()}
    >
      {t.settleNow}
    </Button>
  )
}
