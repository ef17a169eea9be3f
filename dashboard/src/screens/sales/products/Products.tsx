import { Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice, useIsPhone } from '../../../ui/Filters.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { Money } from '../../../ui/values.tsx'
import { KINDS, stockOf, Thumb } from './values.tsx'

export function Products() {
  const may = usePermission()
  const go = useGo()
  const isPhone = useIsPhone()
  const create = may('products:write') && (
    <ActionButton icon={IconPlus} label="New product" isMain onClick={() => go('products/new')} />
  )
  return (
    <ListPage
      title="Products"
      operation="list_products"
      search="search"
      actions={create}
      filters={[
        choice('status', 'Status', ['Draft', 'Active', 'Archived']),
        choice(
          'type',
          'Kind',
          Object.entries(KINDS).map(([value, label]) => ({ value, label })),
        ),
      ]}
      columns={[
        {
          label: 'Product',
          cell: (product) => (
            <Group gap="sm" wrap="nowrap">
              <Thumb of={product.media[0]} />
              <span className="breaks">{product.name}</span>
            </Group>
          ),
        },
        {
          label: 'Price',
          cell: ({ price, currency }) => <Money amount={price} currency={currency} />,
          onPhone: true,
          align: 'right',
        },
        {
          label: 'In stock',
          cell: (product) => (
            <Text span inherit c="dimmed" className="whole">
              {stockOf(product, isPhone ? (count: string) => `${count} in stock` : undefined)}
            </Text>
          ),
          onPhone: 'below',
        },
        { label: 'Kind', cell: ({ type }) => KINDS[type] ?? type, isWide: true },
        { label: 'Sold', cell: ({ sold }) => sold.toLocaleString('en-NG'), align: 'right' },
        STATUS,
      ]}
      hasTimes={false}
      keyOf={({ productId }) => productId}
      hrefOf={({ productId }) => `products/${productId}`}
      empty={{
        title: 'No products yet',
        text: 'Sell goods, files or services on your payment pages. Tradepost tracks the stock for you.',
        action: create,
      }}
    />
  )
}
