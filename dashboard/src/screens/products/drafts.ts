import type { Product } from '../../../../sdk/src/operations.ts'
import { type ApiError, call, placeInView } from '../../api/call.ts'
import { t } from '../../texts/products.ts'

export type Variant = Product['variants'][number]

/** What is typed of a variant; what is empty is ''. */
export interface Draft {
  price: number | string
  quantity: number | string
  sku: string
  active: boolean
}

export type Faults = Partial<Record<keyof Draft | 'other', string>>

export const NOTHING: Draft = { price: '', quantity: '', sku: '', active: true }

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

/** What would be sold of these options: each combination, the last option turning first. */
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
 * Saves what was typed of one variant, and no more: others may have changed the rest since `before`
 * was read. Answers what is wrong with it, if anything is.
 */
export async function saveVariant(
  productId: string,
  variantId: number,
  draft: Draft,
  before: Draft,
): Promise<Faults | undefined> {
  const { price, quantity, sku, active } = draft
  const isTyped = (name: keyof Draft) => String(draft[name]) !== String(before[name])
  if (isTyped('quantity') && quantity === '') return { quantity: t.itIsCounted0Is }
  const body = {
    productId,
    variantId,
    ...(isTyped('price') && { price: price === '' ? null : price }),
    ...(isTyped('quantity') && { quantity: Number(quantity) }),
    ...(isTyped('sku') && { sku: sku.trim() || null }),
    ...(isTyped('active') && { active }),
  }
  try {
    const path = '/api/payment-service/v1/products/update-product-variant-details'
    await call(path, { method: 'PUT', body, place: placeInView() })
    return undefined
  } catch (error) {
    const { fields, message } = error as ApiError
    const faults: Faults = {}
    for (const [field, [first = '']] of Object.entries(fields ?? {})) {
      const known = field in NOTHING ? (field as keyof Draft) : 'other'
      faults[known] = known === 'other' ? `${field} ${first}` : first
    }
    return Object.keys(faults).length > 0 ? faults : { other: message }
  }
}

/** What is typed of a variant and not saved yet. */
export interface Left {
  draft: Draft
  /** As it was when somebody began to type. */
  before: Draft
  faults: Faults
}

/** What could not be saved of a product that was just made: typed already, and so not lost. */
const left = new Map<string, Map<number, Left>>()

export const leave = (productId: string, drafts: Map<number, Left>): void => {
  if (drafts.size > 0) left.set(productId, drafts)
}

export function takeLeft(productId: string): Map<number, Left> {
  const found = left.get(productId) ?? new Map<number, Left>()
  left.delete(productId)
  return found
}
