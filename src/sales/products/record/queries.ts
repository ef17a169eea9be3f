import { readInBatches } from '../../../db/batch.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { plainArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import { ofTenant } from '../../../db/text-search.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { Minor } from '../../../lib/money.ts'

export const PRODUCT_TYPES = ['physical', 'digital', 'service'] as const
export type ProductType = (typeof PRODUCT_TYPES)[number]

export const PRODUCT_STATUSES = ['Draft', 'Active', 'Archived'] as const
export type ProductStatus = (typeof PRODUCT_STATUSES)[number]

/** The limits for buyers’ links to files. Null means unlimited. */
export interface LinkLimits {
  link_expiry: number | null
  link_expiry_unit: 'minutes' | 'hours' | 'days' | null
  max_downloads: number | null
}

/** The link limits of the product apply to files that have none of their own. */
export interface ProductRow extends LinkLimits {
  business_id: number
  live: boolean
  id: number
  reference: string
  slug: string
  name: string
  description: string | null
  price_minor: Minor
  currency: string
  type: ProductType
  sku: string | null
  status: ProductStatus
  metadata: string | null
  deleted_at: Date | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = sql`business_id, live, id, reference, slug, name, description, price_minor,
  currency, type, sku, status, link_expiry, link_expiry_unit, max_downloads, metadata, deleted_at,
  event_sequence, created_at, updated_at`

const OVERVIEW = sql`tracked, on_hand, reserved, sold, low_stock_threshold, has_options, has_media,
  has_files, has_fees`

export type WholeRow = ProductRow & Overview

/** The columns of `WholeRow`, which come from `products` and an overview. */
const WHOLE_COLUMNS = sql`${COLUMNS}, ${OVERVIEW}`

/** What a product's record shows of its row. */
export type ShownRow = Omit<
  ProductRow,
  'business_id' | 'live' | 'event_sequence' | keyof LinkLimits
>

export type ListedRow = ShownRow & Overview

/** The columns of a `ListedRow`. Each further one makes a list slower. */
export const LIST_COLUMNS = sql`id, reference, slug, name, description, price_minor, currency, type,
  sku, status, metadata, deleted_at, created_at, updated_at, ${OVERVIEW}`

/** Returns undefined for a deleted product, like every query in this file. */
export function selectProduct(db: Db, tenant: Tenant, by: { id: number } | { slug: string }) {
  const { businessId, live } = tenant
  const isIt = 'id' in by ? sql`id = ${by.id}` : sql`slug = ${by.slug}`
  return db.maybe<WholeRow>`
    select ${WHOLE_COLUMNS} from products cross join ${overviewOf(sql`products`)}
    where business_id = ${businessId} and live = ${live} and ${isIt} and deleted_at is null`
}

/**
 * Like `selectProduct`, but simultaneous calls share one statement. Deleted products are left out
 * after the limit: otherwise, PostgreSQL reads the index of all undeleted products for each id as
 * long as it has no statistics. On Citus, all items are of one business, which names the machine.
 */
export const productsById = readInBatches<{ tenant: Tenant; id: number }, WholeRow>(
  ({ tenant }) => tenant.businessId,
  (db, items) => db.many`
    select n, ${WHOLE_COLUMNS}
    from unnest(
      ${plainArray(items.map(({ tenant }) => tenant.businessId))}::bigint[],
      ${plainArray(items.map(({ tenant }) => tenant.live))}::boolean[],
      ${plainArray(items.map(({ id }) => id))}::bigint[]
    ) with ordinality as wanted (of_business, of_mode, of_id, n)
    cross join lateral (
      select * from products
      where business_id = of_business and live = of_mode and id = of_id
        ${db.isDivided ? sql`and business_id = ${items[0]!.tenant.businessId}` : sql``}
      limit 1
    ) products
    cross join ${overviewOf(sql`products`)}
    where deleted_at is null`,
)

/** In no particular order. */
export function selectProducts(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<ProductRow>`
    select ${COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
      and deleted_at is null`
}

export function lockProductRow(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe<ProductRow>`
    select ${COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    for update`
}

export interface StockRow {
  id: number
  tracked: boolean
  on_hand: number
  reserved: number
  sold: number
  low_stock_threshold: number | null
  /** False if the stock belongs to a deleted variant. */
  is_shown: boolean
}

export async function lockStock(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
): Promise<void> {
  await tx.run`
    select from stock_items
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
    order by id for update`
}

export function selectStock(db: Db, { businessId, live }: Tenant, productId: number) {
  return db.many<StockRow>`
    select id, tracked, on_hand, reserved, sold, low_stock_threshold, exists (
        select from product_variants v
        where v.business_id = ${businessId} and v.live = ${live} and v.id = s.id
          and v.deleted_at is null
      ) as is_shown
    from stock_items s
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
    order by id`
}

/** The columns that a caller can change. */
export type Content = Pick<
  ProductRow,
  'name' | 'slug' | 'description' | 'price_minor' | 'type' | 'sku' | 'status' | 'metadata'
>

export const SLUG_INDEX = 'products_slug'

/** The caller must have locked the product. Adds one to its event sequence. */
export function updateContent(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content,
  now: Date,
) {
  return tx.one<ProductRow>`
    update products
    set name = ${content.name}, slug = ${content.slug}, description = ${content.description},
      price_minor = ${content.price_minor}, type = ${content.type}, sku = ${content.sku},
      status = ${content.status}, metadata = ${content.metadata},
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/**
 * Adds one to the product’s event sequence, and changes nothing else except the time of the last
 * change.
 */
export function updateTouched(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<ProductRow>`
    update products set event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`
}

interface CountedRow {
  id: number
  reference: string
  name: string
  sku: string | null
  status: string
  event_sequence: number
}

/** Adds to the event sequence of each product. Locks the products in the order of their ids. */
export function updateCounted(
  tx: Tx,
  { businessId, live }: Tenant,
  counts: readonly { productId: number; events: number }[],
) {
  return tx.many<CountedRow>`
    with counted as (
      select t.events, p.id
      from unnest(${plainArray(counts.map(({ productId }) => productId))}::bigint[],
          ${plainArray(counts.map(({ events }) => events))}::bigint[]) as t (id, events)
        join products p on p.id = t.id
      where p.business_id = ${businessId} and p.live = ${live}
      order by p.id for no key update of p
    )
    update products p set event_sequence = p.event_sequence + c.events
    from counted c
    where p.business_id = ${businessId} and p.live = ${live} and p.id = c.id
    returning p.id, p.reference, p.name, p.sku, p.status, p.event_sequence`
}

/**
 * Sets the limits for future links to a product’s files. The caller must have locked the product.
 */
export function updateLinkLimits(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { link_expiry, link_expiry_unit, max_downloads }: LinkLimits,
): Promise<number> {
  return tx.run`
    update products
    set link_expiry = ${link_expiry}, link_expiry_unit = ${link_expiry_unit},
      max_downloads = ${max_downloads}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Returns undefined if the product already has that state or does not exist. */
export function updateStatus(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to }: { from: readonly ProductStatus[]; to: ProductStatus },
  now: Date,
) {
  return tx.maybe<ProductRow>`
    update products
    set status = ${to}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

/** Removes the product from every list and frees its slug. */
export function updateDeleted(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<ProductRow>`
    update products
    set deleted_at = ${now}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`
}

/**
 * A product’s stock (the total for its variants, if it has any), and which other parts the product
 * has. Parts that a product lacks need no further query, and most products have none.
 */
export interface Overview {
  tracked: boolean
  on_hand: number
  reserved: number
  sold: number
  low_stock_threshold: number | null
  has_options: boolean
  has_media: boolean
  has_files: boolean
  has_fees: boolean
}

const STOCK = sql`bool_or(tracked) as tracked, sum(on_hand)::bigint as on_hand,
  sum(reserved)::bigint as reserved, sum(sold)::bigint as sold,
  max(low_stock_threshold) filter (where id = product_id) as low_stock_threshold`

/** Selects the overview of one product, as a lateral join. */
const overviewOf = (product: Sql): Sql => sql`lateral (
    select ${STOCK}, ${hasPart(sql`product_options`, product)} as has_options,
      ${hasPart(sql`product_media`, product)} as has_media,
      ${hasPart(sql`digital_files`, product)} as has_files,
      ${hasPart(sql`delivery_fees`, product)} as has_fees
    from stock_items where ${isPartOf(product)}
  ) overview`

const hasPart = (table: Sql, product: Sql): Sql =>
  sql`exists (select from ${table} where ${isPartOf(product)})`

const isPartOf = (product: Sql): Sql => sql`business_id = ${product}.business_id
  and live = ${product}.live and product_id = ${product}.id`

/**
 * Selects the overviews of all products in the table `page`, as a join. It reads each table once:
 * for 20 products, this takes the database 60 % of the time of `overviewOf`.
 */
export const overviewsOfPage = (tenant: Tenant): Sql => {
  const isPart = sql`${ofTenant(tenant)} and product_id = any(array(select id from page))`
  const hasParts = (table: Sql) =>
    sql`product_id = any(array(select product_id from ${table} where ${isPart}))`
  return sql`left join (
    select product_id, ${STOCK}, ${hasParts(sql`product_options`)} as has_options,
      ${hasParts(sql`product_media`)} as has_media, ${hasParts(sql`digital_files`)} as has_files,
      ${hasParts(sql`delivery_fees`)} as has_fees
    from stock_items where ${isPart} group by product_id
  ) overviews on product_id = page.id`
}

/** Returns the overviews of products, including deleted ones. */
export async function selectOverviews(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<Map<number, Overview>> {
  if (productIds.length === 0) return new Map()
  const rows = await db.many<Overview & { id: number }>`
    select id, ${OVERVIEW} from products cross join ${overviewOf(sql`products`)}
    where business_id = ${businessId} and live = ${live}
      and id = any(${plainArray(productIds)}::bigint[])`
  return new Map(rows.map((row) => [row.id, row]))
}
