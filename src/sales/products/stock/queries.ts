import type { Db, Tx } from '../../../db/database.ts'
import { findFairly, keyCondition, takeDue } from '../../../db/leases.ts'
import { plainArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'

type ReservationStatus = 'Reserved' | 'Sold' | 'Released' | 'Returned'

interface LevelNow {
  tracked: boolean
  on_hand: number
  reserved: number
  low_stock_threshold: number | null
}

interface Move {
  from: readonly ReservationStatus[]
  to: ReservationStatus
  /** How much more of item `s` is taken, if enough is available. */
  takes?: Sql
  /** The new values of item `s`, given reservation `c`. */
  on_hand?: Sql
  reserved?: Sql
  sold?: Sql
}

/** What a reservation withholds at the moment. */
const HOLDS = sql`case when c.status = 'Reserved' then coalesce(c.held, c.quantity) else 0 end`
/** What a released reservation withheld. It is only taken again if it is still available. */
const RELEASED = sql`case when c.status = 'Released' then coalesce(c.held, c.quantity) else 0 end`
const LEAVING = sql`case when s.tracked then c.quantity else 0 end`

export const MOVES = {
  release: {
    from: ['Reserved'],
    to: 'Released',
    reserved: sql`s.reserved - ${HOLDS}`,
  },
  renew: {
    from: ['Reserved', 'Released'],
    to: 'Reserved',
    takes: sql`case when c.status = 'Released' then c.quantity else 0 end`,
    reserved: sql`s.reserved + ${RELEASED}`,
  },
  sell: {
    from: ['Reserved', 'Released'],
    to: 'Sold',
    takes: sql`c.quantity - ${HOLDS}`,
    on_hand: sql`s.on_hand - ${LEAVING}`,
    reserved: sql`s.reserved - ${HOLDS}`,
    sold: sql`s.sold + c.quantity`,
  },
  take_back: {
    from: ['Sold'],
    to: 'Returned',
    on_hand: sql`s.on_hand + ${LEAVING}`,
    sold: sql`s.sold - c.quantity`,
  },
} as const satisfies Record<string, Move>

/** A reservation that was moved, with the level of its item before the move. */
export interface MovedReservation extends LevelNow {
  item_id: number
  product_id: number
  quantity: number
  /** True if too little is available. In that case, none of the cause’s reservations is moved. */
  is_short: boolean
  on_hand_after: number
  reserved_after: number
}

/**
 * Moves a cause’s reservations that are in one of the move’s source states, either all or none of
 * them, in one statement. Locks the reservations in the order of their items, and then the items in
 * the same order.
 *
 * Here and below, the new values of an item are computed after the item is locked. If they were
 * computed in the `set`, PostgreSQL would first check the row as it was when the statement started.
 */
export function moveReservations(
  tx: Tx,
  { businessId, live }: Tenant,
  causeId: number,
  {
    from,
    to,
    takes = sql`0`,
    on_hand = sql`s.on_hand`,
    reserved = sql`s.reserved`,
    sold = sql`s.sold`,
  }: Move,
  { expiresAt, now }: { expiresAt?: Date; now: Date },
) {
  return tx.many<MovedReservation>`
    with claimed as materialized (
      select item_id, product_id, quantity, held, status from stock_reservations
      where business_id = ${businessId} and live = ${live} and cause_id = ${causeId}
        and status = any(${from}::text[])
      order by item_id for no key update
    ), held as materialized (
      select s.id, c.product_id, c.quantity, s.tracked, s.on_hand, s.reserved,
        s.low_stock_threshold, ${on_hand} as on_hand_after, ${reserved} as reserved_after,
        ${sold} as sold_after,
        case when s.retired then ${takes} > 0
          else s.tracked and s.on_hand - s.reserved < ${takes} end as is_short
      from claimed c join stock_items s on s.id = c.item_id
      where s.business_id = ${businessId} and s.live = ${live}
      order by s.id for no key update of s
    ), settled as materialized (
      select * from held where not exists (select from held where is_short)
    ), stocked as (
      update stock_items s
      set on_hand = h.on_hand_after, reserved = h.reserved_after, sold = h.sold_after
      from settled h
      where s.business_id = ${businessId} and s.live = ${live} and s.id = h.id
    ), moved as (
      update stock_reservations r
      set status = ${to}, updated_at = ${now},
        expires_at = greatest(r.expires_at, ${expiresAt ?? null}::timestamptz)
      from settled h
      where r.business_id = ${businessId} and r.live = ${live} and r.cause_id = ${causeId}
        and r.item_id = h.id
    )
    select id as item_id, product_id, quantity, is_short, tracked, on_hand, reserved,
      low_stock_threshold, on_hand_after, reserved_after
    from held`
}

/**
 * Releases up to `limit` expired reservations and returns how many. Skips rows that another
 * transaction has locked. Because this is used for expiry, it covers all businesses; `only` limits
 * it to one business’s test data.
 */
export async function releaseExpired(
  tx: Tx,
  db: Db,
  now: Date,
  only: number | null,
  limit: number,
): Promise<number> {
  const find = (isOther: Sql) => tx.many<ReservationKey>`
    select business_id, live, cause_id, item_id from stock_reservations
    where status = 'Reserved' and expires_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
  const release = (keys: ReservationKey[]) => tx.many`
    with due as materialized (
      select business_id, live, cause_id, item_id, coalesce(held, quantity) as quantity
      from stock_reservations
      where ${isReservation(keys)} and status = 'Reserved' and expires_at <= ${now}
      for no key update skip locked
    ), given as (
      select business_id, live, item_id as id, sum(quantity)::bigint as quantity
      from due group by business_id, live, item_id
    ), held as materialized (
      select business_id, live, s.id, s.reserved - g.quantity as reserved
      from given g join stock_items s using (business_id, live, id)
      order by business_id, live, s.id for no key update of s
    ), stocked as (
      update stock_items s set reserved = h.reserved
      from held h
      where s.business_id = h.business_id and s.live = h.live and s.id = h.id
    ), moved as (
      update stock_reservations r set status = 'Released', updated_at = ${now}
      from due d
      where r.business_id = d.business_id and r.live = d.live and r.cause_id = d.cause_id
        and r.item_id = d.item_id
    )
    select from due`
  return (await takeDue(tx, () => findFairly(db, 'stock', limit, find), release)).length
}

interface ReservationKey {
  business_id: number
  live: boolean
  cause_id: number
  item_id: number
}

const isReservation = keyCondition<ReservationKey>({ cause_id: 'bigint', item_id: 'bigint' })

/** Returns the stock of items, with the names of their products. */
export function selectNamed(db: Db, { businessId, live }: Tenant, itemIds: readonly number[]) {
  return db.many<{ id: number; name: string; available: number }>`
    select s.id, p.name, greatest(0, s.on_hand - s.reserved) as available
    from stock_items s join products p using (business_id, live)
    where s.business_id = ${businessId} and s.live = ${live} and p.id = s.product_id
      and s.id = any(${plainArray(itemIds)}::bigint[])
    order by s.id`
}

/** The stock of a variant, or of a product without variants, which shares its id. */
export interface NewItem {
  id: number
  tracked: boolean
  on_hand: number
  low_stock_threshold: number | null
}

export function insertItems(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  items: readonly NewItem[],
) {
  return tx.run`
    insert into stock_items
      (business_id, live, id, product_id, tracked, on_hand, low_stock_threshold)
    select ${businessId}::bigint, ${live}::boolean, id, ${productId}::bigint, tracked, on_hand,
      threshold
    from unnest(${plainArray(items.map(({ id }) => id))}::bigint[],
      ${plainArray(items.map(({ tracked }) => tracked))}::boolean[],
      ${plainArray(items.map(({ on_hand }) => on_hand))}::bigint[],
      ${plainArray(items.map(({ low_stock_threshold }) => low_stock_threshold))}::bigint[]
    ) as t (id, tracked, on_hand, threshold)`
}

export function updateStock(tx: Tx, { businessId, live }: Tenant, items: readonly NewItem[]) {
  return tx.run`
    update stock_items s
    set tracked = t.tracked, on_hand = t.on_hand, low_stock_threshold = t.threshold
    from unnest(${plainArray(items.map(({ id }) => id))}::bigint[],
      ${plainArray(items.map(({ tracked }) => tracked))}::boolean[],
      ${plainArray(items.map(({ on_hand }) => on_hand))}::bigint[],
      ${plainArray(items.map(({ low_stock_threshold }) => low_stock_threshold))}::bigint[]
    ) as t (id, tracked, on_hand, threshold)
    where s.business_id = ${businessId} and s.live = ${live} and s.id = t.id`
}

export function updateLevels(
  tx: Tx,
  { businessId, live }: Tenant,
  levels: readonly { id: number; tracked: boolean; on_hand: number }[],
) {
  return tx.run`
    update stock_items s set tracked = t.tracked, on_hand = t.on_hand, retired = false
    from unnest(${plainArray(levels.map(({ id }) => id))}::bigint[],
      ${plainArray(levels.map(({ tracked }) => tracked))}::boolean[],
      ${plainArray(levels.map(({ on_hand }) => on_hand))}::bigint[]
    ) as t (id, tracked, on_hand)
    where s.business_id = ${businessId} and s.live = ${live} and s.id = t.id`
}

/**
 * Empties items that have left the catalogue. They are no longer tracked, so that their product
 * shows only the items that it has, but checkouts that still list them find that they are gone.
 */
export function updateItemsRetired(tx: Tx, { businessId, live }: Tenant, ids: readonly number[]) {
  return tx.run`
    update stock_items set tracked = false, on_hand = 0, retired = true
    where business_id = ${businessId} and live = ${live}
      and id = any(${plainArray(ids)}::bigint[])`
}

/**
 * Prevents the products of a cause from being deleted until the transaction ends, and returns which
 * of them already are.
 */
export function lockProductsOf(tx: Tx, { businessId, live }: Tenant, causeId: number) {
  return tx.many<{ name: string; is_deleted: boolean }>`
    select p.name, p.deleted_at is not null as is_deleted
    from stock_reservations r join products p on p.id = r.product_id
    where r.business_id = ${businessId} and r.live = ${live} and r.cause_id = ${causeId}
      and p.business_id = ${businessId} and p.live = ${live}
    order by p.id for share of p`
}
