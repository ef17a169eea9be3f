import type { Static } from 'typebox'
import { kindsOf } from '../../../events/catalogue.ts'
import { toAmount } from '../../../lib/money.ts'
import { type Option, optionValuesOf, type VariantRow, type VariantSet } from './parts.ts'
import type { Overview, ProductRow, ShownRow } from './queries.ts'
import { ProductRecord as ProductData } from './schemas.ts'

export const PRODUCT_KIND = 'product'

type Stock = Pick<Overview, 'tracked' | 'on_hand' | 'reserved' | 'sold' | 'low_stock_threshold'>

type ProductParts = Static<typeof ProductData>

export interface ProductRelations extends VariantSet {
  stock: Stock
  /** The images of the product and its variants. */
  media: ProductParts['media']
  digitalFiles: ProductParts['digitalFiles']
  deliveryFees: ProductParts['deliveryFees']
}

/** Returns a product as the API and its events show it (docs/CONTRACT.md, Products). */
export function productRecord(row: ShownRow, shown: ProductRelations) {
  const { currency, price_minor } = row
  const { stock, options, variants, media } = shown
  return {
    productId: String(row.id),
    reference: row.reference,
    name: row.name,
    slug: row.slug,
    description: row.description,
    price: toAmount(price_minor, currency),
    priceMinor: Number(price_minor),
    currency,
    type: row.type,
    sku: row.sku,
    status: row.deleted_at === null ? row.status : ('Deleted' as const),
    ...levelOf(stock),
    sold: stock.sold,
    lowStockThreshold: stock.low_stock_threshold,
    media: media.filter(({ variantId }) => variantId === null),
    options: options.map(optionPart),
    variants: variants.map((variant) => variantPart(row, variant, options, media)),
    deliveryFees: shown.deliveryFees,
    digitalFiles: shown.digitalFiles,
    // Products are sold on payment pages and have no pages of their own.
    url: null,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export type ProductRecord = ReturnType<typeof productRecord>

const levelOf = ({ tracked, on_hand, reserved }: Omit<Stock, 'sold' | 'low_stock_threshold'>) => ({
  tracked,
  quantity: on_hand,
  reserved,
  available: Math.max(0, on_hand - reserved),
})

const optionPart = ({ id, name, values }: Option) => ({
  optionId: id,
  name,
  values: values.map((one) => ({ optionVariantId: one.id, value: one.value })),
})

/** Returns a variant as its product shows it. */
export function variantPart(
  { price_minor, currency }: Pick<ProductRow, 'price_minor' | 'currency'>,
  variant: VariantRow,
  options: readonly Option[],
  media: ProductRelations['media'],
) {
  const effective_minor = variant.price_minor ?? price_minor
  return {
    variantId: variant.id,
    optionValues: optionValuesOf(variant, options),
    sku: variant.sku,
    price: toAmount(effective_minor, currency),
    priceMinor: Number(effective_minor),
    ...levelOf(variant),
    media: media.filter(({ variantId }) => variantId === variant.id),
    active: variant.active,
  }
}

const MADE_AT = '2026-11-01T10:00:00.000Z'
const CHANGED_AT = '2026-11-05T09:00:00.000Z'

const example = {
  productId: '40600',
  reference: 'PRD_4jD8vL1zGe3rU2kFc5Xa',
  name: 'Ankara shirt',
  slug: 'ankara-shirt',
  description: 'Sewn in Lagos',
  price: 12000,
  priceMinor: 1200000,
  currency: 'NGN',
  type: 'physical',
  sku: 'SHIRT-1',
  status: 'Active',
  tracked: true,
  quantity: 20,
  reserved: 0,
  available: 20,
  sold: 0,
  lowStockThreshold: 5,
  media: [],
  options: [],
  variants: [],
  deliveryFees: [],
  digitalFiles: [],
  url: null,
  metadata: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const productEvents = kindsOf(
  { object: 'product', schema: ProductData, example },
  {
    'product.created': ['A product was created.'],
    'product.updated': [
      'A product, or one of its options, variants, images, files or delivery fees, was changed.',
      { price: 12500, priceMinor: 1250000, updatedAt: CHANGED_AT },
    ],
    'product.archived': [
      'A product was archived and is no longer on sale.',
      { status: 'Archived', updatedAt: CHANGED_AT },
    ],
    'product.deleted': ['A product was deleted.', { status: 'Deleted', updatedAt: CHANGED_AT }],
  },
)
