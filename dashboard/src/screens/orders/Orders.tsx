import { Text } from '@mantine/core'
import type { Order } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Money, orderNumber, When } from '../../parts/values.tsx'
import { t } from '../../texts/orders.ts'

export function Orders() {
  return (
    <ListPage<Order>
      title={t.orders}
      path="transaction-service/orders"
      search="search"
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: ['Pending', 'Paid', 'Cancelled', 'Refunded'],
        },
        ...DAYS,
      ]}
      columns={[
        {
          label: t.customer,
          cell: ({ customer }) => <Clip text={customer.name ?? customer.email} />,
        },
        { label: t.what, cell: (order) => whatOf(order), onPhone: 'below' },
        {
          label: t.amount,
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          onPhone: true,
          align: 'right',
        },
        STATUS,
        {
          label: t.number,
          cell: ({ reference }) => (
            <Text span inherit c="dimmed" className="whole" title={reference}>
              {orderNumber(reference)}
            </Text>
          ),
        },
        { label: t.when, cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `orders/${reference}`}
      empty={{
        title: t.noOrdersYet,
        text: t.whatPeopleBuyOnYour,
      }}
    />
  )
}

/** The first line, and how many more there are. */
function whatOf({ lines }: Order): string {
  const [first, ...others] = lines
  if (!first) return t.aPayment
  const times = first.quantity > 1 ? ` × ${first.quantity}` : ''
  return `${first.name}${times}${others.length > 0 ? ` and ${others.length} more` : ''}`
}
