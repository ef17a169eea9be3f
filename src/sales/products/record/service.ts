import type { Database, Db, Tx } from '../../../db/database.ts'
import { plainArray, textArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Searchable } from '../../../db/text-search.ts'
import type { Deps } from '../../../deps.ts'
import { appendEvents, type NewEvent } from '../../../events/append.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { conflict, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { newReference } from '../../../lib/tokens.ts'
import { relationsOf } from './parts.ts'
import {
  type ListedRow,
  lockProductRow,
  lockStock,
  type ProductRow,
  productsById,
  type ShownRow,
  type StockRow,
  selectOverviews,
  selectProduct,
  selectProducts,
  selectStock,
  updateTouched,
  type WholeRow,
} from './queries.ts'
import { PRODUCT_KIND, type ProductRecord, productRecord } from './record.ts'

export type {
  Content,
  LinkLimits,
  ListedRow,
  Overview,
  ProductRow,
  ProductStatus,
  ProductType,
  StockRow,
  WholeRow,
} from './queries.ts'
export {
  LIST_COLUMNS,
  overviewsOfPage,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  SLUG_INDEX,
  selectOverviews,
  selectProduct,
  selectStock,
  updateContent,
  updateCounted as countProductEvents,
  updateDeleted,
  updateLinkLimits,
  updateStatus,
} from './queries.ts'
export type { ProductRecord } from './record.ts'

export const PRODUCTS: Searchable<ProductRow> = {
  kind: PRODUCT_KIND,
  table: 'products',
  fields: ['name', 'sku'],
  marks: ['status', 'type'],
}

export type RecordDeps = Pick<Deps, 'publicUrl'>
export type ProductDeps = RecordDeps & Pick<Deps, 'ids'>

/**
 * Returns the product with this id, given as a number or a string. Throws 404, including for a
 * deleted product.
 */
export async function requireProduct(
  db: Db,
  tenant: Tenant,
  productId: number | string,
): Promise<WholeRow> {
  const row = await selectProduct(db, tenant, { id: toId(productId) })
  if (!row) throw notFound('product')
  return row
}

/** Like `requireProduct`, but simultaneous calls share one statement. */
export async function readProduct(db: Database, tenant: Tenant, productId: number | string) {
  const [row] = await productsById(db).add({ tenant, id: toId(productId) })
  if (!row) throw notFound('product')
  return row
}

/** Returns the products that exist, in the order of `ids`. */
export async function productsWith(
  db: Db,
  tenant: Tenant,
  ids: readonly number[],
): Promise<ProductRow[]> {
  if (ids.length === 0) return []
  const rows = await selectProducts(db, tenant, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Like `requireProduct`, but locks the product until the transaction ends. Code that also needs the
 * stock must call `lockWithStock` instead, because stock is always locked before its product.
 */
export async function lockProduct(
  tx: Tx,
  tenant: Tenant,
  productId: number | string,
): Promise<ProductRow> {
  const row = await lockProductRow(tx, tenant, toId(productId))
  if (!row) throw notFound('product')
  return row
}

/** Like `lockProduct`, but for changes to the stock of the product or its variants. */
export async function lockWithStock(
  tx: Tx,
  tenant: Tenant,
  productId: number | string,
): Promise<ProductRow> {
  await lockStock(tx, tenant, toId(productId))
  return lockProduct(tx, tenant, productId)
}

export async function recordsOf(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  rows: readonly (ShownRow | ListedRow)[],
): Promise<ProductRecord[]> {
  const without = rows.flatMap((row) => (hasOverview(row) ? [] : [row.id]))
  const overviews = await selectOverviews(db, tenant, without)
  for (const row of rows) if (hasOverview(row)) overviews.set(row.id, row)
  const shown = await relationsOf(db, deps, tenant, overviews)
  return rows.map((row) => productRecord(row, shown.get(row.id)!))
}

const hasOverview = (row: ShownRow | ListedRow): row is ListedRow => 'has_options' in row

export async function recordOf(db: Db, deps: RecordDeps, tenant: Tenant, row: ProductRow) {
  const [record] = await recordsOf(db, deps, tenant, [row])
  return record!
}

type EventType = 'updated' | 'archived' | 'deleted'

/**
 * Appends the event that the row’s event sequence already includes, and returns the record after
 * the change.
 */
export async function publishChange(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  type: EventType,
  row: ProductRow,
): Promise<ProductRecord> {
  const record = await recordOf(tx, deps, caller, row)
  const event: NewEvent = {
    businessId: row.business_id,
    live: row.live,
    type: `product.${type}`,
    objectType: PRODUCT_KIND,
    objectId: row.id,
    sequence: row.event_sequence,
    data: record,
    at: caller.now,
  }
  await appendEvents(tx, deps.ids, [event])
  return record
}

/**
 * Appends the event for a change to a part of a product: options, variants, media, files or fees.
 * Must be called after the change, in the same transaction. Throws 404. Returns the record after
 * the change.
 */
export async function productChanged(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  productId: number | string,
): Promise<ProductRecord> {
  const row = await updateTouched(tx, caller, toId(productId), caller.now)
  if (!row) throw notFound('product')
  return publishChange(tx, deps, caller, 'updated', row)
}

export interface CopiedIds {
  from: number
  to: number
}

/** A row of a product, with the id and reference of its copy. */
export interface CopiedRow extends CopiedIds {
  reference: string
}

export async function copiedRowsOf(
  db: Db,
  ids: Deps['ids'],
  rows: readonly { id: number }[],
  prefix: string,
): Promise<CopiedRow[]> {
  const pairs: CopiedRow[] = []
  for (const { id } of rows) {
    pairs.push({ from: id, to: await ids.next(db), reference: newReference(prefix) })
  }
  return pairs
}

/** Returns the pairs as the table `c (from_id, to_id, ref)`. */
export const copiedRowsTable = (pairs: readonly CopiedRow[]): Sql => sql`
  unnest(${plainArray(pairs.map(({ from }) => from))}::bigint[],
    ${plainArray(pairs.map(({ to }) => to))}::bigint[],
    ${textArray(pairs.map(({ reference }) => reference))}::text[]) as c (from_id, to_id, ref)`

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
