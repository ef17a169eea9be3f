import { ActionIcon, NumberInput, Switch, Table, Text, TextInput } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import type { Product } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money, Status } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'

type Variant = Product['variants'][number]

const nameOf = ({ optionValues }: Variant): string => Object.values(optionValues).join(' · ')

/** Each combination of a product's options, with its own price and stock. */
export function Variants({ of: product }: { of: Product }) {
  const writes = useMay()('products:write')
  const [edited, edit] = useState<Variant>()
  const { variants, currency } = product
  return (
    <Card title="Variants">
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label="Variants">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Variant</Table.Th>
              <Table.Th>SKU</Table.Th>
              <Table.Th ta="right">Price</Table.Th>
              <Table.Th ta="right">In stock</Table.Th>
              {writes && <Table.Th aria-label="Actions" />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.map((variant) => (
              <Table.Tr key={variant.variantId}>
                <Table.Td>
                  {nameOf(variant)} {!variant.active && <Status of="Inactive" />}
                </Table.Td>
                <Table.Td>{variant.sku ?? '–'}</Table.Td>
                <Table.Td ta="right">{money(variant.price, currency)}</Table.Td>
                <Table.Td ta="right">
                  {variant.tracked ? variant.available.toLocaleString('en-NG') : 'Not counted'}
                  {variant.reserved > 0 && (
                    <Text span size="xs" c="dimmed">
                      {' '}
                      +{variant.reserved} put aside
                    </Text>
                  )}
                </Table.Td>
                {writes && (
                  <Table.Td ta="right">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Edit ${nameOf(variant)}`}
                      onClick={() => edit(variant)}
                    >
                      <IconPencil size={16} />
                    </ActionIcon>
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {edited && <VariantForm product={product} variant={edited} onClose={() => edit(undefined)} />}
    </Card>
  )
}

interface Values extends Record<string, unknown> {
  price: number | string
  quantity: number | string
  sku: string
  active: boolean
}

/** The price of the product itself is no price of its own. */
const valuesOf = ({ price, tracked, quantity, sku, active }: Variant, usual: number): Values => ({
  price: price === usual ? '' : price,
  quantity: tracked ? quantity : '',
  sku: sku ?? '',
  active,
})

function VariantForm({
  product: { productId, price, currency },
  variant,
  onClose,
}: {
  product: Product
  variant: Variant
  onClose(): void
}) {
  return (
    <FormModal<Values>
      title={nameOf(variant)}
      opened
      onClose={onClose}
      initial={valuesOf(variant, price)}
      edits={{
        path: 'payment-service/products/get-product-details',
        query: { productId },
        valuesOf: ({ data }: Envelope<Product>) => {
          const now = data.variants.find(({ variantId }) => variantId === variant.variantId)
          return now && valuesOf(now, data.price)
        },
      }}
      action={{
        path: '/api/payment-service/v1/products/update-product-variant-details',
        method: 'PUT',
        send: ({ price: own, quantity, sku, active }) => ({
          productId,
          variantId: variant.variantId,
          price: own === '' ? null : own,
          ...(quantity !== '' && quantity !== variant.quantity && { quantity: Number(quantity) }),
          sku: sku || null,
          active,
        }),
        done: 'The variant is changed.',
      }}
      verb="Save"
    >
      {(form) => (
        <>
          <MoneyInput
            label="Price"
            description={`${money(price, currency)}, as the product, if empty.`}
            currency={currency}
            data-autofocus
            {...form.getInputProps('price')}
          />
          <NumberInput
            label="Quantity"
            description={
              variant.reserved > 0 ? `${variant.reserved} of them are put aside.` : undefined
            }
            min={variant.reserved}
            allowDecimal={false}
            {...form.getInputProps('quantity')}
          />
          <TextInput label="SKU" maxLength={64} {...form.getInputProps('sku')} />
          <Switch
            label="It can be bought"
            {...form.getInputProps('active', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}
