import { type Static, type TSchema, Type } from 'typebox'
import { paging, sorting } from '../../../lib/paging.ts'
import { Amount, Envelope, Metadata, Nullable, PageOf } from '../../../lib/schemas.ts'
import { NewOptions } from '../options/validate.ts'
import {
  Label,
  Price,
  ProductId,
  ProductRecord,
  Quantity,
  Sku,
  VariantPart,
} from '../record/schemas.ts'
import { PRODUCT_STATUSES, PRODUCT_TYPES } from '../record/service.ts'

const Name = Label(200)
const Description = Type.String({ maxLength: 5000 })
const Kind = Type.Enum([...PRODUCT_TYPES])
const Status = Type.Enum([...PRODUCT_STATUSES])

/** A regular expression that is valid in both JavaScript and PostgreSQL. */
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
    Type.Boolean({
      description: 'Whether stock is tracked; defaults to true if quantity is given.',
    }),
  ),
  lowStockThreshold: Type.Optional(Quantity),
  options: Type.Optional(NewOptions),
  metadata: Type.Optional(Metadata),
})
export type NewProduct = Static<typeof NewProduct>

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** Changes only the given fields; null clears a field. */
export const UpdateProduct = Type.Object({
  productId: ProductId,
  name: Type.Optional(Name),
  price: Type.Optional(Price),
  currency: Type.Optional(
    Type.String({
      maxLength: 10,
      description: 'Cannot change; only the current value is accepted.',
    }),
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

export const ProductIdQuery = Type.Object({
  productId: Type.Optional(ProductId),
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})
export type ProductIdQuery = Static<typeof ProductIdQuery>

export const ArchiveProduct = Type.Object({
  productId: ProductId,
  archived: Type.Boolean({ default: true, description: 'false makes the product active again.' }),
})

export const DuplicateProduct = Type.Object({ productId: ProductId, name: Type.Optional(Name) })
export type DuplicateProduct = Static<typeof DuplicateProduct>

export const SlugQuery = Type.Object({ slug: Label(200) })

export const ProductQuery = Type.Object({
  ...paging,
  ...sorting,
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the name or SKU, ignoring case, or the whole reference.',
    }),
  ),
  status: Type.Optional(
    Type.String({
      maxLength: 20,
      description: `${PRODUCT_STATUSES.join(', ')}; not case-sensitive.`,
    }),
  ),
  type: Type.Optional(
    Type.String({ maxLength: 20, description: `${PRODUCT_TYPES.join(', ')}; not case-sensitive.` }),
  ),
})
export type ProductQuery = Static<typeof ProductQuery>

const text = Type.String()
const whole = Type.Integer()

export const ProductList = PageOf(ProductRecord)

export const SlugState = Envelope(
  Type.Object({
    exists: Type.Boolean(),
    available: Type.Boolean(),
    suggestions: Type.Array(text, { description: 'Up to three slugs that are available.' }),
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
