import type { Db, Tx } from '../../db/database.ts'
import { onMachineOf } from '../../db/distributed/rewrite.ts'
import { paginate } from '../../db/paginate.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { SearchQuery } from '../../db/text-search.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page, Range } from '../../lib/paging.ts'

export const AMOUNT_TYPES = ['fixed', 'variable', 'minimum'] as const
export const PAGE_STATUSES = ['Published', 'Unpublished'] as const
export const FEE_BEARERS = ['business', 'customer', 'subaccounts'] as const
export const CHANNELS = ['BANK_TRANSFER', 'USSD', 'CARD'] as const
export const FIELD_TYPES = ['text', 'number', 'select', 'date', 'phone'] as const

/** A field that the payer fills in, in addition to their contact details. */
export interface CustomField {
  label: string
  name: string
  type: (typeof FIELD_TYPES)[number]
  required: boolean
  /** The choices of a select. Empty for other types. */
  options: string[]
}

export interface PageRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  title: string
  description: string | null
  status: (typeof PAGE_STATUSES)[number]
  custom_link: string
  amount_type: (typeof AMOUNT_TYPES)[number]
  /**
   * The fixed or minimum amount. Null if the payer chooses freely, or if the page only has
   * products.
   */
  amount_minor: Minor | null
  currency: string
  suggested_minor: Minor[]
  /** A URL, or `/media/…` on this server. */
  image: string | null
  color: string | null
  custom_fields: CustomField[]
  collect_phone: boolean
  collect_address: boolean
  allow_discount_codes: boolean
  max_payments: number | null
  expires_at: Date | null
  redirect_url: string | null
  success_message: string | null
  split_page_id: number | null
  /** Null means that the business’s setting applies. */
  fee_bearer: (typeof FEE_BEARERS)[number] | null
  /** Empty means all available channels. */
  channels: (typeof CHANNELS)[number][]
  /** JSON text. */
  metadata: string | null
  deleted_at: Date | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** The columns that a caller can change. */
export type Content = Pick<
  PageRow,
  | 'title'
  | 'description'
  | 'status'
  | 'custom_link'
  | 'amount_type'
  | 'amount_minor'
  | 'suggested_minor'
  | 'image'
  | 'color'
  | 'custom_fields'
  | 'collect_phone'
  | 'collect_address'
  | 'allow_discount_codes'
  | 'max_payments'
  | 'expires_at'
  | 'redirect_url'
  | 'success_message'
  | 'split_page_id'
  | 'fee_bearer'
  | 'channels'
  | 'metadata'
>

export interface CountsRow {
  page_id: number
  views: number
  checkouts: number
  open_checkouts: number
  payments: number
  amount_minor: Minor
}

/** The row as pg returns it, with int8[] and JSON as strings. */
type Stored = Omit<PageRow, 'suggested_minor' | 'custom_fields'> & {
  suggested: string[]
  custom_fields: string
}

const COLUMNS = sql`business_id, live, id, reference, title, description, status,
  custom_link, amount_type, amount_minor, currency, suggested_minor::text[] as suggested, image,
  color, custom_fields, collect_phone, collect_address, allow_discount_codes, max_payments,
  expires_at, redirect_url, success_message, split_page_id, fee_bearer, channels, metadata,
  deleted_at, event_sequence, created_at, updated_at`

const read = <Row extends Stored>({ suggested, custom_fields, ...row }: Row) => ({
  ...row,
  suggested_minor: suggested.map(BigInt),
  custom_fields: JSON.parse(custom_fields) as CustomField[],
})

/** Returns undefined for a deleted page. */
export async function selectPage(db: Db, { businessId, live }: Tenant, id: number) {
  const row = await db.maybe<Stored>`
    select ${COLUMNS} from payment_pages
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null`
  return row && read(row)
}

/** Returns undefined for a deleted page and for another tenant’s link. */
export async function selectPageByLink(db: Db, { businessId, live }: Tenant, link: string) {
  const row = await db.maybe<Stored>`
    select ${COLUMNS} from payment_pages
    where business_id = ${businessId} and live = ${live} and deleted_at is null
      and id = (
        select page_id from page_links
        where link = ${link} and business_id = ${businessId} and live = ${live}
      )`
  return row && read(row)
}

/**
 * Every change to a page or to its list of products locks the page’s row first, so both stay as
 * they were read.
 */
export async function lockPage(tx: Tx, { businessId, live }: Tenant, id: number) {
  const row = await tx.maybe<Stored>`
    select ${COLUMNS} from payment_pages
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    for update`
  return row && read(row)
}

/** Inserts a page with all counts at zero. */
export async function insertPage(tx: Tx, row: PageRow): Promise<PageRow> {
  const stored = await tx.one<Stored>`
    with page as (
    insert into payment_pages (business_id, live, id, reference, title, description, status,
      custom_link, amount_type, amount_minor, currency, suggested_minor, image, color,
      custom_fields, collect_phone, collect_address, allow_discount_codes, max_payments,
      expires_at, redirect_url, success_message, split_page_id, fee_bearer, channels, metadata,
      event_sequence, created_at, updated_at)
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.title},
      ${row.description}, ${row.status}, ${row.custom_link}, ${row.amount_type},
      ${row.amount_minor}, ${row.currency}, ${row.suggested_minor.map(String)}::bigint[],
      ${row.image}, ${row.color}, ${JSON.stringify(row.custom_fields)}, ${row.collect_phone},
      ${row.collect_address}, ${row.allow_discount_codes}, ${row.max_payments},
      ${row.expires_at}, ${row.redirect_url}, ${row.success_message}, ${row.split_page_id},
      ${row.fee_bearer}, ${row.channels}::text[], ${row.metadata}, ${row.event_sequence},
      ${row.created_at}, ${row.updated_at})
    returning ${COLUMNS}
    ), counted as (
      insert into payment_page_counts (business_id, live, page_id)
      values (${row.business_id}, ${row.live}, ${row.id})
    )
    select * from page`
  return read(stored)
}

/** The caller must have locked the page. Adds `events` to its event sequence. */
export async function updateContent(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content,
  { events, now }: { events: number; now: Date },
): Promise<PageRow> {
  const stored = await tx.one<Stored>`
    update payment_pages
    set title = ${content.title}, description = ${content.description},
      status = ${content.status}, custom_link = ${content.custom_link},
      amount_type = ${content.amount_type}, amount_minor = ${content.amount_minor},
      suggested_minor = ${content.suggested_minor.map(String)}::bigint[],
      image = ${content.image}, color = ${content.color},
      custom_fields = ${JSON.stringify(content.custom_fields)},
      collect_phone = ${content.collect_phone}, collect_address = ${content.collect_address},
      allow_discount_codes = ${content.allow_discount_codes},
      max_payments = ${content.max_payments}, expires_at = ${content.expires_at},
      redirect_url = ${content.redirect_url}, success_message = ${content.success_message},
      split_page_id = ${content.split_page_id}, fee_bearer = ${content.fee_bearer},
      channels = ${content.channels}::text[], metadata = ${content.metadata},
      event_sequence = event_sequence + ${events}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
  return read(stored)
}

/** The caller must have locked the page. Adds one to its event sequence. */
export async function updateTouched(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  now: Date,
): Promise<PageRow> {
  const stored = await tx.one<Stored>`
    update payment_pages set event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
  return read(stored)
}

/** Removes a page from every list. The page keeps its link, so that no other page can take it. */
export async function updateDeleted(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  const row = await tx.maybe<Stored>`
    update payment_pages
    set deleted_at = ${now}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`
  return row && read(row)
}

export function selectCounts(db: Db, { businessId, live }: Tenant, pageIds: readonly number[]) {
  return db.many<CountsRow>`
    select page_id, views, checkouts, open_checkouts, payments, amount_minor
    from payment_page_counts
    where business_id = ${businessId} and live = ${live}
      and page_id = any(${pageIds}::bigint[])`
}

/**
 * Returns whether a place was left. `again` is true for a checkout that has already been counted.
 */
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

/** Returns false if the page has no open checkout. */
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

/** Returns false if the page has no open checkout. */
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

export interface PageViews extends Tenant {
  pageId: number
  views: number
}

/**
 * Locks the rows in order first, so that two processes that write the same pages do not deadlock.
 */
export async function updateViews(db: Db, viewed: readonly PageViews[]): Promise<void> {
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

/** A page as payers see it. Deleted pages are included, with `deleted_at` set. */
export interface PayingPage extends PageRow {
  /** In the page’s order. Archived and Draft products are included, but deleted ones are not. */
  product_ids: number[]
  payments: number
  /** Reserved places. `max_payments` limits the sum of these and `payments`. */
  open_checkouts: number
}

type StoredPaying = Stored & { products: string[]; payments: number; open_checkouts: number }

const select = (wanted: Sql) => sql`
  select ${COLUMNS}, counts.payments, counts.open_checkouts, array(
    select pp.product_id::text
    from payment_page_products pp join products p
      on (p.business_id, p.live, p.id) = (pp.business_id, pp.live, pp.product_id)
    where pp.business_id = page.business_id and pp.live = page.live and pp.page_id = page.id
      and p.deleted_at is null
    order by pp.position, pp.product_id
  ) as products
  from payment_pages page join (
    select business_id, live, page_id as id, payments, open_checkouts from payment_page_counts
  ) counts using (business_id, live, id)
  where ${wanted}`

function paying(row: StoredPaying | undefined): PayingPage | undefined {
  if (!row) return undefined
  const { products, ...page } = row
  return { ...read(page), product_ids: products.map(Number) }
}

export async function selectPaying(db: Db, { businessId, live }: Tenant, id: number) {
  const own = sql`business_id = ${businessId} and live = ${live} and id = ${id}`
  return paying(await db.maybe<StoredPaying>`${select(own)}`)
}

/** The link determines the tenant. */
export async function selectPayingByLink(db: Db, link: string) {
  const business = sql`select business_id from page_links where link = ${link}`
  const isThere = await onMachineOf(db, business, sql`business_id`)
  const linked = sql`${isThere} and (business_id, live, id) = (
    select business_id, live, page_id from page_links where link = ${link})`
  return paying(await db.maybe<StoredPaying>`${select(linked)}`)
}

export interface PartRow {
  page_id: number
  product_id: number
  reference: string
  name: string
  slug: string
  price_minor: Minor
  currency: string
  type: string
  status: string
}

/** Returns the products by page and position, excluding deleted ones. */
export function selectParts(db: Db, { businessId, live }: Tenant, pageIds: readonly number[]) {
  return db.many<PartRow>`
    select page_id, product_id, reference, name, slug, price_minor, currency, type, status
    from payment_page_products pp join products p
      on (p.business_id, p.live, p.id) = (pp.business_id, pp.live, product_id)
    where pp.business_id = ${businessId} and pp.live = ${live}
      and page_id = any(${pageIds}::bigint[]) and deleted_at is null
    order by page_id, position, product_id`
}

/** Appends products after those already on the page, in the given order. */
export function insertParts(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  productIds: readonly number[],
) {
  return tx.run`
    insert into payment_page_products (business_id, live, page_id, product_id, position)
    select ${businessId}::bigint, ${live}::boolean, ${pageId}::bigint, product_id, nth + (
      select coalesce(max(position), 0) from payment_page_products
      where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
    )
    from unnest(${productIds}::bigint[]) with ordinality as new (product_id, nth)`
}

export function deleteParts(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  productIds: readonly number[],
) {
  return tx.run`
    delete from payment_page_products
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and product_id = any(${productIds}::bigint[])`
}

interface PageFilter {
  status: PageRow['status'] | undefined
  search: SearchQuery | undefined
  range: Range
  isDescending: boolean
}

/**
 * Returns one page of payment pages with its meta. The list of all of them has an index, and so
 * does the list for each status.
 */
export async function findPages(
  db: Db,
  tenant: Tenant,
  { status, ...filter }: PageFilter,
  page: Page,
) {
  const list = {
    ...filter,
    table: sql`payment_pages`,
    shown: sql`deleted_at is null`,
    columns: COLUMNS,
    tenant,
    filters: [status && sql`status = ${status}`],
  }
  const { rows, meta } = await paginate<Stored>(db, list, page)
  return { rows: rows.map(read), meta }
}
