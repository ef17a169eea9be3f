import { Button, Group, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t } from '../../texts/products.ts'
import type { Draft } from './drafts.ts'

/** Types the same into all variants that are shown, and narrows down which are. */
export function ForAll({
  count,
  total,
  text,
  search,
  currency,
  apply,
}: {
  /** How many are shown, of how many. */
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
          label={t.findVariants}
          placeholder={t.mIndigo}
          size="xs"
          value={text}
          onChange={(event) => search(event.currentTarget.value)}
        />
      )}
      <MoneyInput
        label={t.priceOfEach}
        size="xs"
        w={150}
        currency={currency}
        value={price}
        onChange={setPrice}
      />
      <NumberInput
        label={t.quantityOfEach}
        size="xs"
        w={120}
        min={0}
        allowDecimal={false}
        hideControls
        value={quantity}
        onChange={setQuantity}
      />
      <Button
        size="xs"
        variant="default"
        disabled={count === 0 || (price === '' && quantity === '')}
        onClick={go}
      >
        {count === 1 ? t.setIt : t.setAll(count)}
      </Button>
    </Group>
  )
}
