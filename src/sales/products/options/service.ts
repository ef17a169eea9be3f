import type { Db, Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { addItems, retireItems } from '../stock/service.ts'
import {
  insertOptions,
  insertVariantRows,
  type NewOptionRow,
  type NewVariantRow,
  updateRetired,
} from './queries.ts'
import { catchTaken } from './validate.ts'

export async function insertVariantSet(
  tx: Tx,
  tenant: Tenant,
  productId: number,
  options: readonly NewOptionRow[],
  variants: readonly NewVariantRow[],
  now: Date,
): Promise<void> {
  await catchTaken('options', insertOptions(tx, tenant, productId, options))
  await insertVariants(tx, tenant, productId, variants, now)
}

/** Assigns ids to options, and positions from `first`. */
export async function newOptionRows(
  db: Db,
  ids: Deps['ids'],
  options: readonly { name: string; values: readonly string[] }[],
  first = 1,
): Promise<NewOptionRow[]> {
  const rows: NewOptionRow[] = []
  for (const [i, { name, values }] of options.entries()) {
    const row: NewOptionRow = { id: await ids.next(db), name, position: first + i, values: [] }
    for (const [j, value] of values.entries()) {
      row.values.push({ id: await ids.next(db), value, position: j + 1 })
    }
    rows.push(row)
  }
  return rows
}

export async function insertVariants(
  tx: Tx,
  tenant: Tenant,
  productId: number,
  variants: readonly NewVariantRow[],
  now: Date,
): Promise<void> {
  if (variants.length === 0) return
  await addItems(tx, tenant, productId, variants)
  await insertVariantRows(tx, tenant, productId, variants, now)
}

/** Removes variants and their remaining stock from their product. Their sales remain stored. */
export async function retireVariants(
  tx: Tx,
  tenant: Tenant,
  ids: readonly number[],
  now: Date,
): Promise<void> {
  await updateRetired(tx, tenant, ids, now)
  await retireItems(tx, tenant, ids)
}
