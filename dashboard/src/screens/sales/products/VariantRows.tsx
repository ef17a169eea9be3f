import { NumberInput, Switch, Text, TextInput } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import type { Product } from '../../../../../sdk/src/operations.ts'
import { type ApiError, callOperation, currentPlace } from '../../../api/call.ts'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { money } from '../../../ui/values.tsx'
import '../../../theme/sell.css'

export type Variant = Product['variants'][number]

/** The edited values of a variant. Empty fields are ''. */
export interface Draft {
  price: number | string
  quantity: number | string
  sku: string
  active: boolean
}

type Faults = Partial<Record<keyof Draft | 'other', string>>

export const EMPTY_DRAFT: Draft = { price: '', quantity: '', sku: '', active: true }

export const draftOf = (variant: Variant, price: number): Draft => ({
  price: variant.price === price ? '' : variant.price,
  quantity: variant.tracked ? variant.quantity : '',
  sku: variant.sku ?? '',
  active: variant.active,
})

export const isSame = (a: Draft, b: Draft): boolean =>
  a.active === b.active &&
  (['price', 'quantity', 'sku'] as const).every((name) => String(a[name]) === String(b[name]))

/** `M · Indigo` */
export const nameOf = (optionValues: Record<string, string>): string =>
  Object.values(optionValues).join(' · ')

/** Returns every combination of options. The last option varies fastest. */
export function combinationsOf(
  options: readonly { name: string; values: readonly string[] }[],
): Record<string, string>[] {
  const named = options.filter(({ name, values }) => name.trim() && values.length > 0)
  if (named.length === 0) return []
  return named.reduce<Record<string, string>[]>(
    (all, { name, values }) =>
      all.flatMap((one) => values.map((value) => ({ ...one, [name.trim()]: value }))),
    [{}],
  )
}

/**
 * Saves only the edited fields of a variant, because someone else may have changed others since
 * `before` was read. Returns the errors, if any.
 */
export async function saveVariant(
  productId: string,
  variantId: number,
  draft: Draft,
  before: Draft,
): Promise<Faults | undefined> {
  const { price, quantity, sku, active } = draft
  const isTyped = (name: keyof Draft) => String(draft[name]) !== String(before[name])
  if (isTyped('quantity') && quantity === '')
    return { quantity: 'Stock is tracked, so enter 0 if none is left.' }
  const body = {
    productId,
    variantId,
    ...(isTyped('price') && { price: price === '' ? null : price }),
    ...(isTyped('quantity') && { quantity: Number(quantity) }),
    ...(isTyped('sku') && { sku: sku.trim() || null }),
    ...(isTyped('active') && { active }),
  }
  try {
    await callOperation('update_product_variant', body, { place: currentPlace() })
    return undefined
  } catch (error) {
    const { fields, message } = error as ApiError
    const faults: Faults = {}
    for (const [field, [first = '']] of Object.entries(fields ?? {})) {
      const known = field in EMPTY_DRAFT ? (field as keyof Draft) : 'other'
      faults[known] = known === 'other' ? `${field} ${first}` : first
    }
    return Object.keys(faults).length > 0 ? faults : { other: message }
  }
}

export interface UnsavedVariant {
  draft: Draft
  /** The stored values when editing started. */
  before: Draft
  faults: Faults
}

/** Edits that could not be saved when the product was created. Without this, they would be lost. */
const left = new Map<string, Map<number, UnsavedVariant>>()

export const storeUnsaved = (productId: string, drafts: Map<number, UnsavedVariant>): void => {
  if (drafts.size > 0) left.set(productId, drafts)
}

export function takeUnsaved(productId: string): Map<number, UnsavedVariant> {
  const found = left.get(productId) ?? new Map<number, UnsavedVariant>()
  left.delete(productId)
  return found
}

export interface VariantRow {
  key: string
  name: string
  draft: Draft
  faults?: Faults | undefined
  isChanged?: boolean
  /** The image, or the button to add one. */
  picture?: ReactNode
  /** How many units payers have reserved, which is the least that the stock can be set to. */
  reserved?: number
}

/** Enter and the arrow keys move up and down a column. */
export function VariantRows({
  rows,
  currency,
  price,
  change,
}: {
  rows: readonly VariantRow[]
  currency: string
  /** The price of the product, for variants without a price. */
  price: number | undefined
  change(key: string, to: Partial<Draft>): void
}) {
  // The server counts the stock of either all variants or none.
  const isCounted = rows.some(({ draft }) => draft.quantity !== '')
  const hasPictures = rows.some(({ picture }) => picture !== undefined)
  const basic = price === undefined ? undefined : money(price, currency).replace(/^\D+/, '')
  return (
    <div className="variants-room">
      <table className="variants" aria-label="Variants" onKeyDownCapture={moveBetween}>
        <thead>
          <tr>
            {hasPictures && <th aria-label="Image" />}
            <th>Variant</th>
            <th>Price</th>
            <th>Quantity</th>
            <th>SKU</th>
            <th>On sale</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, draft, faults = {}, isChanged, picture, reserved = 0 }) => (
            <tr
              key={key}
              className={[isChanged && 'changed', !hasPictures && 'no-picture']
                .filter(Boolean)
                .join(' ')}
            >
              {hasPictures && <td className="picture-cell">{picture}</td>}
              <td className="name">
                {name}
                {faults.other && (
                  <Text size="xs" c="var(--bad)" role="alert">
                    {faults.other}
                  </Text>
                )}
              </td>
              <td className="amount-cell" data-label="Price">
                <MoneyInput
                  aria-label={`Price of ${name}`}
                  currency={currency}
                  placeholder={basic}
                  value={draft.price}
                  error={faults.price}
                  data-column="price"
                  onChange={(value) => change(key, { price: value })}
                />
              </td>
              <td className="count-cell" data-label="Quantity">
                <NumberInput
                  aria-label={`Quantity of ${name}`}
                  placeholder={isCounted ? '0' : 'Not tracked'}
                  min={0}
                  max={1_000_000_000}
                  allowDecimal={false}
                  thousandSeparator=","
                  hideControls
                  value={draft.quantity}
                  error={faults.quantity}
                  data-column="quantity"
                  onChange={(value) => change(key, { quantity: value })}
                />
                {reserved > 0 && (
                  <Text size="xs" c="dimmed">
                    {reserved} of them reserved
                  </Text>
                )}
              </td>
              <td className="sku-cell" data-label="SKU">
                <TextInput
                  aria-label={`SKU of ${name}`}
                  placeholder="SKU"
                  maxLength={64}
                  value={draft.sku}
                  error={faults.sku}
                  data-column="sku"
                  onChange={(event) => change(key, { sku: event.currentTarget.value })}
                />
              </td>
              <td className="sold-cell" data-label="On sale">
                <Switch
                  aria-label={`${name} is on sale`}
                  mt={8}
                  checked={draft.active}
                  onChange={(event) => change(key, { active: event.currentTarget.checked })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/**
 * Moves between cells as in a spreadsheet. In the last row, Enter submits the form, as in any form.
 */
function moveBetween(event: KeyboardEvent<HTMLTableElement>): void {
  const by = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key]
  const field = event.target as HTMLElement
  const { column } = field.dataset
  if (!by || !column || event.altKey || event.ctrlKey || event.metaKey) return
  const all = [...event.currentTarget.querySelectorAll<HTMLInputElement>('[data-column]')].filter(
    (one) => one.dataset.column === column,
  )
  const next = all[all.indexOf(field as HTMLInputElement) + by]
  if (!next) {
    if (event.key !== 'Enter') event.preventDefault()
    return
  }
  event.preventDefault()
  event.stopPropagation()
  next.focus()
  next.select()
}
