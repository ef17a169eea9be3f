import { Button, Stack, Text } from '@mantine/core'
import { IconReceiptRefund } from '@tabler/icons-react'
import type { Refund } from '../../../../sdk/src/operations.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { useNew } from '../../parts/new.ts'
import { short } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/refunds.ts'
import { NewRefund } from './NewRefund.tsx'

export function Refunds() {
  const may = useMay()
  const [isMaking, making] = useNew()
  const make = may('refunds:write') && (
    <Button leftSection={<IconReceiptRefund size={16} />} onClick={making.open}>
      {t.refundAPayment}
    </Button>
  )
  return (
    <>
      <ListPage<Refund>
        title={t.refunds}
        actions={make}
        path="transaction-service/refunds"
        search="transactionReference"
        filters={[
          {
            kind: 'choice',
            name: 'status',
            label: t.status,
            options: [
              'Pending',
              'Processing',
              'Processed',
              'Failed',
              { value: 'NeedsAttention', label: t.needsAttention },
            ],
          },
          { kind: 'day', name: 'startDate', label: t.from },
          { kind: 'day', name: 'endDate', label: t.to },
        ]}
        columns={[
          AMOUNT,
          STATUS,
          {
            label: t.payment,
            cell: ({ transactionReference: its }) => (
              <span className="whole">
                <ScreenLink to={`payments/${its}`}>{short(its)}</ScreenLink>
              </span>
            ),
          },
          { label: t.reason, cell: ({ reason }) => <Reason of={reason} />, onPhone: 'below' },
          WHEN,
        ]}
        keyOf={({ reference }) => reference}
        hrefOf={({ reference }) => `refunds/${reference}`}
        empty={{
          title: t.noRefundsYet,
          text: t.giveBackAllOrPart,
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
        {of ?? t.noReasonGiven}
      </Text>
    </Stack>
  )
}
