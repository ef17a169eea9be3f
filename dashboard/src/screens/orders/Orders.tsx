import type { Order } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Copyable, Money, short, When } from '../../parts/values.tsx'

export function Orders() {
  return (
    <ListPage<Order>
      title="Orders"
      path="transaction-service/orders"
      search="search"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: ['Pending', 'Paid', 'Cancelled', 'Refunded'],
        },
        ...DAYS,
      ]}
      columns={[
        {
          label: 'Customer',
          cell: ({ customer }) => <Clip text={customer.name ?? customer.email} />,
        },
        { label: 'What', cell: (order) => whatOf(order), onPhone: 'below' },
        {
          label: 'Amount',
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          onPhone: true,
          align: 'right',
        },
        STATUS,
        {
          label: 'Reference',
          cell: ({ reference }) => <Copyable text={reference} shown={short(reference)} />,
        },
        { label: 'When', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `orders/${reference}`}
      empty={{
        title: 'No orders yet',
        text: 'What people buy on your payment pages appears here, with where to send it.',
      }}
    />
  )
}

/** The first line, and how many more there are. */
function whatOf({ lines }: Order): string {
  const [first, ...others] = lines
  if (!first) return 'A payment'
  const times = first.quantity > 1 ? ` × ${first.quantity}` : ''
  return `${first.name}${times}${others.length > 0 ? ` and ${others.length} more` : ''}`
}
