import { toAmount } from '../../../lib/money.ts'
import { printPercentage } from '../../../lib/percent.ts'
import type { DiscountRow } from './queries.ts'

/** A discount as the API and its events show it (docs/CONTRACT.md, Products). */
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
