import { plainArray } from '../../../db/arrays.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Minor } from '../../../lib/money.ts'
import type { Tenant } from '../../../lib/tenant.ts'

export const PRODUCT_TYPES = ['physical', 'digital', 'service'] as const
export type ProductType = (typeof PRODUCT_TYPES)[number]

export const PRODUCT_STATUSES = ['Draft', 'Active', 'Archived'] as const
export type ProductStatus = (typeof PRODUCT_STATUSES)[number]

export interface ProductRow {
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
  /** What buyers' links to its files allow unless the file says otherwise; null is unlimited. */
  link_expiry: number | null
  link_expiry_unit: 'minutes' | 'hours' | 'days' | null
  max_downloads: number | null
  metadata: string | null
  deleted_at: Date | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** As `ProductRow` has them. */
export const COLUMNS = sql`business_id, live, id, reference, slug, name, description, price_minor,
  currency, type, sku, status, link_expiry, link_expiry_unit, max_downloads, metadata, deleted_at,
  event_sequence, created_at, updated_at`

/** Undefined for one that was deleted, as is meant by every one of these. */
export function selectProduct(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<ProductRow>`
    select ${COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null`
}

/** In no order. */
export function selectProducts(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<ProductRow>`
    select ${COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
      and deleted_at is null`
}

/** One product, held until the transaction ends: for changes that depend on how it stands. */
export function lockProductRow(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe<ProductRow>`
    select ${COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    for update`
}

export function selectProductBySlug(db: Db, { businessId, live }: Tenant, slug: string) {
  return db.maybe<ProductRow>`
    select ${COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and slug = ${slug}
      and deleted_at is null`
}

/** Which of these slugs products have. */
export async function selectTaken(
  db: Db,
  { businessId, live }: Tenant,
  slugs: readonly string[],
): Promise<Set<string>> {
  const rows = await db.many<{ slug: string }>`
    select slug from products
    where business_id = ${businessId} and live = ${live} and slug = any(${slugs}::text[])
      and deleted_at is null`
  return new Set(rows.map(({ slug }) => slug))
}

export interface StockRow {
  id: number
  tracked: boolean
  on_hand: number
  reserved: number
  sold: number
  low_stock_threshold: number | null
  /** False for what was of a variant that is gone. */
  is_shown: boolean
}

/** Holds what there is of a product and of its variants until the transaction ends. */
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

/** How much there is, anew, of items that the transaction holds. */
export function updateStock(
  tx: Tx,
  { businessId, live }: Tenant,
  items: readonly Pick<StockRow, 'id' | 'tracked' | 'on_hand' | 'low_stock_threshold'>[],
) {
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

/** What a caller can change. */
export type Content = Pick<
  ProductRow,
  'name' | 'slug' | 'description' | 'price_minor' | 'type' | 'sku' | 'status' | 'metadata'
>

/** The name of the index of slugs, which an update may run into. */
export const SLUG_INDEX = 'products_slug'

/** Of a product that the transaction holds. */
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

/** Counts one event of it. */
export function updateTouched(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<ProductRow>`
    update products set event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`
}

/** Nothing comes back for one that is in that state already, or does not exist. */
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

/** Takes it out of every list and search; its slug is free again. */
export function updateDeleted(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<ProductRow>`
    with found_no_more as (
      delete from search_texts
      where business_id = ${businessId} and live = ${live} and id = ${id}
    )
    update products
    set deleted_at = ${now}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`
}
