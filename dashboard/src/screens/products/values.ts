import type { Product } from '../../../../sdk/src/operations.ts'
import { t } from '../../texts/products.ts'

/** What a product is, as the form offers it. */
export const KINDS: Record<string, string> = {
  physical: t.goodsToDeliver,
  digital: t.filesToDownload,
  service: t.aService,
}

/** How much there is of it, in a few words. */
export function stockOf(
  { tracked, available, variants, lowStockThreshold }: Product,
  countOf: (available: string) => string = (count) => count,
): string {
  const kinds = variants.length > 0 ? t.andVariants(variants.length) : ''
  if (!tracked && variants.every((one) => !one.tracked)) return t.notCountedOf(kinds)
  if (available === 0) return t.noneLeft(kinds)
  const isLow = lowStockThreshold !== null && available <= lowStockThreshold
  return `${countOf(available.toLocaleString('en-NG'))}${isLow ? ', few left' : ''}${kinds}`
}

/** What the form of a product holds; what is empty is ''. */
export interface Values extends Record<string, unknown> {
  name: string
  description: string
  price: number | string
  type: string
  sku: string
  status: string
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
  type: product.type,
  sku: product.sku ?? '',
  status: product.status,
  slug: product.slug,
  quantity: '',
  lowStockThreshold: product.lowStockThreshold ?? '',
  options: [],
})

/** What update_product takes: null clears. Stock has a form of its own. */
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

/** What create_product takes: what is empty is not said. */
export const toCreate = (values: Values) => ({
  ...Object.fromEntries(Object.entries(toUpdate(values)).filter(([, value]) => value !== null)),
  ...(values.quantity !== '' &&
    values.options.length === 0 && { quantity: Number(values.quantity) }),
  ...(values.options.length > 0 && {
    options: values.options.map(({ name, values: each }) => ({ name, values: each })),
  }),
})
