import { type Static, type TSchema, Type } from 'typebox'
import { paging, sorting } from '../../lib/paging.ts'
import {
  Email,
  Envelope,
  inMajorUnits,
  Moment,
  MomentText,
  Nullable,
  NullableMoment,
  PageOf,
  RecordId,
} from '../../lib/schemas.ts'
import { ProductId } from '../products/core/schemas.ts'

const Code = Type.String({
  pattern: '^[A-Za-z0-9_-]{3,32}$',
  'x-says': 'must be 3 to 32 letters, digits, hyphens and underscores',
  description: 'In any case; it is kept in upper case.',
  examples: ['BLACK-FRIDAY'],
})
const Kind = Type.Enum(['percentage', 'fixed'])
const Value = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-decimal': true,
  maxLength: 20,
  description:
    'Percent, more than 0 and up to 100 with at most two decimals; or an amount in major units (naira, not kobo).',
  examples: [12.5],
})
const Products = Type.Array(ProductId, {
  maxItems: 100,
  description: 'What it is for; everything unless given.',
})
const Uses = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const Status = Type.Enum(['Active', 'Inactive'])
const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  'x-says': 'must be a currency code such as NGN',
  description: 'That of its products, else NGN, unless given.',
})
const Starts = { ...MomentText, description: 'A day, from its beginning, or an instant.' }
const Ends = {
  ...MomentText,
  description: 'A day, to its end, or the instant at which it is over.',
}

// Which decimals it may have is told by the products or by the row, when no currency is given.
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
  minSpend: Type.Optional(Money('What must be bought at least; 0 is allowed.')),
  maxDiscount: Type.Optional(Money('What comes off at most.')),
  startsAt: Type.Optional(Starts),
  endsAt: Type.Optional(Ends),
  maxUses: Type.Optional(Uses),
  maxUsesPerCustomer: Type.Optional(Uses),
  status: Type.Enum(['Active', 'Inactive'], { default: 'Active' }),
})
export type NewDiscount = Static<typeof NewDiscount>

const cleared = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** Only what is given changes; null clears. */
export const UpdateDiscount = Type.Object(
  {
    discountId: Type.Optional(RecordId('The discount by its id; without it, `code` names it.')),
    code: Type.Optional({
      ...Code,
      description: 'Beside discountId, what it is called from now on.',
    }),
    type: Type.Optional(Kind),
    value: Type.Optional(Value),
    currency: Type.Optional(
      Type.String({
        maxLength: 10,
        description: 'It cannot change; the one that it has is taken.',
      }),
    ),
    productId: cleared(ProductId),
    productIds: cleared(Products),
    minSpend: cleared(Money('What must be bought at least.')),
    maxDiscount: cleared(Money('What comes off at most.')),
    startsAt: cleared(Starts),
    endsAt: cleared(Ends),
    maxUses: cleared(Uses),
    maxUsesPerCustomer: cleared(Uses),
    status: Type.Optional(Status),
  },
  { 'x-needs': [{ oneOf: ['discountId', 'code'], says: 'is required, or code' }] },
)
export type UpdateDiscount = Static<typeof UpdateDiscount>

export const DiscountQuery = Type.Object({
  ...paging,
  ...sorting,
  productId: Type.Optional(RecordId('Those that name this product.')),
  code: Type.Optional(Type.String({ maxLength: 100, description: 'The whole code, in any case.' })),
})
export type DiscountQuery = Static<typeof DiscountQuery>

export const VerifyDiscount = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100 }),
  amount: Money('What is bought.'),
  currency: Type.Optional({
    ...Currency,
    description: 'Of the amount: that of the product, else of the code, unless given.',
  }),
  productId: Type.Optional(ProductId),
  pageId: Type.Optional(RecordId('A payment page.')),
  email: Type.Optional(Email({ description: 'Of the buyer, whose own uses then count too.' })),
})
export type VerifyDiscount = Static<typeof VerifyDiscount>

const text = Type.String()
const count = Type.Integer()

export const DiscountRecord = Type.Object({
  id: count,
  reference: text,
  code: text,
  type: text,
  value: Type.Number({ description: 'Percent, or major units.' }),
  currency: text,
  productIds: Type.Array(text, { description: 'Empty for every product.' }),
  minSpend: Nullable(Type.Number()),
  maxDiscount: Nullable(Type.Number()),
  startsAt: NullableMoment,
  endsAt: { ...NullableMoment, description: 'When it is over.' },
  maxUses: Nullable(count),
  maxUsesPerCustomer: Nullable(count),
  usedCount: count,
  reservedCount: Type.Integer({ description: 'Put aside by checkouts under way.' }),
  status: Type.String({ description: 'Active or Inactive' }),
  createdAt: Moment,
  updatedAt: Moment,
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
