import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { Figures } from '../../parts/Figures.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Copyable, channelName, money, percent, short } from '../../parts/values.tsx'
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
      // Somebody who only opened a checkout has not begun to pay.
      query={{ methodChosen: 'true' }}
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
        {
          kind: 'choice',
          name: 'methodChosen',
          label: own.checkouts,
          options: [{ value: 'false', label: own.onlyOpened }],
        },
        { kind: 'day', name: 'startDate', label: own.from },
        { kind: 'day', name: 'endDate', label: own.to },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: own.payer,
          cell: (payment) => <Clip text={payerOf(payment)} also={payment.customer.email} />,
          onPhone: 'below',
        },
        {
          label: own.paidBy,
          cell: ({ channel }) => <span className="whole">{channelName(channel)}</span>,
          isWide: true,
        },
        {
          label: own.reference,
          cell: ({ reference }) => <Copyable text={reference} shown={short(reference)} />,
          isWide: true,
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
  const when = startDate || endDate ? own.inTheChosenDays : own.inTheLast30Days
  const outside = totals?.byChannel.find(({ channel }) => channel === 'OFFLINE')?.amount ?? 0
  const refunds = totals ? sumOf(totals.netAmount, -totals.netAfterRefunds) : 0
  const received = totals && sumOf(totals.netAmount, totals.fees, totals.overpaidAmount)
  return (
    <Figures
      lines={2}
      of={
        totals && [
          {
            label: own.received,
            value: money(received, totals.currency),
            hint: outside > 0 ? own.withOutside(money(outside, totals.currency)) : when,
          },
          {
            label: own.net,
            value: money(totals.netAfterRefunds, totals.currency),
            hint: (
              <>
                <div>{own.lessFees(money(totals.fees, totals.currency))}</div>
                {refunds > 0 && <div>{own.lessRefunds(money(refunds, totals.currency))}</div>}
                {totals.overpaidAmount > 0 && (
                  <div>{own.lessOverpaid(money(totals.overpaidAmount, totals.currency))}</div>
                )}
              </>
            ),
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

/** Exact to the kobo, whatever fractions do. */
const sumOf = (...amounts: number[]): number =>
  Math.round(amounts.reduce((sum, amount) => sum + amount * 100, 0)) / 100

function successRateOf({ byStatus, count }: Totals): string {
  const begun = byStatus.reduce((sum, { status, count: n }) => {
    return status === 'Pending' ? sum : sum + n
  }, 0)
  return begun === 0 ? own.noneYet : own.ofThoseThatEnded(percent(count / begun))
}
