import { Group, Table, Text } from '@mantine/core'
import type { Product } from '../../../../sdk/src/operations.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { money, Status } from '../../parts/values.tsx'
import { nameOf } from './drafts.ts'
import { Thumb } from './parts.tsx'

/** The variants of a product for who may look at them alone. */
export function VariantsRead({ of: { variants, currency } }: { of: Product }) {
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
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.map((variant) => (
              <Table.Tr key={variant.variantId}>
                <Table.Td>
                  <Group gap="sm" wrap="nowrap">
                    <Thumb of={variant.media[0]} />
                    {nameOf(variant.optionValues)} {!variant.active && <Status of="Inactive" />}
                  </Group>
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
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  )
}
