import { Group, Table, Text } from '@mantine/core'
import type { Product } from '../../../../sdk/src/operations.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { money, Status } from '../../parts/values.tsx'
import { t } from '../../texts/products.ts'
import { nameOf } from './drafts.ts'
import { Thumb } from './parts.tsx'

/** The variants of a product for who may look at them alone. */
export function VariantsRead({ of: { variants, currency } }: { of: Product }) {
  return (
    <Card title={t.variants}>
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label={t.variants}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.variant}</Table.Th>
              <Table.Th>{t.sku}</Table.Th>
              <Table.Th ta="right">{t.price}</Table.Th>
              <Table.Th ta="right">{t.inStock}</Table.Th>
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
                  {variant.tracked ? variant.available.toLocaleString('en-NG') : t.notCounted}
                  {variant.reserved > 0 && (
                    <Text span size="xs" c="dimmed">
                      {' '}
                      +{t.putAside(variant.reserved)}
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
