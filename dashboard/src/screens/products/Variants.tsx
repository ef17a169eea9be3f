import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Product } from '../../../../sdk/src/operations.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/products.ts'
import { type Draft, draftOf, isSame, type Left, nameOf, saveVariant, takeLeft } from './drafts.ts'
import { ForAll } from './ForAll.tsx'
import { Thumb } from './parts.tsx'
import { VariantPictures } from './VariantPictures.tsx'
import { VariantRows } from './VariantRows.tsx'
import { VariantsRead } from './VariantsRead.tsx'

/** Each combination of a product's options, with its own picture, price and stock. */
export function Variants({ of: product }: { of: Product }) {
  return useMay()('products:write') ? <Sheet of={product} /> : <VariantsRead of={product} />
}

function Sheet({ of: product }: { of: Product }) {
  const { productId, variants, price, currency } = product
  const queries = useQueryClient()
  const [typed, setTyped] = useState<ReadonlyMap<number, Left>>(() => takeLeft(productId))
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
    const kept = new Map<number, Left>()
    for (const one of changed) {
      const { draft, before } = typed.get(one.variantId)!
      const faults = await saveVariant(productId, one.variantId, draft, before)
      if (faults) kept.set(one.variantId, { draft, before, faults })
    }
    await queries.invalidateQueries()
    setTyped(kept)
    setSaving(false)
    const done = changed.length - kept.size
    if (done > 0) notifications.show({ message: savedText(done), color: 'green' })
    if (kept.size > 0) {
      notifications.show({
        title: kept.size === 1 ? t.oneWasNotSaved : t.wereNotSaved(kept.size),
        message: t.whatIsWrongStandsAt,
        color: 'red',
      })
    }
  }
  const pictured = variants.find(({ variantId }) => variantId === shownId)
  return (
    <Card title={t.variants}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {variants.length > 1 && (
          <ForAll
            count={shown.length}
            total={variants.length}
            {...{ text, search, currency }}
            apply={(to) =>
              change(
                shown.map((one) => one.variantId),
                to,
              )
            }
          />
        )}
        <VariantRows
          {...{ currency, price }}
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
                  aria-label={t.picturesOf(nameOf(one.optionValues))}
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
            {t.noVariantOfTheseValues}
          </Text>
        )}
        {changed.length > 0 && (
          <Group className="variants-bar" justify="flex-end">
            <Button variant="default" disabled={isSaving} onClick={() => setTyped(new Map())}>
              {t.discard}
            </Button>
            <Button type="submit" loading={isSaving}>
              {changed.length === 1 ? t.save1Variant : t.saveVariants(changed.length)}
            </Button>
          </Group>
        )}
      </form>
      {pictured && (
        <VariantPictures product={product} of={pictured} onClose={() => show(undefined)} />
      )}
    </Card>
  )
}

const savedText = (count: number): string =>
  count === 1 ? t.theVariantIsSaved : t.variantsAreSaved(count)
