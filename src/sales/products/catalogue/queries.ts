import type { Db, Tx } from '../../../db/database.ts'
import { type Found, findPage } from '../../../db/paginate.ts'
import { plainArray, textArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { Minor } from '../../../lib/money.ts'
import type { Page } from '../../../lib/paging.ts'
import { marksOf } from './search.ts'

export const PRODUCT_TYPES = ['physical', 'digital', 'service'] as const
type ProductType = (typeof PRODUCT_TYPES)[number]

export const PRODUCT_STATUSES = ['Draft', 'Active', 'Archived'] as const
type ProductStatus = (typeof PRODUCT_STATUSES)[number]

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
const COLUMNS = sql`business_id, live, id, reference, slug, name, description, price_minor,
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

/** What belongs to a product beside its options and variants, by ids. */
interface Owned {
  media: number[]
  files: number[]
  fees: number[]
}

export async function selectOwned(
  db: Db,
  { businessId, live }: Tenant,
  productId: number,
): Promise<Owned> {
  const own = sql`
    business_id = ${businessId} and live = ${live} and product_id = ${productId}`
  const rows = await db.many<{ kind: keyof Owned; id: number }>`
    select 'media' as kind, id from product_media where ${own}
    union all select 'files', id from digital_files where ${own} and status = 'Active'
    union all select 'fees', id from delivery_fees where ${own}`
  const idsOf = (wanted: keyof Owned) =>
    rows.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return { media: idsOf('media'), files: idsOf('files'), fees: idsOf('fees') }
}

/** A row and the id of its copy, with the reference of that where it has one. */
interface Pair {
  from: number
  to: number
  reference: string
}

interface Products {
  from: number
  to: number
}

const pairsOf = (pairs: readonly Pair[]) => sql`
  unnest(${plainArray(pairs.map(({ from }) => from))}::bigint[],
    ${plainArray(pairs.map(({ to }) => to))}::bigint[],
    ${textArray(pairs.map(({ reference }) => reference))}::text[]) as c (from_id, to_id, ref)`

/** Pictures; of variants those whose copies are named. What is still to be made is made twice. */
export function copyMedia(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: Products,
  pairs: readonly Pair[],
  variants: readonly (readonly [number, number])[],
  now: Date,
) {
  return tx.run`
    insert into product_media
      (business_id, live, id, reference, product_id, variant_id, original_sha256,
       picture_sha256, thumbnail_sha256, status, content_type, width, height, bytes, is_primary,
       position, due_at, created_at)
    select m.business_id, m.live, c.to_id, c.ref, ${to}::bigint, v.to_id, m.original_sha256,
      m.picture_sha256, m.thumbnail_sha256, m.status, m.content_type, m.width, m.height, m.bytes,
      m.is_primary, m.position, m.due_at, ${now}::timestamptz
    from product_media m
      join ${pairsOf(pairs)} on c.from_id = m.id
      left join unnest(${plainArray(variants.map(([old]) => old))}::bigint[],
        ${plainArray(variants.map(([, copy]) => copy))}::bigint[]
      ) as v (from_id, to_id) on v.from_id = m.variant_id
    where m.business_id = ${businessId} and m.live = ${live} and m.product_id = ${from}
      and (m.variant_id is null or v.to_id is not null)`
}

/** Files to download, with their limits; nobody has downloaded the copies yet. */
export function copyFiles(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: Products,
  pairs: readonly Pair[],
  now: Date,
) {
  return tx.run`
    insert into digital_files
      (business_id, live, id, reference, product_id, name, content_type, bytes, sha256,
       link_expiry, link_expiry_unit, max_downloads, has_own_limits, status, created_at, updated_at)
    select f.business_id, f.live, c.to_id, c.ref, ${to}::bigint, f.name, f.content_type, f.bytes,
      f.sha256, f.link_expiry, f.link_expiry_unit, f.max_downloads, f.has_own_limits, f.status,
      ${now}::timestamptz, ${now}::timestamptz
    from digital_files f join ${pairsOf(pairs)} on c.from_id = f.id
    where f.business_id = ${businessId} and f.live = ${live} and f.product_id = ${from}`
}

export function copyFees(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: Products,
  pairs: readonly Pair[],
  now: Date,
) {
  return tx.run`
    insert into delivery_fees
      (business_id, live, id, product_id, location, fee_minor, currency, created_at, updated_at)
    select d.business_id, d.live, c.to_id, ${to}::bigint, d.location, d.fee_minor, d.currency,
      ${now}::timestamptz, ${now}::timestamptz
    from delivery_fees d join ${pairsOf(pairs)} on c.from_id = d.id
    where d.business_id = ${businessId} and d.live = ${live} and d.product_id = ${from}`
}

interface ProductFilter {
  kind: string
  status: ProductStatus | undefined
  type: ProductType | undefined
  reference: string | undefined
  /** Part of the name or the SKU. */
  text: string | undefined
  descending: boolean
}

export function findProducts(
  db: Db,
  tenant: Tenant,
  filter: ProductFilter,
  page: Page,
): Promise<Found<ProductRow>> {
  const { kind, text, descending } = filter
  return findPage<ProductRow>(
    db,
    {
      table: sql`products`,
      shown: sql`deleted_at is null`,
      columns: COLUMNS,
      tenant,
      parts: partsOf(filter),
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: text === undefined ? undefined : { kind, text, marks: marksOf(filter) },
    },
    page,
  )
}

/** One index has both columns, so what is not asked for is every value of it. */
function partsOf({ status, type, reference }: ProductFilter): Sql[] {
  const exact = reference === undefined ? [] : [sql`reference = ${reference}`]
  if (status === undefined && type === undefined) return exact
  const statuses = status === undefined ? PRODUCT_STATUSES : [status]
  const types = type === undefined ? PRODUCT_TYPES : [type]
  return statuses.flatMap((one) =>
    types.map((other) =>
      exact.reduce(
        (all, part) => sql`${all} and ${part}`,
        sql`status = ${one} and type = ${other}`,
      ),
    ),
  )
}

/** What there is of a product, its variants added up, and what else it has at all. */
export interface Overview {
  id: number
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

/**
 * Of products that exist, in no order. What a product has not is not asked for afterwards, and most
 * have no options, files or fees.
 */
export function selectOverviews(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
) {
  return db.many<Overview>`
    select p.id, s.*,
      exists (select from product_options o where o.business_id = ${businessId}
        and o.live = ${live} and o.product_id = p.id) as has_options,
      exists (select from product_media m where m.business_id = ${businessId}
        and m.live = ${live} and m.product_id = p.id) as has_media,
      exists (select from digital_files f where f.business_id = ${businessId}
        and f.live = ${live} and f.product_id = p.id) as has_files,
      exists (select from delivery_fees d where d.business_id = ${businessId}
        and d.live = ${live} and d.product_id = p.id) as has_fees
    from unnest(${plainArray(productIds)}::bigint[]) as p (id)
      cross join lateral (
        select bool_or(tracked) as tracked, sum(on_hand)::bigint as on_hand,
          sum(reserved)::bigint as reserved, sum(sold)::bigint as sold,
          max(low_stock_threshold) filter (where id = p.id) as low_stock_threshold
        from stock_items
        where business_id = ${businessId} and live = ${live} and product_id = p.id
      ) s`
}
