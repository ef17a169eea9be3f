import type { Tx } from '../../../db/database.ts'
import type { Minor } from '../../../lib/money.ts'
import type { Tenant } from '../../../lib/tenant.ts'

export interface VariantContent {
  sku: string | null
  price_minor: Minor | null
  active: boolean
}

/** Of a variant whose product the transaction holds. */
export function updateVariantRow(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { sku, price_minor, active }: VariantContent,
  now: Date,
) {
  return tx.run`
    update product_variants
    set sku = ${sku}, price_minor = ${price_minor}, active = ${active}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}
