import { type Static, type TSchema, Type } from 'typebox'
import { paging, sorting } from '../../../lib/paging.ts'
import {
  Amount,
  Envelope,
  inMajorUnits,
  Metadata,
  Moment,
  Nullable,
  PageOf,
  RecordId,
  StoredMetadata,
} from '../../../lib/schemas.ts'
import { FeeRecord } from '../delivery/schemas.ts'
import { FileRecord } from '../downloads/schemas.ts'
import { MediaRecord } from '../media/schemas.ts'
import { NewOptions } from '../options/validate.ts'
import { Label } from './label.ts'
import { PRODUCT_STATUSES, PRODUCT_TYPES } from './queries.ts'

export const QUANTITY_MAX = 1_000_000_000

/** How many there are: whole, and never less than none. */
export const Quantity = Type.Integer({ minimum: 0, maximum: QUANTITY_MAX })

export const ProductId = RecordId('A product: its digits, or the number.')

const Name = Label(200)
const Description = Type.String({ maxLength: 5000 })
export const Sku = Label(64)
const Kind = Type.Enum([...PRODUCT_TYPES])
const Status = Type.Enum([...PRODUCT_STATUSES])

/** Of a regular expression, in JavaScript and in PostgreSQL alike. */
export const SLUG = '^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$'
const Slug = Type.String({
  maxLength: 64,
  pattern: SLUG,
  'x-says':
    'must be 3 to 64 lower-case letters, digits and hyphens, without a hyphen at either end',
  examples: ['ankara-shirt'],
})
export const isSlug = (text: string): boolean => new RegExp(SLUG).test(text)

export const NewProduct = Type.Object({
  name: Name,
  price: Amount({ zero: true, description: '0 is free.' }),
  currency: Type.String({
    pattern: '^[A-Z]{3}$',
    default: 'NGN',
    'x-says': 'must be a currency code such as NGN',
  }),
  description: Type.Optional(Description),
  type: Type.Enum([...PRODUCT_TYPES], { default: 'physical' }),
  sku: Type.Optional(Sku),
  status: Type.Enum([...PRODUCT_STATUSES], { default: 'Active' }),
  slug: Type.Optional(Slug),
  quantity: Type.Optional(Quantity),
  tracked: Type.Optional(
    Type.Boolean({ description: 'Whether stock is counted: true when quantity is given.' }),
  ),
  lowStockThreshold: Type.Optional(Quantity),
  options: Type.Optional(NewOptions),
  metadata: Type.Optional(Metadata),
})
export type NewProduct = Static<typeof NewProduct>

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

// Its currency is the product's own, which only its row tells.
export const Price = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-decimal': true,
  description: inMajorUnits('In the currency of the product; 0 is free.'),
})

/** Only what is given changes; null clears. */
export const UpdateProduct = Type.Object({
  productId: ProductId,
  name: Type.Optional(Name),
  price: Type.Optional(Price),
  currency: Type.Optional(
    Type.String({ maxLength: 10, description: 'It cannot change; the one that it has is taken.' }),
  ),
  description: cleared(Description),
  type: Type.Optional(Kind),
  sku: cleared(Sku),
  status: Type.Optional(Status),
  slug: Type.Optional(Slug),
  quantity: Type.Optional(Quantity),
  tracked: Type.Optional(Type.Boolean()),
  lowStockThreshold: cleared(Quantity),
  metadata: cleared(Metadata),
})
export type UpdateProduct = Static<typeof UpdateProduct>

export const ProductNamed = Type.Object({ productId: ProductId })

export const ProductSought = Type.Object({
  productId: Type.Optional(ProductId),
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})
export type ProductSought = Static<typeof ProductSought>

export const ArchiveProduct = Type.Object({
  productId: ProductId,
  archived: Type.Boolean({ default: true, description: 'false makes it Active again.' }),
})

export const DuplicateProduct = Type.Object({ productId: ProductId, name: Type.Optional(Name) })
export type DuplicateProduct = Static<typeof DuplicateProduct>

export const SlugSought = Type.Object({ slug: Label(200) })

export const ProductQuery = Type.Object({
  ...paging,
  ...sorting,
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the name or the SKU, in any case, or the whole reference.',
    }),
  ),
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `${PRODUCT_STATUSES.join(', ')}; in any case.` }),
  ),
  type: Type.Optional(
    Type.String({ maxLength: 20, description: `${PRODUCT_TYPES.join(', ')}; in any case.` }),
  ),
})
export type ProductQuery = Static<typeof ProductQuery>

const text = Type.String()
const whole = Type.Integer()

export const VariantPart = Type.Object({
  variantId: whole,
  optionValues: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    examples: [{ Size: 'M' }],
  }),
  sku: Nullable(text),
  price: Type.Number({ description: 'Its own, or else the product’s.' }),
  priceMinor: whole,
  tracked: Type.Boolean(),
  quantity: whole,
  reserved: whole,
  available: whole,
  media: Type.Array(MediaRecord),
  active: Type.Boolean(),
})

export const ProductRecord = Type.Object({
  productId: text,
  reference: text,
  name: text,
  slug: text,
  description: Nullable(text),
  price: Type.Number(),
  priceMinor: whole,
  currency: text,
  type: text,
  sku: Nullable(text),
  status: Type.String({ description: 'Draft, Active or Archived; Deleted in the answer to that.' }),
  tracked: Type.Boolean(),
  quantity: Type.Integer({ description: 'With variants, as the next three, the sum of theirs.' }),
  reserved: whole,
  available: whole,
  sold: whole,
  lowStockThreshold: Nullable(whole),
  media: Type.Array(MediaRecord),
  options: Type.Array(
    Type.Object({
      optionId: whole,
      name: text,
      values: Type.Array(Type.Object({ optionVariantId: whole, value: text })),
    }),
  ),
  variants: Type.Array(VariantPart),
  deliveryFees: Type.Array(FeeRecord),
  digitalFiles: Type.Array(FileRecord),
  url: Nullable({ ...text, description: 'Products are sold on payment pages: null.' }),
  metadata: StoredMetadata,
  createdAt: Moment,
  updatedAt: Moment,
})

export const OneProduct = Envelope(ProductRecord)
export const ProductList = PageOf(ProductRecord)

export const SlugState = Envelope(
  Type.Object({
    exists: Type.Boolean(),
    available: Type.Boolean(),
    suggestions: Type.Array(text, { description: 'Up to three that are free.' }),
  }),
)

const stock = {
  sku: Nullable(text),
  tracked: Type.Boolean(),
  onHand: whole,
  reserved: whole,
  available: whole,
  sold: whole,
  lowStockThreshold: Nullable(whole),
  lowStock: Type.Boolean(),
  inStock: Type.Boolean(),
}

export const Inventory = Envelope(
  Type.Object({
    productId: text,
    reference: text,
    status: text,
    ...stock,
    variants: Type.Array(
      Type.Object({
        variantId: whole,
        optionValues: VariantPart.properties.optionValues,
        ...stock,
      }),
    ),
  }),
)
