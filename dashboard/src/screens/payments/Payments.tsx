import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, Money, Status, When } from '../../parts/values.tsx'
import type { Payment } from './types.ts'

export function Payments() {
  return (
    <ListPage<Payment>
      title="Payments"
      path="transaction-service/transactions"
      cut="cursor"
      search="search"
      csv="transaction-service/transactions/export"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: ['Pending', 'Successful', 'Failed', 'Abandoned', 'Reversed'],
        },
        {
          kind: 'choice',
          name: 'channel',
          label: 'Paid by',
          options: [
            { value: 'BANK_TRANSFER', label: 'Bank transfer' },
            { value: 'USSD', label: 'USSD' },
          ],
        },
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        {
          label: 'Amount',
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
        { label: 'Status', cell: ({ status }) => <Status of={status} />, onPhone: true },
        {
          label: 'Payer',
          cell: ({ customerName, customerEmail }) => customerName ?? customerEmail ?? '–',
        },
        { label: 'Reference', cell: ({ reference }) => <Copyable text={reference} /> },
        {
          label: 'When',
          cell: ({ createdAt }) => <When at={createdAt} />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `payments/${reference}`}
      empty={{
        title: 'No payments yet',
        text: 'Each payment of an invoice, a page or your API appears here the moment it begins.',
      }}
    />
  )
}
