import { plainArray } from '../../db/arrays.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { CountsRow } from './queries.ts'

export function selectCounts(db: Db, { businessId, live }: Tenant, pageIds: readonly number[]) {
  return db.many<CountsRow>`
    select page_id, views, checkouts, open_checkouts, payments, amount_minor
    from payment_page_counts
    where business_id = ${businessId} and live = ${live}
      and page_id = any(${pageIds}::bigint[])`
}

/** Answers whether the page had a place; `again` for a checkout that was counted before. */
export async function updatePlaceTaken(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  again: boolean,
): Promise<boolean> {
  const count = await tx.run`
    update payment_page_counts c
    set checkouts = checkouts + ${again ? 0 : 1}, open_checkouts = open_checkouts + 1
    from payment_pages p
    where c.business_id = ${businessId} and c.live = ${live} and c.page_id = ${pageId}
      and p.business_id = ${businessId} and p.live = ${live} and p.id = ${pageId}
      and (max_payments is null or payments + open_checkouts < max_payments)`
  return count === 1
}

/** Answers whether a checkout was open. */
export async function updatePlaceGiven(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
): Promise<boolean> {
  const count = await tx.run`
    update payment_page_counts set open_checkouts = open_checkouts - 1
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and open_checkouts > 0`
  return count === 1
}

/** Answers whether a checkout was open. */
export async function updatePaid(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  amount_minor: Minor,
): Promise<boolean> {
  const count = await tx.run`
    update payment_page_counts
    set open_checkouts = open_checkouts - 1, payments = payments + 1,
      amount_minor = amount_minor + ${amount_minor}
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and open_checkouts > 0`
  return count === 1
}

export interface Viewed extends Tenant {
  pageId: number
  views: number
}

/** Holds the rows in order first: two processes that write the same pages would lock each other. */
export async function updateViews(db: Db, viewed: readonly Viewed[]): Promise<void> {
  await db.run`
    with viewed as (
      select * from unnest(
        ${plainArray(viewed.map(({ businessId }) => businessId))}::bigint[],
        ${plainArray(viewed.map(({ live }) => live))}::boolean[],
        ${plainArray(viewed.map(({ pageId }) => pageId))}::bigint[],
        ${plainArray(viewed.map(({ views }) => views))}::bigint[]
      ) as v (business_id, live, page_id, more)
    ), held as materialized (
      select business_id, live, page_id, more
      from payment_page_counts join viewed using (business_id, live, page_id)
      order by business_id, live, page_id for update of payment_page_counts
    )
    update payment_page_counts c set views = views + more
    from held h
    where (c.business_id, c.live, c.page_id) = (h.business_id, h.live, h.page_id)`
}
