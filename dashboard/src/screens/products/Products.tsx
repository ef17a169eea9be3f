import { Button, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Product } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Money, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { Thumb } from './parts.tsx'
import { stockOf } from './values.ts'

export function Products() {
  const may = useMay()
  const go = useGo()
  const create = may('products:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('products/new')}>
      New product
    </Button>
  )
  return (
    <ListPage<Product>
      title="Products"
      path="payment-service/products/get-products"
      search="search"
      actions={create}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: ['Draft', 'Active', 'Archived'],
        },
        {
          kind: 'choice',
          name: 'type',
          label: 'Kind',
          options: ['physical', 'digital', 'service'].map((value) => ({
            value,
            label: words(value),
          })),
        },
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
              {stockOf(product)}
            </Text>
          ),
          onPhone: 'below',
        },
        { label: 'Kind', cell: ({ type }) => words(type) },
        { label: 'Sold', cell: ({ sold }) => sold.toLocaleString('en-NG'), align: 'right' },
        STATUS,
      ]}
      keyOf={({ productId }) => productId}
      hrefOf={({ productId }) => `products/${productId}`}
      empty={{
        title: 'No products yet',
        text: 'Goods, files or services that you sell on payment pages. Stock is counted for you.',
        action: create,
      }}
    />
  )
}
