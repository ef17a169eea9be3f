import { Button, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Product } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { useIsPhone } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/products.ts'
import { Thumb } from './parts.tsx'
import { KINDS, stockOf } from './values.ts'

export function Products() {
  const may = useMay()
  const go = useGo()
  const isPhone = useIsPhone()
  const create = may('products:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('products/new')}>
      {t.newProduct}
    </Button>
  )
  return (
    <ListPage<Product>
      title={t.products}
      path="payment-service/products/get-products"
      search="search"
      actions={create}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: ['Draft', 'Active', 'Archived'],
        },
        {
          kind: 'choice',
          name: 'type',
          label: t.kind,
          options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
        },
      ]}
      columns={[
        {
          label: t.product,
          cell: (product) => (
            <Group gap="sm" wrap="nowrap">
              <Thumb of={product.media[0]} />
              <span className="breaks">{product.name}</span>
            </Group>
          ),
        },
        {
          label: t.price,
          cell: ({ price, currency }) => <Money amount={price} currency={currency} />,
          onPhone: true,
          align: 'right',
        },
        {
          label: t.inStock,
          cell: (product) => (
            <Text span inherit c="dimmed" className="whole">
              {stockOf(product, isPhone ? t.countInStock : undefined)}
            </Text>
          ),
          onPhone: 'below',
        },
        { label: t.kind, cell: ({ type }) => KINDS[type] ?? type, isWide: true },
        { label: t.sold, cell: ({ sold }) => sold.toLocaleString('en-NG'), align: 'right' },
        STATUS,
      ]}
      hasTimes={false}
      keyOf={({ productId }) => productId}
      hrefOf={({ productId }) => `products/${productId}`}
      empty={{
        title: t.noProductsYet,
        text: t.goodsFilesOrServicesThat,
        action: create,
      }}
    />
  )
}
