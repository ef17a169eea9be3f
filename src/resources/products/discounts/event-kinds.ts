import { Type } from 'typebox'
import { type EventKind, kindsOf } from '../../../events/kind.ts'
import { DiscountRecord } from './schemas.ts'

const MADE_AT = '2026-11-01T10:30:00.000Z'
const CHANGED_AT = '2026-11-05T09:30:00.000Z'

const example = {
  id: 40700,
  reference: 'DSC_6lF0yN5bIg9tW4mHd7Zc',
  code: 'BLACK-FRIDAY',
  type: 'percentage',
  value: 12.5,
  currency: 'NGN',
  productIds: [],
  minSpend: null,
  maxDiscount: 5000,
  startsAt: '2026-11-26T23:00:00.000Z',
  endsAt: '2026-11-30T23:00:00.000Z',
  maxUses: 100,
  maxUsesPerCustomer: 1,
  usedCount: 0,
  reservedCount: 0,
  status: 'Active',
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

const ofTerms = kindsOf(
  { object: 'discount', schema: DiscountRecord, example },
  {
    'discount.created': ['A discount code was created.'],
    'discount.updated': [
      'The terms of a discount code were changed.',
      { maxUses: 200, updatedAt: CHANGED_AT },
    ],
    'discount.exhausted': [
      'A discount code was used for the last time that it may be.',
      { usedCount: 100, updatedAt: CHANGED_AT },
    ],
  },
)

const UsedDiscount = Type.Object({
  ...DiscountRecord.properties,
  discountAmount: Type.Number({ description: 'What came off.' }),
  discountAmountMinor: Type.Integer(),
})

const ofUses = kindsOf(
  { object: 'discount', schema: UsedDiscount, example },
  {
    'discount.redeemed': [
      'Something was paid for with a discount code.',
      { usedCount: 1, discountAmount: 1500, discountAmountMinor: 150000, updatedAt: CHANGED_AT },
    ],
  },
)

export const discountEvents: EventKind[] = [...ofTerms, ...ofUses]
