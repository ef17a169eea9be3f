import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { type LevelChange, stockEvents } from './record.ts'

/* Reserves stock for many new causes at once, as parts of the statement that writes them. */

/** A quantity of one item: a variant, or a product without variants, which shares its id. */
export interface StockLine {
  itemId: number
  quantity: number
}

/**
 * How much of a reservation is withheld from others: all of it, nothing, or up to 10 units or 5 %
 * of the stock, whichever is larger. The rest of the reservation is taken when it is sold, if still
 * available.
 */
type WithheldPart = 'all' | 'some' | 'nothing'

export interface NewReservations {
  lines: readonly StockLine[]
  expiresAt: Date
  withheld: WithheldPart
}

/** The columns of a stock line in a JSON record, in addition to those of its cause. */
export const STOCK_LINE = 'cause_id bigint, item_id bigint, quantity bigint'

/** Merges lines for the same item. */
export function stockLineValues(lines: readonly StockLine[]) {
  const quantities = new Map<number, number>()
  for (const { itemId, quantity } of lines) {
    quantities.set(itemId, (quantities.get(itemId) ?? 0) + quantity)
  }
  return [...quantities].map(([item_id, quantity]) => ({ item_id, quantity }))
}

/**
 * Returns the parts of a `with` clause that lock the items of the stock lines in `wanted` and
 * decide which causes can have everything they want. `short_causes` lists the others, by
 * `cause_id`.
 *
 * Causes are served in the order of their `place`. A line fits if enough is left after everything
 * that the causes before it want, whether or not they can have it. A cause in `short_causes` might
 * therefore still fit once the others are written: see `takingStock`. If an item has too little
 * stock for any of the lines, it is not even locked, so that latecomers don’t wait for each other.
 * This is checked again once the row is locked.
 *
 * `crossed_items` lists the items whose stock would fall to their threshold or to zero, which
 * requires an event.
 *
 * `wanted` has `business_id, live, place, withheld, stock_until, created_at` and STOCK_LINE.
 */
export const decidingStock = (wanted: string): string => `locked_items as materialized (
  select s.business_id, s.live, s.id as item_id, s.product_id, s.tracked, s.on_hand, s.reserved,
    s.low_stock_threshold
  from (
    select business_id, live, item_id, min(quantity) as least from ${wanted}
    group by business_id, live, item_id
  ) w
  join stock_items s on s.business_id = w.business_id and s.live = w.live and s.id = w.item_id
  where not s.retired and (not s.tracked or s.on_hand - s.reserved >= w.least)
  order by s.business_id, s.live, s.id for no key update of s
), held_lines as materialized (
  select w.*, i.product_id, i.tracked, i.on_hand, i.reserved, i.low_stock_threshold,
    case w.withheld when 'all' then w.quantity when 'nothing' then 0
      else least(w.quantity, greatest(10, i.on_hand / 20)) end as held
  from ${wanted} w left join locked_items i using (item_id, business_id, live)
), stock_lines as materialized (
  select *, coalesce(
    not tracked or on_hand - reserved - coalesce(sum(held) over earlier, 0) >= quantity,
    false) as fits
  from held_lines
  window earlier as (partition by business_id, live, item_id order by place
    rows between unbounded preceding and 1 preceding)
), short_causes as materialized (
  select distinct cause_id from stock_lines where not fits
), crossed_items as materialized (
  select business_id, live, item_id from stock_lines
  where tracked and not exists (select from short_causes s where s.cause_id = stock_lines.cause_id)
  group by business_id, live, item_id, on_hand, reserved, low_stock_threshold
  having sum(held) > 0
    and on_hand - reserved - sum(held) <= coalesce(low_stock_threshold, 0)
    and (on_hand - reserved > coalesce(low_stock_threshold, 0)
      or on_hand - reserved - sum(held) <= 0)
)`

/**
 * Returns the parts of a `with` clause that reserve the stock of `causes`, which has `business_id,
 * live, id`. `stock_results` then has two kinds of rows. For each cause in `short_causes`, it has
 * the items of which too little is left, or null if the cause might still fit. For each reserved
 * line that can need an event, it has the level before and after.
 *
 * The new values of an item are computed after it is locked. If they were computed in the `set`,
 * PostgreSQL would first check the row as it was when the statement started.
 *
 * The joins compare each line with each item, because PostgreSQL expects one row. They compare the
 * id first, in which most pairs differ.
 */
export const takingStock = (causes: string): string => `taken_lines as materialized (
  select l.*, (sum(held) over (partition by business_id, live, item_id order by place))::bigint
    as held_so_far
  from stock_lines l join (select business_id, live, id as cause_id from ${causes}) c
    using (cause_id, business_id, live)
), taken_items as materialized (
  select business_id, live, item_id, max(held_so_far) as taken,
    max(reserved + held_so_far) as reserved
  from taken_lines group by business_id, live, item_id
), reservations as (
  insert into stock_reservations
    (business_id, live, cause_id, item_id, product_id, quantity, held, status, expires_at,
     created_at, updated_at)
  select business_id, live, cause_id, item_id, product_id, quantity,
    case when withheld <> 'all' then held end, 'Reserved', stock_until, created_at, created_at
  from taken_lines
), reserved_items as (
  update stock_items s set reserved = t.reserved from taken_items t
  where s.business_id = t.business_id and s.live = t.live and s.id = t.item_id
), stock_results as materialized (
  select cause_id, json_agg(item_id) filter (
      where not fits and coalesce(on_hand - l.reserved - coalesce(taken, 0) < quantity, true)
    ) as short_items, null::json as changes
  from (
    select * from stock_lines where cause_id in (select cause_id from short_causes) offset 0
  ) l left join taken_items t using (item_id, business_id, live)
  group by cause_id
  union all
  select cause_id, null, json_agg(json_build_object(
    'productId', product_id, 'itemId', item_id, 'tracked', tracked, 'on_hand', on_hand,
    'low_stock_threshold', low_stock_threshold,
    'before', reserved + held_so_far - held, 'after', reserved + held_so_far))
  from taken_lines join crossed_items using (business_id, live, item_id)
  group by cause_id
)`

export interface ReservedLevel {
  productId: number
  itemId: number
  tracked: boolean
  on_hand: number
  low_stock_threshold: number | null
  /** The reserved quantity before and after. */
  before: number
  after: number
}

/** Appends the events for the levels of one tenant, which must be in the order of their changes. */
export const reservedEvents = (
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  levels: readonly ReservedLevel[],
  now: Date,
): Promise<void> => stockEvents(tx, ids, tenant, levels.map(changeOf), now)

const changeOf = ({ productId, itemId, before, after, ...level }: ReservedLevel): LevelChange => ({
  productId,
  itemId,
  before: { ...level, reserved: before },
  after: { ...level, reserved: after },
})
