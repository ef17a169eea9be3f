import { Group, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ActionButton } from '../../../ui/buttons.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import type { Draft } from './VariantRows.tsx'

/** Filters the variants that are shown, and sets the same value for all of them. */
export function BulkVariantEdit({
  count,
  total,
  text,
  search,
  currency,
  apply,
}: {
  /** How many variants are shown. */
  count: number
  total: number
  text: string
  search(text: string): void
  currency: string
  apply(to: Partial<Draft>): void
}) {
  const [price, setPrice] = useState<number | string>('')
  const [quantity, setQuantity] = useState<number | string>('')
  const go = () => {
    apply({ ...(price !== '' && { price }), ...(quantity !== '' && { quantity }) })
    setPrice('')
    setQuantity('')
  }
  return (
    <Group
      gap="xs"
      mb="sm"
      align="flex-end"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || (price === '' && quantity === '')) return
        event.preventDefault()
        go()
      }}
    >
      {total > 8 && (
        <TextInput
          label="Find variants"
          placeholder="M, Indigo"
          size="xs"
          value={text}
          onChange={(event) => search(event.currentTarget.value)}
        />
      )}
      <MoneyInput
        label="Unit price"
        size="xs"
        w={150}
        currency={currency}
        value={price}
        onChange={setPrice}
      />
      <NumberInput
        label="Quantity each"
        size="xs"
        w={120}
        min={0}
        allowDecimal={false}
        hideControls
        value={quantity}
        onChange={setQuantity}
      />
      <ActionButton
        label={count === 1 ? 'Apply' : `Update all ${count}`}
        size="xs"
        disabled={count === 0 || (price === '' && quantity === '')}
        onClick={go}
      />
    </Group>
  )
}
