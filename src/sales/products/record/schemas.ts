import { Type } from 'typebox'
import {
  Envelope,
  inMajorUnits,
  Nullable,
  OneLine,
  RecordId,
  StoredMetadata,
  Timestamp,
  VISIBLE_START,
} from '../../../lib/schemas.ts'

// Control characters, line and paragraph separators, and marks that change the direction of text.
// With one of these marks in a name, the rest of the page could read backwards.
const NOT_SHOWN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'
const LABEL = `${VISIBLE_START}[^${NOT_SHOWN}]*$`

/**
 * Normalises a label to its stored form (NFC), so that labels that look the same are equal and
 * searches find them. Passes undefined and null through.
 */
export const labelOf = <T extends string | null | undefined>(text: T): T =>
  (text?.normalize('NFC') ?? text) as T

/** A name shown to buyers: one line that cannot change the direction of the text around it. */
export const Label = (lengthMax: number, options: object = {}) =>
  OneLine(lengthMax, {
    pattern: LABEL,
    ...options,
  })

const text = Type.String()
const whole = Type.Integer()

export const ProductId = RecordId('The id of a product, as a number or a string.')

const QUANTITY_MAX = 1_000_000_000

export const Quantity = Type.Integer({ minimum: 0, maximum: QUANTITY_MAX })

export const Sku = Label(64)

// The product’s row determines the currency, and so the number of decimals.
export const Price = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-decimal': true,
  description: inMajorUnits('In the currency of the product; 0 is free.'),
})

export const FeeRecord = Type.Object({
  reference: Type.String(),
  status: Type.String({ description: 'Active, or Deleted once the fee has been deleted.' }),
  id: Type.Integer(),
  productId: Type.String(),
  location: Type.String(),
  fees: Type.String({ description: 'A decimal string.', examples: ['12.50'] }),
  currency: Type.String(),
})

export const MediaRecord = Type.Object({
  mediaId: whole,
  reference: text,
  status: Type.String({
    description: 'Processing, Ready or Failed, or Deleted once the image has been deleted.',
  }),
  productId: text,
  variantId: Nullable(whole),
  url: Nullable({
    ...text,
    description:
      'The URL of the original image while status is Processing; null if status is Failed.',
  }),
  thumbnailUrl: Nullable({ ...text, description: 'Null until status is Ready.' }),
  contentType: text,
  width: whole,
  height: whole,
  bytes: whole,
  isPrimary: Type.Boolean(),
  position: Type.Integer({ description: 'Starts at 1.' }),
  createdAt: Timestamp,
})

export const LimitUnit = Type.Unsafe<'minutes' | 'hours' | 'days' | null>({
  type: ['string', 'null'],
  enum: ['minutes', 'hours', 'days', null],
})

/** The limits for buyers’ links to files; null means unlimited. */
export const linkLimits = {
  expiryValue: Nullable(Type.Integer()),
  expiryUnit: LimitUnit,
  maxDownloads: Nullable(Type.Integer()),
}

export const FileRecord = Type.Object({
  digitalDownloadFileId: text,
  reference: text,
  productId: text,
  name: text,
  contentType: text,
  bytes: Type.Integer(),
  sha256: text,
  downloads: Type.Integer(),
  ...linkLimits,
  status: text,
  createdAt: Timestamp,
})

export const VariantPart = Type.Object({
  variantId: whole,
  optionValues: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    examples: [{ Size: 'M' }],
  }),
  sku: Nullable(text),
  price: Type.Number({
    description: 'The variant’s own price if it has one, otherwise the product’s.',
  }),
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
  status: Type.String({
    description: 'Draft, Active or Archived, or Deleted once the product has been deleted.',
  }),
  tracked: Type.Boolean(),
  quantity: Type.Integer({
    description:
      'For a product with variants, the total of all its variants; the same applies to reserved, ' +
      'available and sold.',
  }),
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
  url: Nullable({
    ...text,
    description: 'Always null, because products are sold on payment pages.',
  }),
  metadata: StoredMetadata,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneProduct = Envelope(ProductRecord)
