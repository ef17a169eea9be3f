import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useOperation } from '../api/hooks.ts'
import { money } from './values.tsx'

interface PickerProps {
  label: string
  description?: string
  placeholder?: string
  value?: string[]
  onChange?(ids: string[]): void
  error?: React.ReactNode
}

export function ProductPicker({ value = [], onChange, ...props }: PickerProps) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const found = useOperation('list_products', { search: asked, limit: 50 }, { keepsPrevious: true })
  const all = useOperation('list_products', { limit: 100 })
  const known = new Map(
    [...(all.data?.data ?? []), ...(found.data?.data ?? [])].map((one) => [one.productId, one]),
  )
  const data = [...new Set([...known.keys(), ...value])].map((id) => {
    const product = known.get(id)
    return {
      value: id,
      label: product ? `${product.name} · ${money(product.price, product.currency)}` : id,
    }
  })
  return (
    <MultiSelect
      {...props}
      data={data}
      value={value}
      onChange={onChange}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage="No product with that name"
      maxValues={50}
      clearable
      limit={50}
    />
  )
}
