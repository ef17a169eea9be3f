import { IconPhoto } from '@tabler/icons-react'
import type { Product, ProductMedia } from '../../../../../sdk/src/operations.ts'
import { withoutNull } from '../../../api/fields.ts'
import type { Input } from '../../../api/request.ts'
import { imagePath } from '../../../ui/values.tsx'

export const KINDS: Record<string, string> = {
  physical: 'Goods to deliver',
  digital: 'Files to download',
  service: 'Service',
}

const isCounted = ({ tracked, variants }: Product): boolean =>
  tracked || variants.some((one) => one.tracked)

/** `1,200`, or why there is no number. */
export function stockCountOf(
  product: Product,
  countOf: (available: string) => string = (count) => count,
): string {
  if (!isCounted(product)) return 'Not tracked'
  const { available } = product
  return available === 0 ? 'Out of stock' : countOf(available.toLocaleString('en-NG'))
}

/** `1,200, low stock, 6 variants`. */
export function stockOf(product: Product, countOf?: (available: string) => string): string {
  const { available, variants, lowStockThreshold } = product
  const isLow = lowStockThreshold !== null && available > 0 && available <= lowStockThreshold
  return [
    stockCountOf(product, countOf),
    isCounted(product) && isLow && 'low stock',
    variants.length > 0 && `${variants.length} variants`,
  ]
    .filter(Boolean)
    .join(', ')
}

type Draft = Input<'create_product'>

/** Empty fields are ''. */
export interface Values extends Record<string, unknown> {
  name: string
  description: string
  price: number | string
  type: NonNullable<Draft['type']>
  sku: string
  status: NonNullable<Draft['status']>
  slug: string
  quantity: number | string
  lowStockThreshold: number | string
  options: { key: string; name: string; values: string[] }[]
}

export const EMPTY: Values = {
  name: '',
  description: '',
  price: '',
  type: 'physical',
  sku: '',
  status: 'Active',
  slug: '',
  quantity: '',
  lowStockThreshold: '',
  options: [],
}

export const valuesOf = (product: Product): Values => ({
  name: product.name,
  description: product.description ?? '',
  price: product.price,
  type: product.type as Values['type'],
  sku: product.sku ?? '',
  status: product.status as Values['status'],
  slug: product.slug,
  quantity: '',
  lowStockThreshold: product.lowStockThreshold ?? '',
  options: [],
})

/** The input for update_product, in which null clears a field. Stock has a separate form. */
export const toUpdate = (values: Values) => ({
  name: values.name.trim(),
  description: values.description || null,
  price: values.price,
  type: values.type,
  sku: values.sku || null,
  status: values.status,
  ...(values.slug && { slug: values.slug }),
  lowStockThreshold: values.lowStockThreshold === '' ? null : Number(values.lowStockThreshold),
})

/** The input for create_product, without empty fields. */
export const toCreate = (values: Values) => ({
  ...withoutNull(toUpdate(values)),
  ...(values.quantity !== '' &&
    values.options.length === 0 && { quantity: Number(values.quantity) }),
  ...(values.options.length > 0 && {
    options: values.options.map(({ name, values: each }) => ({ name, values: each })),
  }),
})

export function Thumb({ of }: { of: ProductMedia | undefined }) {
  const url = imagePath(of?.thumbnailUrl ?? of?.url)
  if (!url) {
    return (
      <span className="thumb empty" aria-hidden>
        <IconPhoto size={18} stroke={1.4} />
      </span>
    )
  }
  return <img src={url} alt="" className="thumb" />
}
