import { Text } from '@mantine/core'
import type { Order } from '../../../../../sdk/src/operations.ts'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { orderNumber, Truncated, When } from '../../../ui/values.tsx'

export function Orders() {
  return (
    <ListPage
      title="Orders"
      operation="list_orders"
      search="search"
      filters={[choice('status', 'Status', ['Pending', 'Paid', 'Cancelled', 'Refunded']), ...DAYS]}
      columns={[
        {
          label: 'Customer',
          cell: ({ customer }) => <Truncated text={customer.name ?? customer.email} />,
        },
        { label: 'Item', cell: (order) => whatOf(order), onPhone: 'below' },
        { ...AMOUNT, label: 'Amount', onPhone: true },
        STATUS,
        {
          label: 'Number',
          cell: ({ reference }) => (
            <Text span inherit c="dimmed" className="whole" title={reference}>
              {orderNumber(reference)}
            </Text>
          ),
        },
        { label: 'Date', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `orders/${reference}`}
      empty={{
        title: 'No orders yet',
        text: 'Orders from your payment pages appear here with their delivery addresses.',
      }}
    />
  )
}

/** `Shirt × 2 and 1 more` */
function whatOf({ lines }: Order): string {
  const [first, ...others] = lines
  if (!first) return 'A payment'
  const times = first.quantity > 1 ? ` × ${first.quantity}` : ''
  return `${first.name}${times}${others.length > 0 ? ` and ${others.length} more` : ''}`
}
