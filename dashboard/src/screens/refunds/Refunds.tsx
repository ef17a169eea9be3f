import { Button, Stack, Text } from '@mantine/core'
import { IconReceiptRefund } from '@tabler/icons-react'
import type { Refund } from '../../../../sdk/src/operations.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { useNew } from '../../parts/new.ts'
import { short } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { NewRefund } from './NewRefund.tsx'

export function Refunds() {
  const may = useMay()
  const [isMaking, making] = useNew()
  const make = may('refunds:write') && (
    <Button leftSection={<IconReceiptRefund size={16} />} onClick={making.open}>
      Refund a payment
    </Button>
  )
  return (
    <>
      <ListPage<Refund>
        title="Refunds"
        actions={make}
        path="transaction-service/refunds"
        search="transactionReference"
        filters={[
          {
            kind: 'choice',
            name: 'status',
            label: 'Status',
            options: [
              'Pending',
              'Processing',
              'Processed',
              'Failed',
              { value: 'NeedsAttention', label: 'Needs attention' },
            ],
          },
          { kind: 'day', name: 'startDate', label: 'From' },
          { kind: 'day', name: 'endDate', label: 'To' },
        ]}
        columns={[
          AMOUNT,
          STATUS,
          {
            label: 'Payment',
            cell: ({ transactionReference: its }) => (
              <span className="whole">
                <ScreenLink to={`payments/${its}`}>{short(its)}</ScreenLink>
              </span>
            ),
          },
          { label: 'Reason', cell: ({ reason }) => <Reason of={reason} />, onPhone: 'below' },
          WHEN,
        ]}
        keyOf={({ reference }) => reference}
        hrefOf={({ reference }) => `refunds/${reference}`}
        empty={{
          title: 'No refunds yet',
          text: 'Give back all or part of a payment. Subaccounts that had a share of it pay back theirs.',
          ...(make && { action: make }),
        }}
      />
      <NewRefund opened={isMaking} onClose={making.close} />
    </>
  )
}

function Reason({ of }: { of: string | null }) {
  return (
    <Stack gap={0}>
      <Text size="sm" lineClamp={2} {...(!of && { c: 'dimmed' })}>
        {of ?? 'No reason given'}
      </Text>
    </Stack>
  )
}
