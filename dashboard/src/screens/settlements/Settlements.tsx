import { Button, Stack, Text } from '@mantine/core'
import { IconCash } from '@tabler/icons-react'
import type { ListedSettlement } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Money, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'

export function Settlements() {
  return (
    <ListPage<ListedSettlement>
      title="Settlements"
      actions={<SettleNow />}
      path="transaction-service/settlements"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: ['Pending', 'Paid', 'Failed'],
        },
        { kind: 'text', name: 'subaccount', label: 'Subaccount (code)' },
        ...DAYS,
      ]}
      columns={[
        {
          label: 'Amount',
          align: 'right',
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
        { label: 'Status', cell: ({ status }) => <Status of={status} />, onPhone: true },
        { label: 'Subaccount', cell: (one) => <Receiver of={one} />, onPhone: 'below' },
        { label: 'Lines', cell: ({ count }) => count.toLocaleString('en-NG'), align: 'right' },
        {
          label: 'When',
          cell: ({ createdAt }) => <When at={createdAt} />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `settlements/${reference}`}
      empty={{
        title: 'No settlements yet',
        text: 'After each midnight, every subaccount is paid its shares of the payments of the day, less refunds.',
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
    done: 'What was open is being paid out.',
  })
  if (mode !== 'test' || !may('simulator:write')) return null
  return (
    <Button
      leftSection={<IconCash size={16} />}
      loading={settle.isPending}
      onClick={() => settle.mutate()}
    >
      Settle now
    </Button>
  )
}
