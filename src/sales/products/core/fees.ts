import type { Db } from '../../../db/database.ts'
import { plainArray } from '../../../db/pg-arrays.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { type Minor, printMinor } from '../../../lib/money.ts'

export interface FeeRow {
  id: number
  product_id: number
  location: string
  fee_minor: Minor
  currency: string
}

/** `fees` is a decimal string, as the contract requires. */
export const feeRecord = (
  { id, product_id, location, fee_minor, currency }: FeeRow,
  status: 'Active' | 'Deleted' = 'Active',
) => ({
  reference: `DLV_${id}`,
  status,
  id,
  productId: String(product_id),
  location,
  fees: printMinor(fee_minor, currency),
  currency,
})

export type FeeRecord = ReturnType<typeof feeRecord>

/**
 * Returns the delivery fees of products, by product id and ordered by location. Omits products
 * without fees.
 */
export async function deliveryFeesOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, FeeRecord[]>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectFees(db, tenant, productIds)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id)
  return new Map([...byProduct].map(([id, own]) => [id, own.map((row) => feeRecord(row))]))
}

function selectFees(db: Db, { businessId, live }: Tenant, productIds: readonly number[]) {
  return db.many<FeeRow>`
    select id, product_id, location, fee_minor, currency from delivery_fees
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${plainArray(productIds)}::bigint[])
    order by product_id, lower(location), id`
}
