import { Divider, Stack } from '@mantine/core'
import { useOperation } from '../../../api/hooks.ts'
import type { GetPaymentOrdersResponse } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { formatState, money } from '../../../ui/values.tsx'

type Operation =
  | 'get_payment_orders'
  | 'get_transfer_orders'
  | 'get_settlement_orders'
  | 'get_refund_orders'
  | 'get_bill_orders'

/** Shows which provider has a record, and how its support team can find it there. */
export function ProviderCard({
  orders,
  id,
  currency,
}: {
  orders: Operation
  id: number
  currency: string
}) {
  const { data } = useOperation(orders, { id })
  const found = data?.data ?? []
  if (found.length === 0) return null
  return (
    <Card title="Provider">
      <Stack gap="md">
        {found.map((order, i) => (
          <Stack key={order.attempt} gap="md">
            {i > 0 && <Divider />}
            <Order of={order} currency={currency} isOnly={found.length === 1} />
          </Stack>
        ))}
      </Stack>
    </Card>
  )
}
