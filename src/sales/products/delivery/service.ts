import type { Db } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { type Minor, printMinor } from '../../../lib/money.ts'
import { type FeeRow, selectFees, selectFeesFor } from './queries.ts'

/** Where nothing else is said: the fee of every other location. */
const EVERYWHERE = 'Everywhere'

/** A delivery fee as the API shows it: `fees` is decimal text. */
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

/** The fees of products, by the product's id and in the order of locations; none is not in it. */
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

/** What it costs to deliver one line of a product. */
export interface DeliveryFee {
  location: string
  fee_minor: Minor
  currency: string
}

/**
 * What delivery of each product to a location costs, by the product's id: the fee of that location,
 * in any case, or else of `Everywhere`. A product that has neither is not in it.
 */
export async function deliveryFeeFor(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
  location: string,
): Promise<Map<number, DeliveryFee>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectFeesFor(db, tenant, productIds, [location.trim(), EVERYWHERE])
  return new Map(
    rows.map(({ product_id, location, fee_minor, currency }) => [
      product_id,
      { location, fee_minor, currency },
    ]),
  )
}
