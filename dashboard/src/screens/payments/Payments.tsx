import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { Figures } from '../../parts/Figures.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Copyable, channelName, money, short } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref, useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/checkout.ts'
import { type Payment, payerOf, type Totals } from './types.ts'

export function Payments() {
  const may = useMay()
  const href = useHref()
  const take = may('transactions:write') && (
    <Button component={Link} to={href('payments/new')} leftSection={<IconPlus size={16} />}>
      {t.take}
    </Button>
  )
  return (
    <ListPage<Payment>
      title="Payments"
      actions={take}
      path="transaction-service/transactions"
      cut="cursor"
      search="search"
      csv="transaction-service/transactions/export"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: [
            'Pending',
            'Successful',
            'Failed',
            'Abandoned',
            { value: 'PartiallyRefunded', label: 'Partially refunded' },
            'Refunded',
            'Reversed',
          ],
        },
        {
          kind: 'choice',
          name: 'channel',
          label: 'Paid by',
          options: ['BANK_TRANSFER', 'USSD', 'CARD', 'WALLET', 'OFFLINE'].map((value) => ({
            value,
            label: channelName(value),
          })),
        },
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        { label: 'Payer', cell: (payment) => <Payer of={payment} />, onPhone: 'below' },
        {
          label: 'Paid by',
          cell: ({ channel }) => <span className="whole">{channelName(channel)}</span>,
        },
        {
          label: 'Reference',
          cell: ({ reference }) => <Copyable text={reference} shown={short(reference)} />,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `payments/${reference}`}
      empty={{
        title: 'No payments yet',
        text: 'Each payment of an invoice, a page or your API appears here the moment it begins.',
        ...(take && { action: take }),
      }}
    >
      <PaymentTotals />
    </ListPage>
  )
}

function Payer({ of }: { of: Payment }) {
  const { name, email } = of.customer
  return (
    <Stack gap={0}>
      <Clip text={payerOf(of)} />
      {name && email && (
        <Text span size="xs" c="dimmed">
          <Clip text={email} />
        </Text>
      )}
    </Stack>
  )
}

/** What came in during the days of the filters, else during the last thirty. */
function PaymentTotals() {
  const [{ startDate, endDate }] = useSearchState()
  const { data, error } = useRead<Envelope<Totals>>('transaction-service/transactions/totals', {
    startDate,
    endDate,
  })
  // Over more than a year there are none; the list is there all the same.
  if (error) return null
  const totals = data?.data
  return (
    <Figures
      of={
        totals && [
          {
            label: 'Paid',
            value: money(totals.amount, totals.currency),
            hint: startDate || endDate ? 'in the chosen days' : 'in the last 30 days',
          },
          {
            label: 'Yours after fees',
            value: money(totals.netAmount, totals.currency),
            hint: `${money(totals.fees, totals.currency)} fees`,
          },
          {
            label: 'Payments',
            value: totals.count.toLocaleString('en-NG'),
            hint: successRateOf(totals),
          },
          {
            label: 'Refunded',
            value: money(totals.refundedAmount, totals.currency),
            hint: 'of these payments',
          },
        ]
      }
    />
  )
}

function successRateOf({ byStatus, count }: Totals): string {
  const begun = byStatus.reduce((sum, { status, count: n }) => {
    return status === 'Pending' ? sum : sum + n
  }, 0)
  return begun === 0 ? 'none yet' : `${Math.round((100 * count) / begun)}% of those that ended`
}
