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
      Send money
    </Button>
  )
  return (
    <ListPage<Transfer>
      title="Transfers"
      actions={send}
      path="transaction-service/transfer/get-transfer-list"
      query={{ businessId: businessId() ?? '' }}
      search="transferReference"
      searchFor="Your reference"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: TRANSFER_STATES.map((value) =>
            value === 'Unverified' ? { value, label: 'Unverified: waiting for approval' } : value,
          ),
        },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        { label: 'To', cell: (transfer) => <Destination of={transfer} />, onPhone: 'below' },
        {
          label: 'Reference',
          cell: ({ transferReference, reference }) => (
            <Copyable
              text={transferReference || reference}
              shown={short(transferReference || reference)}
            />
          ),
        },
        {
          label: 'Fee',
          cell: ({ fee, currency }) => <span className="whole">{money(fee, currency)}</span>,
          align: 'right',
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `transfers/${reference}`}
      empty={{
        title: 'No transfers yet',
        text: 'Send money from the wallet to any bank account in Nigeria. Transfers above your limit need a second person’s approval.',
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
