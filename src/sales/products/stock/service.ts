import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { conflict, notFound } from '../../../lib/problem.ts'
import {
  type Holds,
  insertItems,
  insertReservations,
  type Line,
  MOVES,
  type MovedRow,
  moveReservations,
  type NewItem,
  selectNamed,
  updateLevels,
  updateStock,
  type WantedRow,
} from './queries.ts'
import { type LevelChange, stockEvents } from './record.ts'

/**
 * What checkout does to stock, in its own transaction (docs/design/stock-and-discounts.md).
 * A cause is whatever wants it: a checkout. Each move happens once however often it is tried.
 * Whoever takes more locks takes these after discounts and before the transaction and the ledger.
 */

/** So many of one item: a product without variants, whose id it has, or a variant. */
export type StockLine = Line

/** An item of which there is too little. */
export interface Short {
  itemId: number
  name: string
  wanted: number
  available: number
}

interface Wanted {
  causeId: number
  lines: readonly StockLine[]
  expiresAt: Date
  now: Date
  holds?: Holds
}

interface Moment {
  causeId: number
  now: Date
}

/**
 * Puts aside all that a cause wants until `expiresAt`, or throws: 409 `out_of_stock` naming what is
 * short, 404 for an item that is not that product's. What is not tracked can always be put aside.
 * What the cause has put aside before is not put aside again: see `renewStock`. `holds` says how
 * much of it nobody else can have until then.
 */
export async function reserveStock(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { causeId, lines, expiresAt, now, holds = 'all' }: Wanted,
): Promise<void> {
  if (lines.length === 0) return
  const rows = await insertReservations(tx, tenant, causeId, addedUp(lines), {
    expiresAt,
    now,
    holds,
  })
  if (rows.some(({ is_known }) => !is_known)) throw notFound('product')
  const short = rows.filter(({ is_new, level }) => is_new && !level)
  if (short.length > 0) throw outOfStock(await namedShort(tx, tenant, short))
  await stockEvents(tx, ids, tenant, rows.flatMap(takenFrom), now)
}

/** Lines of one item as one. */
function addedUp(lines: readonly StockLine[]): StockLine[] {
  const byItem = Map.groupBy(lines, ({ itemId }) => itemId)
  return [...byItem.values()].map((same) => ({
    ...same[0]!,
    quantity: same.reduce((sum, { quantity }) => sum + quantity, 0),
  }))
}

function takenFrom({ item_id, product_id, held, level }: WantedRow): LevelChange[] {
  if (!level) return []
  const before = { ...level, reserved: level.reserved - held }
  return [{ productId: product_id, itemId: item_id, before, after: level }]
}

/**
 * Keeps what a cause has put aside until `expiresAt`, when that is later, and puts aside again what
 * was given back meanwhile; throws 409 `out_of_stock` when there is too little of that.
 */
export async function renewStock(
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

/** Gives back what a cause has put aside and did not buy. */
export async function releaseStock(tx: Tx, tenant: Tenant, { causeId, now }: Moment) {
  await moveReservations(tx, tenant, causeId, MOVES.release, { now })
}

/**
 * Sells what a cause has put aside; what was given back meanwhile too, when there is enough of it.
 * Answers what there is too little of. When that is anything, nothing was sold and all of it is
 * given back: the payment is to be refunded.
 */
export async function sellStock(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { causeId, now }: Moment,
): Promise<Short[]> {
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

/** Puts back what a cause bought, when all of it was refunded. */
export async function takeBackStock(tx: Tx, tenant: Tenant, { causeId, now }: Moment) {
  await moveReservations(tx, tenant, causeId, MOVES.take_back, { now })
}

function changeOf(row: MovedRow): LevelChange {
  const { item_id, product_id, tracked, low_stock_threshold, on_hand, reserved } = row
  const level = { tracked, low_stock_threshold }
  return {
    productId: product_id,
    itemId: item_id,
    before: { ...level, on_hand, reserved },
    after: { ...level, on_hand: row.on_hand_after, reserved: row.reserved_after },
  }
}

/** Asked apart, once somebody came too late, so that those in time do not pay for names. */
async function namedShort(
  tx: Tx,
  tenant: Tenant,
  rows: readonly { item_id: number; quantity: number }[],
): Promise<Short[]> {
  const wanted = new Map(rows.map(({ item_id, quantity }) => [item_id, quantity]))
  const named = await selectNamed(tx, tenant, [...wanted.keys()])
  return named.map(({ id, name, available }) => ({
    itemId: id,
    name,
    wanted: wanted.get(id)!,
    available,
  }))
}

const outOfStock = (short: readonly Short[]) =>
  conflict(
    'out_of_stock',
    `Not enough in stock: ${short.map(({ name, available }) => `${name} (${available} left)`).join(', ')}.`,
    { products: short.map(({ name, available }) => `${name} has ${available} left`) },
  )

/** Counts what there is of new variants of a product from now on. */
export const addItems = (tx: Tx, tenant: Tenant, productId: number, items: readonly NewItem[]) =>
  insertItems(tx, tenant, productId, items)

/** How much there is, anew, of items that the transaction holds, and when that is low. */
export const setStock = (tx: Tx, tenant: Tenant, items: readonly NewItem[]) =>
  updateStock(tx, tenant, items)

/** As `setStock`, and keeps when it is low. */
export const setLevels = (
  tx: Tx,
  tenant: Tenant,
  levels: readonly Pick<NewItem, 'id' | 'tracked' | 'on_hand'>[],
) => updateLevels(tx, tenant, levels)
