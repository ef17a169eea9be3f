import type { Db, Tx } from '../../db/database.ts'
import { onMachineOf } from '../../db/distributed/rewrite.ts'
import { paginate } from '../../db/paginate.ts'
import { sql } from '../../db/sql.ts'
import type { SearchQuery } from '../../db/text-search.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Page } from '../../lib/paging.ts'

type SplitType = 'percentage' | 'fixed'

export interface SplitPageRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  name: string
  slug: string
  active: boolean
  split_type: SplitType
  category: boolean
  currency: string
  /** Null if the page uses the business's setting. */
  fee_bearer: 'business' | 'customer' | 'subaccounts' | null
  /** A percentage or, for fixed shares, an amount in naira. */
  total_share: number
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** In the same order as `SplitPageRow`. */
const COLUMNS = sql`business_id, live, id, reference, name, slug, active, split_type,
  category, currency, fee_bearer, total_share, event_sequence, created_at, updated_at`

export interface ShareRow {
  split_page_id: number
  subaccount_id: number
  share: number
  reference: string
  business_name: string
}

export function selectSplitPage(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<SplitPageRow>`
    select ${COLUMNS} from split_pages
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Selects by the URL slug, which also determines the tenant. */
export async function selectSplitPageByLink(db: Db, link: string) {
  const business = sql`select business_id from page_links where link = ${link}`
  const isThere = await onMachineOf(db, business, sql`business_id`)
  return db.maybe<SplitPageRow>`
    select ${COLUMNS} from split_pages
    where ${isThere} and (business_id, live, id) = (
      select business_id, live, page_id from page_links where link = ${link})`
}

/**
 * Locks the page's row. Every change to a page or its shares takes this lock, so that both can be
 * read consistently.
 */
export function lockSplitPage(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe<SplitPageRow>`
    select ${COLUMNS} from split_pages
    where business_id = ${businessId} and live = ${live} and id = ${id} for update`
}

/**
 * Selects a page and its shares in one snapshot, because the page's type can change, and so can its
 * shares.
 */
export function selectWithShares(db: Db, { businessId, live }: Tenant, id: number) {
  return db.many<SplitPageRow & { subaccount_id: number | null; share: number | null }>`
    select ${COLUMNS}, subaccount_id, share
    from split_pages left join (
      select split_page_id as id, subaccount_id, share from split_page_shares
      where business_id = ${businessId} and live = ${live} and split_page_id = ${id}
    ) shares using (id)
    where business_id = ${businessId} and live = ${live} and id = ${id}
    order by subaccount_id`
}

/** Selects the shares of several pages, ordered by page and subaccount. */
export function selectShares(db: Db, { businessId, live }: Tenant, pageIds: readonly number[]) {
  return db.many<ShareRow>`
    select split_page_id, subaccount_id, share, reference, business_name
    from split_page_shares p
    join subaccounts s
      on (s.business_id, s.live, s.id) = (p.business_id, p.live, p.subaccount_id)
    where p.business_id = ${businessId} and p.live = ${live}
      and split_page_id = any(${pageIds}::bigint[])
    order by split_page_id, subaccount_id`
}

export function insertSplitPage(tx: Tx, row: SplitPageRow) {
  return tx.one<SplitPageRow>`
    insert into split_pages (${COLUMNS})
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.name},
      ${row.slug}, ${row.active}, ${row.split_type}, ${row.category}, ${row.currency},
      ${row.fee_bearer}, ${row.total_share}, ${row.event_sequence}, ${row.created_at},
      ${row.updated_at})
    returning ${COLUMNS}`
}

/** Inserts the first shares of a page. Its `total_share` already includes them. */
export async function insertShares(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  shares: readonly Pick<ShareRow, 'subaccount_id' | 'share'>[],
  now: Date,
): Promise<void> {
  await tx.run`
    insert into split_page_shares
      (business_id, live, split_page_id, subaccount_id, share, created_at)
    select ${businessId}::bigint, ${live}::boolean, ${pageId}::bigint, subaccount_id, share,
      ${now}::timestamptz
    from unnest(
      ${shares.map((one) => one.subaccount_id)}::bigint[],
      ${shares.map((one) => one.share)}::bigint[]) as new (subaccount_id, share)`
}

/** The columns that a caller can change. */
export type Content = Pick<
  SplitPageRow,
  'name' | 'slug' | 'active' | 'split_type' | 'category' | 'currency' | 'fee_bearer'
>

/** Returns nothing if the type or currency would change while the page has shares. */
export function updateSplitPage(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content,
  now: Date,
) {
  return tx.maybe<SplitPageRow>`
    update split_pages
    set name = ${content.name}, slug = ${content.slug}, active = ${content.active},
      split_type = ${content.split_type}, category = ${content.category},
      currency = ${content.currency}, fee_bearer = ${content.fee_bearer},
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and (total_share = 0
        or (split_type = ${content.split_type} and currency = ${content.currency}))
    returning ${COLUMNS}`
}

interface Change {
  pageId: number
  subaccountId: number
  /** 0 removes the subaccount from the page. */
  share: number
  /** The current share, read while holding the page's lock; 0 if there is none. */
  before: number
  now: Date
}

/** If the percentages would add up to more than 100, changes nothing and returns nothing. */
export function updateShare(
  tx: Tx,
  { businessId, live }: Tenant,
  { pageId, subaccountId, share, before, now }: Change,
) {
  const added = share - before
  const key = sql`business_id = ${businessId} and live = ${live}`
  const stored =
    share === 0
      ? sql`
        delete from split_page_shares
        where ${key} and split_page_id = (select id from page) and subaccount_id = ${subaccountId}`
      : sql`
        insert into split_page_shares
          (business_id, live, split_page_id, subaccount_id, share, created_at)
        select business_id, live, id, ${subaccountId}::bigint, ${share}::bigint, ${now}::timestamptz
        from page
        on conflict (business_id, live, split_page_id, subaccount_id)
          do update set share = excluded.share`
  return tx.maybe<SplitPageRow>`
    with page as (
      update split_pages
      set total_share = total_share + ${added}::bigint, event_sequence = event_sequence + 1,
        updated_at = ${now}
      where ${key} and id = ${pageId}
        and (split_type = 'fixed' or total_share + ${added}::bigint <= 100)
      returning ${COLUMNS}
    ), stored as (${stored})
    select * from page`
}

interface SplitPageFilter {
  search: SearchQuery | undefined
  active: boolean | undefined
  splitType: SplitType | undefined
  category: boolean | undefined
  isDescending: boolean
}

export const findSplitPages = (
  db: Db,
  tenant: Tenant,
  { active, splitType, category, ...filter }: SplitPageFilter,
  page: Page,
) =>
  paginate<SplitPageRow>(
    db,
    {
      ...filter,
      table: sql`split_pages`,
      columns: COLUMNS,
      tenant,
      indexed: [
        [sql`active`, active, [true, false]],
        [sql`split_type`, splitType, ['percentage', 'fixed']],
        [sql`category`, category, [true, false]],
      ],
    },
    page,
  )
