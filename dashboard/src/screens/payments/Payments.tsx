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
import { t as own } from '../../texts/payments.ts'
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
      title={own.payments}
      actions={take}
      path="transaction-service/transactions"
      cut="cursor"
      search="search"
      csv="transaction-service/transactions/export"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: own.status,
          options: [
            'Pending',
            'Successful',
            'Failed',
            'Abandoned',
            { value: 'PartiallyRefunded', label: own.partiallyRefunded },
            'Refunded',
            'Reversed',
          ],
        },
        {
          kind: 'choice',
          name: 'channel',
          label: own.paidBy,
          options: ['BANK_TRANSFER', 'USSD', 'CARD', 'WALLET', 'OFFLINE'].map((value) => ({
            value,
            label: channelName(value),
          })),
        },
        { kind: 'day', name: 'startDate', label: own.from },
        { kind: 'day', name: 'endDate', label: own.to },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        { label: own.payer, cell: (payment) => <Payer of={payment} />, onPhone: 'below' },
        {
          label: own.paidBy,
          cell: ({ channel }) => <span className="whole">{channelName(channel)}</span>,
        },
        {
          label: own.reference,
          cell: ({ reference }) => <Copyable text={reference} shown={short(reference)} />,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `payments/${reference}`}
      empty={{
        title: own.noPaymentsYet,
        text: own.eachPaymentOfAnInvoice,
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
            label: own.paid,
            value: money(totals.amount, totals.currency),
            hint: startDate || endDate ? own.inTheChosenDays : own.inTheLast30Days,
          },
          {
            label: own.yoursAfterFees,
            value: money(totals.netAfterRefunds, totals.currency),
            hint: `${money(totals.fees, totals.currency)} fees`,
          },
          {
            label: own.payments,
            value: totals.count.toLocaleString('en-NG'),
            hint: successRateOf(totals),
          },
          {
            label: own.refunded,
            value: money(totals.refundedAmount, totals.currency),
            hint: own.ofThesePayments,
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
  return begun === 0 ? own.noneYet : own.ofThoseThatEnded(Math.round((100 * count) / begun))
}
