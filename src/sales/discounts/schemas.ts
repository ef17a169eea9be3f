import { type Static, type TSchema, Type } from 'typebox'
import { paging, sorting } from '../../lib/paging.ts'
import {
  Email,
  Envelope,
  inMajorUnits,
  Nullable,
  NullableTimestamp,
  PageOf,
  RecordId,
  Timestamp,
  TimestampText,
} from '../../lib/schemas.ts'
import { ProductId } from '../products/record/schemas.ts'

const Code = Type.String({
  pattern: '^[A-Za-z0-9_-]{3,32}$',
  'x-says': 'must be 3 to 32 letters, digits, hyphens or underscores',
  description: 'Not case-sensitive; stored in upper case.',
  examples: ['BLACK-FRIDAY'],
})
const Kind = Type.Enum(['percentage', 'fixed'])
const Value = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-decimal': true,
  maxLength: 20,
  description:
    'For a percentage, more than 0 and up to 100 with at most two decimals; otherwise an amount in major units (naira, not kobo).',
  examples: [12.5],
})
const Products = Type.Array(ProductId, {
  maxItems: 100,
  description: 'The products that the discount applies to; defaults to all.',
})
const Uses = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const Status = Type.Enum(['Active', 'Inactive'])
const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  'x-says': 'must be a currency code such as NGN',
  description: 'Defaults to the currency of its products, otherwise NGN.',
})
const Starts = {
  ...TimestampText,
  description: 'A date (from the start of that day) or an instant.',
}
const Ends = {
  ...TimestampText,
  description: 'A date (until the end of that day) or an instant.',
}

// Without a currency, the products or the row determine the number of decimals.
const Money = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-decimal': true,
    maxLength: 40,
    description: inMajorUnits(description),
    examples: [1500.5],
  })

export const NewDiscount = Type.Object({
  code: Code,
  type: Kind,
  value: Value,
  currency: Type.Optional(Currency),
  productId: Type.Optional(ProductId),
  productIds: Type.Optional(Products),
  minSpend: Type.Optional(
    Money('The smallest purchase that the code can be used for; 0 is allowed.'),
  ),
  maxDiscount: Type.Optional(Money('The maximum amount that the code can take off.')),
  startsAt: Type.Optional(Starts),
  endsAt: Type.Optional(Ends),
  maxUses: Type.Optional(Uses),
  maxUsesPerCustomer: Type.Optional(Uses),
  status: Type.Enum(['Active', 'Inactive'], { default: 'Active' }),
})
export type NewDiscount = Static<typeof NewDiscount>

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** Changes only the given fields; null clears a field. */
export const UpdateDiscount = Type.Object(
  {
    discountId: Type.Optional(
      RecordId('The id of the discount; without it, `code` identifies the discount.'),
    ),
    code: Type.Optional({
      ...Code,
      description: 'If discountId is given, the new code.',
    }),
    type: Type.Optional(Kind),
    value: Type.Optional(Value),
    currency: Type.Optional(
      Type.String({
        maxLength: 10,
        description: 'Cannot change; only the current value is accepted.',
      }),
    ),
    productId: cleared(ProductId),
    productIds: cleared(Products),
    minSpend: cleared(Money('The smallest purchase that the code can be used for.')),
    maxDiscount: cleared(Money('The maximum amount that the code can take off.')),
    startsAt: cleared(Starts),
    endsAt: cleared(Ends),
    maxUses: cleared(Uses),
    maxUsesPerCustomer: cleared(Uses),
    status: Type.Optional(Status),
  },
  { 'x-needs': [{ oneOf: ['discountId', 'code'], says: 'is required unless code is given' }] },
)
export type UpdateDiscount = Static<typeof UpdateDiscount>

export const DiscountQuery = Type.Object({
  ...paging,
  ...sorting,
  productId: Type.Optional(RecordId('Only discounts that list this product.')),
  code: Type.Optional(
    Type.String({ maxLength: 100, description: 'The whole code, ignoring case.' }),
  ),
})
export type DiscountQuery = Static<typeof DiscountQuery>

export const VerifyDiscount = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100 }),
  amount: Money('The amount of the purchase.'),
  currency: Type.Optional({
    ...Currency,
    description:
      'The currency of the amount; defaults to the product’s currency, otherwise the code’s.',
  }),
  productId: Type.Optional(ProductId),
  pageId: Type.Optional(RecordId('The payment page used for the purchase.')),
  email: Type.Optional(
    Email({ description: 'The buyer’s email address, to check the per-customer limit too.' }),
  ),
})
export type VerifyDiscount = Static<typeof VerifyDiscount>

const text = Type.String()
const count = Type.Integer()

export const DiscountRecord = Type.Object({
  id: count,
  reference: text,
  code: text,
  type: text,
  value: Type.Number({ description: 'A percentage, or an amount in major units.' }),
  currency: text,
  productIds: Type.Array(text, { description: 'Empty means every product.' }),
  minSpend: Nullable(Type.Number()),
  maxDiscount: Nullable(Type.Number()),
  startsAt: NullableTimestamp,
  endsAt: { ...NullableTimestamp, description: 'The time from which the code is no longer valid.' },
  maxUses: Nullable(count),
  maxUsesPerCustomer: Nullable(count),
  usedCount: count,
  reservedCount: Type.Integer({ description: 'The number of uses reserved by open checkouts.' }),
  status: Type.String({ description: 'Active or Inactive.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneDiscount = Envelope(DiscountRecord)
export const DiscountList = PageOf(DiscountRecord)

export const VerifiedDiscount = Envelope(
  Type.Object({
    valid: Type.Literal(true),
    code: text,
    type: text,
    value: Type.Number(),
    amount: Type.Number(),
    amountMinor: count,
    discountAmount: Type.Number(),
    discountAmountMinor: count,
    finalAmount: Type.Number(),
    finalAmountMinor: count,
    currency: text,
  }),
)
