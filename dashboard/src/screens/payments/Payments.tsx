import { IconPlus } from '@tabler/icons-react'
import { useOperation } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { ActionButton } from '../../ui/buttons.tsx'
import { Figures } from '../../ui/Figures.tsx'
import { choice } from '../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../ui/ListPage.tsx'
import { useSearchState } from '../../ui/navigation.ts'
import {
  Copyable,
  channelName,
  money,
  percent,
  shortReference,
  Truncated,
} from '../../ui/values.tsx'
import { sumOf } from './amounts.ts'
import { payerOf, type Totals } from './RefundForm.tsx'

export function Payments() {
  const may = usePermission()
  const take = may('transactions:write') && (
    <ActionButton icon={IconPlus} label="Take a payment" isMain to="payments/new" />
  )
  return (
    <ListPage
      title="Payments"
      actions={take}
      operation="list_transactions"
      cut="cursor"
      // Omits checkouts for which the payer has not chosen a payment method.
      query={{ methodChosen: 'true' }}
      search="search"
      csv="export_transactions"
      filters={[
        choice('status', 'Status', [
          'Pending',
          'Successful',
          'Failed',
          'Abandoned',
          { value: 'PartiallyRefunded', label: 'Partially refunded' },
          'Refunded',
          'Reversed',
        ]),
        choice(
          'channel',
          'Payment method',
          ['BANK_TRANSFER', 'USSD', 'CARD', 'WALLET', 'OFFLINE'].map((value) => ({
            value,
            label: channelName(value),
          })),
        ),
        choice('methodChosen', 'Checkouts', [
          { value: 'false', label: 'Opened, but no payment method chosen' },
        ]),
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: 'Payer',
          cell: (payment) => <Truncated text={payerOf(payment)} also={payment.customer.email} />,
          onPhone: 'below',
        },
        {
          label: 'Payment method',
          cell: ({ channel }) => <span className="whole">{channelName(channel)}</span>,
          isWide: true,
        },
        {
          label: 'Reference',
          cell: ({ reference }) => <Copyable text={reference} shown={shortReference(reference)} />,
          isWide: true,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `payments/${reference}`}
      empty={{
        title: 'No payments yet',
        text: 'Every payment appears here as soon as it starts, whether it is for an invoice, on a payment page or through your API.',
        ...(take && { action: take }),
      }}
    >
      <PaymentTotals />
    </ListPage>
  )
}

/** Shows the totals for the selected dates or, by default, for the last thirty days. */
function PaymentTotals() {
  const [{ startDate, endDate }] = useSearchState()
  const { data, error } = useOperation(
    'get_transaction_totals',
    { startDate, endDate },
    { keepsPrevious: true },
  )
  // The server returns no totals for more than a year, but the list still works.
  if (error) return null
  const totals = data?.data
  const when = startDate || endDate ? 'in the selected period' : 'in the last 30 days'
  const outside = totals?.byChannel.find(({ channel }) => channel === 'OFFLINE')?.amount ?? 0
  const refunds = totals ? sumOf(totals.netAmount, -totals.netAfterRefunds) : 0
  const received = totals && sumOf(totals.netAmount, totals.fees, totals.overpaidAmount)
  return (
    <Figures
      lines={2}
      of={
        totals && [
          {
            label: 'Received',
            value: money(received, totals.currency),
            hint:
              outside > 0
                ? `including ${money(outside, totals.currency)} paid outside Tradepost`
                : when,
          },
          {
            label: 'Net',
            value: money(totals.netAfterRefunds, totals.currency),
            hint: (
              <>
                <div>less {money(totals.fees, totals.currency)} fees</div>
                {refunds > 0 && <div>less {money(refunds, totals.currency)} refunded</div>}
                {totals.overpaidAmount > 0 && (
                  <div>less {money(totals.overpaidAmount, totals.currency)} overpaid</div>
                )}
              </>
            ),
          },
          {
            label: 'Payments',
            value: totals.count.toLocaleString('en-NG'),
            hint: successRateOf(totals),
          },
          {
            label: 'Refunded',
            value: money(totals.refundedAmount, totals.currency),
            hint: 'from these payments',
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
  return begun === 0 ? 'none completed yet' : `${percent(count / begun)} of completed attempts`
}
