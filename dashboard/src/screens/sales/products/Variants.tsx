import { Group, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Product } from '../../../../../sdk/src/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { useUnsaved } from '../../../ui/unsaved.tsx'
import { money, Status } from '../../../ui/values.tsx'
import { BulkVariantEdit } from './BulkVariantEdit.tsx'
import { VariantImages } from './Images.tsx'
import {
  type Draft,
  draftOf,
  isSame,
  nameOf,
  saveVariant,
  takeUnsaved,
  type UnsavedVariant,
  VariantRows,
} from './VariantRows.tsx'
import { Thumb } from './values.tsx'

export function Variants({ of: product }: { of: Product }) {
  return usePermission()('products:write') ? <Sheet of={product} /> : <VariantsRead of={product} />
}

function Sheet({ of: product }: { of: Product }) {
  const { productId, variants, price, currency } = product
  const queries = useQueryClient()
  const [typed, setTyped] = useState<ReadonlyMap<number, UnsavedVariant>>(() =>
    takeUnsaved(productId),
  )
  const [text, search] = useState('')
  const [isSaving, setSaving] = useState(false)
  const [shownId, show] = useState<number>()
  const changed = variants.filter((one) => typed.has(one.variantId))
  useUnsaved(() => changed.length > 0)

  const words = text
    .toLowerCase()
    .split(/[\s,·]+/)
    .filter(Boolean)
  const shown = variants.filter((one) => {
    const values = Object.values(one.optionValues).map((value) => value.toLowerCase())
    return words.every((word) => values.some((value) => value.startsWith(word)))
  })
  const change = (ids: number[], to: Partial<Draft>) =>
    setTyped((before) => {
      const next = new Map(before)
      for (const one of variants) {
        if (!ids.includes(one.variantId)) continue
        const known = before.get(one.variantId)
        const saved = known?.before ?? draftOf(one, price)
        const draft = { ...(known?.draft ?? saved), ...to }
        if (isSame(draft, saved)) next.delete(one.variantId)
        else next.set(one.variantId, { draft, before: saved, faults: {} })
      }
      return next
    })
  const save = async () => {
    setSaving(true)
    const kept = new Map<number, UnsavedVariant>()
    for (const one of changed) {
      const { draft, before } = typed.get(one.variantId)!
      const faults = await saveVariant(productId, one.variantId, draft, before)
      if (faults) kept.set(one.variantId, { draft, before, faults })
    }
    await queries.invalidateQueries()
    setTyped((now) => {
      const next = new Map(kept)
      for (const [id, left] of now) {
        const sent = typed.get(id)?.draft
        // Typed while the others were being saved.
        if (left.draft === sent) continue
        next.set(id, kept.has(id) || !sent ? left : { ...left, before: sent })
      }
      return next
    })
    setSaving(false)
    const done = changed.length - kept.size
    if (done > 0) notifications.show({ message: savedText(done), color: 'green' })
    if (kept.size > 0) {
      notifications.show({
        title: kept.size === 1 ? '1 variant was not saved' : `${kept.size} variants were not saved`,
        message: 'See the errors in the table.',
        color: 'red',
      })
    }
  }
  const pictured = variants.find(({ variantId }) => variantId === shownId)
  return (
    <Card title="Variants">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {variants.length > 1 && (
          <BulkVariantEdit
            count={shown.length}
            total={variants.length}
            text={text}
            search={search}
            currency={currency}
            apply={(to) =>
              change(
                shown.map((one) => one.variantId),
                to,
              )
            }
          />
        )}
        <VariantRows
          currency={currency}
          price={price}
          rows={shown.map((one) => {
            const left = typed.get(one.variantId)
            return {
              key: String(one.variantId),
              name: nameOf(one.optionValues),
              draft: left?.draft ?? draftOf(one, price),
              faults: left?.faults,
              isChanged: left !== undefined,
              reserved: one.reserved,
              picture: (
                <button
                  type="button"
                  className="thumb-button"
                  aria-label={`Images of ${nameOf(one.optionValues)}`}
                  onClick={() => show(one.variantId)}
                >
                  <Thumb of={one.media[0]} />
                </button>
              ),
            }
          })}
          change={(key, to) => change([Number(key)], to)}
        />
        {shown.length === 0 && (
          <Text size="sm" c="dimmed" py="sm">
            No matching variants
          </Text>
        )}
        {changed.length > 0 && (
          <Group className="variants-bar" justify="flex-end">
            <ActionButton label="Discard" disabled={isSaving} onClick={() => setTyped(new Map())} />
            <ActionButton
              label={changed.length === 1 ? 'Save 1 variant' : `Save ${changed.length} variants`}
              isMain
              type="submit"
              loading={isSaving}
            />
          </Group>
        )}
      </form>
      {pictured && (
        <VariantImages product={product} of={pictured} onClose={() => show(undefined)} />
      )}
    </Card>
  )
}

const savedText = (count: number): string =>
  count === 1 ? 'Variant saved.' : `${count} variants saved.`

function VariantsRead({ of: { variants, currency } }: { of: Product }) {
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
                  {variant.tracked ? variant.available.toLocaleString('en-NG') : 'Not tracked'}
                  {variant.reserved > 0 && (
                    <Text span size="xs" c="dimmed">
                      {' '}
                      +{variant.reserved} reserved
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
