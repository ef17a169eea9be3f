import type { Db, Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import type { Minor } from '../../../lib/money.ts'
import { type CopiedIds, copiedRowsOf } from '../core/copy.ts'
import { deliveryFeesOf } from '../core/fees.ts'
import { insertFeeCopies, selectFeesFor } from './queries.ts'

/** The location with the fee for all other locations. */
const EVERYWHERE = 'Everywhere'

export interface DeliveryFee {
  location: string
  fee_minor: Minor
  currency: string
}

/**
 * Returns the delivery fees of products for a location, by product id: the fee for that location,
 * ignoring case, or else for `Everywhere`. Omits products with neither.
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

export async function copyFees(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  caller: Caller,
  products: CopiedIds,
): Promise<void> {
  const had = (await deliveryFeesOf(tx, caller, [products.from])).get(products.from) ?? []
  if (had.length === 0) return
  const pairs = await copiedRowsOf(tx, ids, had, 'DLV')
  await insertFeeCopies(tx, caller, products, pairs, caller.now)
}
