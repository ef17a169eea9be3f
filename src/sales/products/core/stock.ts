import type { Db } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { conflict } from '../../../lib/problem.ts'
import { type StockRow, selectStock } from './queries.ts'

/**
 * Returns the stock of an item after a manual change. Setting a quantity turns on tracking, unless
 * the request says otherwise. Throws 409 if buyers have reserved more than the quantity, or if
 * tracking would end while they have items reserved.
 */
export function newStockLevel<T extends { tracked: boolean; on_hand: number; reserved: number }>(
  before: T,
  { quantity, tracked }: { quantity?: number | undefined; tracked?: boolean | undefined },
): T {
  const { on_hand, reserved } = before
  const after = {
    ...before,
    on_hand: quantity ?? on_hand,
    tracked: tracked ?? (quantity === undefined ? before.tracked : true),
  }
  if (reserved === 0) return after
  if (after.tracked && after.on_hand < reserved) {
    const fields =
      quantity === undefined
        ? { tracked: [`requires a quantity of at least ${reserved}`] }
        : { quantity: [`must be at least ${reserved}, the quantity reserved by open checkouts`] }
    throw stockReserved(reserved, fields)
  }
  if (before.tracked && !after.tracked) {
    throw stockReserved(reserved, {
      tracked: ['cannot be turned off while open checkouts have stock reserved'],
    })
  }
  return after
}

export const stockReserved = (reserved: number, fields: Record<string, string[]>) =>
  conflict('stock_reserved', `Open checkouts have reserved ${reserved} of this item.`, fields)

/** Returns the stock of one item: the product itself or the variant with that id. */
export async function itemOf(
  db: Db,
  tenant: Tenant,
  productId: number,
  itemId = productId,
): Promise<StockRow> {
  const items = await selectStock(db, tenant, productId)
  return items.find(({ id }) => id === itemId)!
}
