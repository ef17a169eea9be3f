import type { Db } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { conflict } from '../../../lib/problem.ts'
import { type StockRow, selectStock } from './queries.ts'

/**
 * What there is of an item after a change by hand: giving a quantity has it counted, unless that is
 * refused with it. Throws 409 where buyers have put more aside, or where counting would end while
 * they have.
 */
export function changedLevel<T extends { tracked: boolean; on_hand: number; reserved: number }>(
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
        ? { tracked: [`needs a quantity of at least ${reserved}`] }
        : { quantity: [`must be at least ${reserved}`] }
    throw stockReserved(reserved, fields)
  }
  if (before.tracked && !after.tracked) {
    throw stockReserved(reserved, { tracked: ['cannot end while buyers have some put aside'] })
  }
  return after
}

export const stockReserved = (reserved: number, fields: Record<string, string[]>) =>
  conflict('stock_reserved', `Buyers who are paying have ${reserved} put aside.`, fields)

/** What there is of one item of a product: of itself, or of a variant with that id. */
export async function itemOf(
  db: Db,
  tenant: Tenant,
  productId: number,
  itemId = productId,
): Promise<StockRow> {
  const items = await selectStock(db, tenant, productId)
  return items.find(({ id }) => id === itemId)!
}
