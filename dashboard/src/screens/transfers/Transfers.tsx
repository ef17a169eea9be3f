import { Button, Stack, Text } from '@mantine/core'
import { IconArrowUpRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Transfer } from '../../../../sdk/src/operations.ts'
import { businessId } from '../../api/session.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, money, short } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref } from '../../shell/where.ts'
import { t } from '../../texts/transfers.ts'

const TRANSFER_STATES = ['Unverified', 'Pending', 'Successful', 'Failed', 'Blocked', 'Rejected']

export function Transfers() {
  const may = useMay()
  const href = useHref()
  const send = may('transfers:write') && (
    <Button
      component={Link}
      to={href('transfers/new')}
      leftSection={<IconArrowUpRight size={16} />}
    >
      {t.sendMoney}
    </Button>
  )
  return (
    <ListPage<Transfer>
      title={t.transfers}
      actions={send}
      path="transaction-service/transfer/get-transfer-list"
      query={{ businessId: businessId() ?? '' }}
      search="transferReference"
      searchFor={t.yourReference}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: TRANSFER_STATES.map((value) =>
            value === 'Unverified' ? { value, label: t.unverifiedWaitingForApproval } : value,
          ),
        },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        { label: t.toLabel, cell: (transfer) => <Destination of={transfer} />, onPhone: 'below' },
        {
          label: t.reference,
          cell: ({ transferReference, reference }) => (
            <Copyable
              text={transferReference || reference}
              shown={short(transferReference || reference)}
            />
          ),
        },
        {
          label: t.fee,
          cell: ({ fee, currency }) => <span className="whole">{money(fee, currency)}</span>,
          align: 'right',
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `transfers/${reference}`}
      empty={{
        title: t.noTransfersYet,
        text: t.sendMoneyFromTheWallet,
        ...(send && { action: send }),
      }}
    />
  )
}

function Destination({ of }: { of: Transfer }) {
  return (
    <Stack gap={0}>
      <span>{of.accountName ?? of.accountNumber}</span>
      <Text span size="xs" c="dimmed">
        {of.bankName} · {of.accountNumber}
      </Text>
    </Stack>
  )
}
