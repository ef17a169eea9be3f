import { Type } from 'typebox'
import { idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { type EventKind, kindsOf } from '../../events/catalogue.ts'
import { printPercentage, toAmount } from '../../lib/money.ts'
import type { DiscountRow } from './queries.ts'
import { DiscountRecord as DiscountData } from './schemas.ts'

/** Returns a discount as the API and its events show it (docs/CONTRACT.md, Products). */
export function discountRecord(row: DiscountRow) {
  const { currency, type, value_minor, min_spend_minor, max_discount_minor } = row
  return {
    id: row.id,
    reference: row.reference,
    code: row.code,
    type,
    value:
      type === 'percentage'
        ? printPercentage(Number(value_minor))
        : toAmount(value_minor, currency),
    currency,
    productIds: row.product_ids.map(String),
    minSpend: min_spend_minor === null ? null : toAmount(min_spend_minor, currency),
    maxDiscount: max_discount_minor === null ? null : toAmount(max_discount_minor, currency),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    maxUses: row.max_uses,
    maxUsesPerCustomer: row.max_uses_per_customer,
    usedCount: row.used_count,
    reservedCount: row.reserved_count,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export type DiscountRecord = ReturnType<typeof discountRecord>

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
  { object: 'discount', schema: DiscountData, example },
  {
    'discount.created': ['A discount code was created.'],
    'discount.updated': [
      'The terms of a discount code were changed.',
      { maxUses: 200, updatedAt: CHANGED_AT },
    ],
    'discount.exhausted': [
      'A discount code reached its usage limit.',
      { usedCount: 100, updatedAt: CHANGED_AT },
    ],
  },
)

const UsedDiscount = Type.Object({
  ...DiscountData.properties,
  discountAmount: Type.Number({ description: 'The amount of the discount.' }),
  discountAmountMinor: Type.Integer(),
})

const ofUses = kindsOf(
  { object: 'discount', schema: UsedDiscount, example },
  {
    'discount.redeemed': [
      'A discount code was used in a completed purchase.',
      { usedCount: 1, discountAmount: 1500, discountAmountMinor: 150000, updatedAt: CHANGED_AT },
    ],
  },
)

export const discountEvents: EventKind[] = [...ofTerms, ...ofUses]

export const discountPersonalData: PersonalData = {
  name: 'discountUses',
  find: (db, customer) =>
    idsWhere(db, customer, {
      table: sql`discount_uses`,
      match: sql`lower(customer) = ${customer.email}`,
      key: sql`cause_id`,
    }),
  async erase(tx, { businessId, live, email }, causeIds, pseudonym) {
    // How often this customer used each code. They can use a limited code again.
    await tx.run`
      update discount_customers set customer = ${pseudonym}
      where business_id = ${businessId} and live = ${live} and customer = ${email}`
    return tx.run`
      update discount_uses set customer = ${pseudonym}
      where business_id = ${businessId} and live = ${live}
        and cause_id = any(${causeIds}::bigint[])`
  },
}
