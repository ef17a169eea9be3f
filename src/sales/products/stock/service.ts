import type { Db, Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { JOB_ROWS_MAX, type Job } from '../../../jobs/jobs.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { conflict, notFound, type Problem } from '../../../lib/problem.ts'
import {
  insertItems,
  lockProductsOf,
  MOVES,
  type MovedReservation,
  moveReservations,
  type NewItem,
  releaseExpired,
  selectNamed,
  updateItemsRetired,
  updateLevels,
  updateStock,
} from './queries.ts'
import { type LevelChange, stockEvents } from './record.ts'
import { type StockLine, stockLineValues } from './reserve.ts'

/**
 * What a checkout does to stock, in its own transaction (docs/design/stock-and-discounts.md). A
 * cause is anything that reserves stock, such as a checkout. Each move takes effect only once,
 * however often it is attempted. Code that also takes other locks must take the discount locks
 * before these, and the transaction and ledger locks after these.
 */

interface Shortage {
  itemId: number
  name: string
  wanted: number
  available: number
}

interface Moment {
  causeId: number
  now: Date
}

/**
 * Extends a cause’s reservations to `expiresAt` if that is later, and reserves again what has been
 * released. Throws 409 `out_of_stock` if too little is left.
 */
export async function extendReservations(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { causeId, expiresAt, now }: Moment & { expiresAt: Date },
): Promise<void> {
  const rows = await moveReservations(tx, tenant, causeId, MOVES.renew, { expiresAt, now })
  const short = rows.filter(({ is_short }) => is_short)
  if (short.length > 0) throw outOfStock(await namedShort(tx, tenant, short))
  await stockEvents(tx, ids, tenant, rows.map(changeOf), now)
}

/**
 * Prevents the products of a cause from being deleted until the transaction ends. Returns the name
 * of one that already is.
 */
export async function deletedProduct(
  tx: Tx,
  tenant: Tenant,
  causeId: number,
): Promise<string | undefined> {
  const products = await lockProductsOf(tx, tenant, causeId)
  return products.find(({ is_deleted }) => is_deleted)?.name
}

/** Releases what a cause has reserved and not bought. */
export async function releaseStock(tx: Tx, tenant: Tenant, { causeId, now }: Moment) {
  await moveReservations(tx, tenant, causeId, MOVES.release, { now })
}

/**
 * Sells what a cause reserved, even if it has since been released, as long as there is enough.
 * Returns the items with too little stock. If there are any, sells nothing and releases everything,
 * and the payment must be refunded.
 */
export async function sellStock(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { causeId, now }: Moment,
): Promise<Shortage[]> {
  const rows = await moveReservations(tx, tenant, causeId, MOVES.sell, { now })
  const short = rows.filter(({ is_short }) => is_short)
  if (short.length > 0) {
    const named = await namedShort(tx, tenant, short)
    await releaseStock(tx, tenant, { causeId, now })
    return named
  }
  await stockEvents(tx, ids, tenant, rows.map(changeOf), now)
  return []
}

/** Puts what a cause bought back into stock after a full refund. */
export async function restock(tx: Tx, tenant: Tenant, { causeId, now }: Moment) {
  await moveReservations(tx, tenant, causeId, MOVES.take_back, { now })
}

function changeOf(row: MovedReservation): LevelChange {
  const { item_id, product_id, tracked, low_stock_threshold, on_hand, reserved } = row
  const level = { tracked, low_stock_threshold }
  return {
    productId: product_id,
    itemId: item_id,
    before: { ...level, on_hand, reserved },
    after: { ...level, on_hand: row.on_hand_after, reserved: row.reserved_after },
  }
}

/**
 * A separate query, run only if an item has too little stock, so that successful orders don’t pay
 * for looking up names.
 */
async function namedShort(
  db: Db,
  tenant: Tenant,
  rows: readonly { item_id: number; quantity: number }[],
): Promise<Shortage[]> {
  const wanted = new Map(rows.map(({ item_id, quantity }) => [item_id, quantity]))
  const named = await selectNamed(db, tenant, [...wanted.keys()])
  return named.map(({ id, name, available }) => ({
    itemId: id,
    name,
    wanted: wanted.get(id)!,
    available,
  }))
}

/**
 * Returns the error for new reservations: 409 `out_of_stock` naming the items with too little
 * stock, or 404 if one of the items does not exist.
 */
export async function shortageError(
  db: Db,
  tenant: Tenant,
  lines: readonly StockLine[],
  itemIds: readonly number[],
): Promise<Problem> {
  const rows = stockLineValues(lines).filter(({ item_id }) => itemIds.includes(item_id))
  const short = await namedShort(db, tenant, rows)
  return short.length < rows.length ? notFound('product') : outOfStock(short)
}

const outOfStock = (short: readonly Shortage[]) =>
  conflict(
    'out_of_stock',
    `Not enough in stock: ${short.map(({ name, available }) => `${name} (${available} left)`).join(', ')}.`,
    { products: short.map(({ name, available }) => `${name} has ${available} left`) },
  )

export const addItems = (tx: Tx, tenant: Tenant, productId: number, items: readonly NewItem[]) =>
  insertItems(tx, tenant, productId, items)

/** Sets the stock and the low-stock thresholds of items that the caller has locked. */
export const setStock = (tx: Tx, tenant: Tenant, items: readonly NewItem[]) =>
  updateStock(tx, tenant, items)

/** Like `setStock`, but keeps the thresholds. The items can be sold again if they were retired. */
export const setLevels = (
  tx: Tx,
  tenant: Tenant,
  levels: readonly Pick<NewItem, 'id' | 'tracked' | 'on_hand'>[],
) => updateLevels(tx, tenant, levels)

/** The caller has locked the items, of which nothing is reserved. */
export const retireItems = (tx: Tx, tenant: Tenant, ids: readonly number[]) =>
  updateItemsRetired(tx, tenant, ids)

export const stockExpiryJob: Job = {
  name: 'stock-expiry',
  everyMs: 5_000,
  followsTestClock: true,
  run: (db, now, only) =>
    db.transaction((tx) => releaseExpired(tx, db, now, only ?? null, JOB_ROWS_MAX)),
}
