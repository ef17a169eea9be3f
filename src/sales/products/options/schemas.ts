import { type Static, Type } from 'typebox'
import { optionalPaging } from '../../../lib/paging.ts'
import { Envelope, Nullable, RecordId, ReferenceList } from '../../../lib/schemas.ts'
import { Price, ProductId, Quantity, Sku, VariantPart } from '../record/schemas.ts'
import { NewOptions, OptionName, OptionValue } from './validate.ts'

const OptionId = RecordId('An option of the product.')
const OptionVariantId = RecordId('A value of the option.')

const option = { productId: ProductId, optionId: OptionId }
const value = { ...option, optionVariantId: OptionVariantId }

export const AddOptions = Type.Object({ productId: ProductId, options: NewOptions })
export const UpdateOption = Type.Object({ ...option, name: OptionName })
export const DeleteOption = Type.Object(option)
export const AddValue = Type.Object({ ...option, value: OptionValue })
export const UpdateValue = Type.Object({ ...value, value: OptionValue })
export const DeleteValue = Type.Object(value)

/** Any other parameter is the name of one of the product’s options; case is ignored. */
export const VariantFilter = Type.Object(
  {
    productId: ProductId,
    inStock: Type.Optional(
      Type.Boolean({
        description: 'Whether the variant can be bought; if absent, all variants are listed.',
      }),
    ),
    ...optionalPaging,
  },
  {
    additionalProperties: true,
    description:
      'Every other parameter is the name of a product option, with the value to match: Size=M.',
  },
)
export type VariantFilter = Static<typeof VariantFilter>

/**
 * Changes only the given fields. A null price means the product’s price, and a null SKU clears it.
 */
export const UpdateVariant = Type.Object({
  productId: ProductId,
  variantId: RecordId('A variant of the product.'),
  price: Type.Optional(Nullable(Price)),
  quantity: Type.Optional(Quantity),
  sku: Type.Optional(Nullable(Sku)),
  active: Type.Optional(Type.Boolean({ description: 'false takes the variant off sale.' })),
})
export type UpdateVariant = Static<typeof UpdateVariant>

const VariantRecord = Type.Object({
  productId: Type.String(),
  reference: Type.String({ description: 'The product’s reference.' }),
  status: Type.String({ description: 'Active or Inactive.' }),
  ...VariantPart.properties,
  currency: Type.String(),
})

export const OneVariant = Envelope(VariantRecord)
export const VariantList = ReferenceList(VariantRecord)
