import type { Db, Tx } from '../../../db/database.ts'
import { isOneOf, type RowKey, takeDue } from '../../../db/leases.ts'
import { plainArray } from '../../../db/pg-arrays.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { MEDIA_COLUMNS, type MediaRow } from '../record/parts.ts'
import { type CopiedIds, type CopiedRow, copiedRowsTable } from '../record/service.ts'

/** The owner of an image: a product, or one of its variants. */
export interface Owner {
  productId: number
  variantId: number | null
}

export function selectMedia(
  db: Db,
  { businessId, live }: Tenant,
  { productId, variantId }: Owner,
): Promise<MediaRow[]> {
  return db.many<MediaRow>`
    select ${MEDIA_COLUMNS} from product_media
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
      and variant_id is not distinct from ${variantId}
    order by position`
}

export async function isVariant(
  db: Db,
  { businessId, live }: Tenant,
  productId: number,
  variantId: number,
): Promise<boolean> {
  const found = await db.maybe`
    select from product_variants
    where business_id = ${businessId} and live = ${live} and id = ${variantId}
      and product_id = ${productId} and deleted_at is null`
  return found !== undefined
}

export function insertMedia(tx: Tx, row: MediaRow): Promise<number> {
  return tx.run`
    insert into product_media (${MEDIA_COLUMNS})
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.product_id},
      ${row.variant_id}, ${row.original_sha256}, ${row.picture_sha256}, ${row.thumbnail_sha256},
      ${row.status}, ${row.content_type}, ${row.width}, ${row.height}, ${row.bytes},
      ${row.is_primary}, ${row.position}, ${row.due_at}, ${row.attempts}, ${row.created_at},
      ${row.look_at})`
}

export function deleteMediaRow(
  tx: Tx,
  { businessId, live }: Tenant,
  { productId, variantId }: Owner,
  id: number,
): Promise<MediaRow | undefined> {
  return tx.maybe<MediaRow>`
    delete from product_media
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and product_id = ${productId} and variant_id is not distinct from ${variantId}
    returning ${MEDIA_COLUMNS}`
}

export function deleteMediaOf(
  tx: Tx,
  { businessId, live }: Tenant,
  variantIds: readonly number[],
): Promise<MediaRow[]> {
  return tx.many<MediaRow>`
    delete from product_media
    where business_id = ${businessId} and live = ${live}
      and variant_id = any(${variantIds}::bigint[])
    returning ${MEDIA_COLUMNS}`
}

/** Includes the images of the product’s variants. */
export function deleteMediaOfProduct(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
): Promise<MediaRow[]> {
  return tx.many<MediaRow>`
    delete from product_media
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
    returning ${MEDIA_COLUMNS}`
}

/** Numbers the remaining images from 1. The first becomes the primary image. */
export function updatePositions(
  tx: Tx,
  { businessId, live }: Tenant,
  { productId, variantId }: Owner,
): Promise<number> {
  return tx.run`
    update product_media m set position = n.position, is_primary = n.position = 1
    from (
      select id, row_number() over (order by position) as position from product_media
      where business_id = ${businessId} and live = ${live} and product_id = ${productId}
        and variant_id is not distinct from ${variantId}
    ) as n
    where m.business_id = ${businessId} and m.live = ${live} and m.id = n.id
      and m.position <> n.position`
}

export function selectMediaById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<MediaRow>`
    select ${MEDIA_COLUMNS} from product_media
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/**
 * Claims an image for re-encoding until `leasedUntil`, starting with the business after `last`.
 * Businesses take turns, however many images each of them has.
 */
export async function claimDue(
  db: Db,
  { now, leasedUntil, last }: { now: Date; leasedUntil: Date; last: number },
): Promise<MediaRow | undefined> {
  const find = () => db.many<RowKey>`
    select business_id, live, id from product_media
    where due_at <= ${now} order by business_id <= ${last}, business_id, due_at limit 1`
  const claim = ([key]: RowKey[]) => db.many<MediaRow>`
    update product_media set due_at = ${leasedUntil}, attempts = attempts + 1
    where business_id = ${key!.business_id} and live = ${key!.live} and id = ${key!.id}
      and due_at <= ${now}
    returning ${MEDIA_COLUMNS}`
  return (await takeDue(db, find, claim))[0]
}

type Made = Pick<MediaRow, 'picture_sha256' | 'thumbnail_sha256' | 'width' | 'height' | 'bytes'>

/**
 * Updates no row if the image has been deleted in the meantime, or if another process has finished
 * it.
 */
export function updateReady(tx: Tx, { business_id, live, id }: MediaRow, made: Made) {
  return tx.run`
    update product_media
    set status = 'Ready', due_at = null, picture_sha256 = ${made.picture_sha256},
      thumbnail_sha256 = ${made.thumbnail_sha256}, width = ${made.width}, height = ${made.height},
      bytes = ${made.bytes}
    where business_id = ${business_id} and live = ${live} and id = ${id}
      and status = 'Processing'`
}

export function updateFailed(tx: Tx, { business_id, live, id }: MediaRow): Promise<number> {
  return tx.run`
    update product_media set status = 'Failed', due_at = null
    where business_id = ${business_id} and live = ${live} and id = ${id}
      and status = 'Processing'`
}

/** Puts an owner’s images in the order of these ids. The first becomes the primary image. */
export function updateOrder(
  tx: Tx,
  { businessId, live }: Tenant,
  { productId, variantId }: Owner,
  ids: readonly number[],
): Promise<number> {
  return tx.run`
    update product_media m set position = n.position, is_primary = n.position = 1
    from unnest(${ids}::bigint[]) with ordinality as n (id, position)
    where m.business_id = ${businessId} and m.live = ${live} and m.product_id = ${productId}
      and m.variant_id is not distinct from ${variantId} and m.id = n.id`
}

/** Makes uploads of page images by this business and mode run one at a time. */
export async function lockTenant(tx: Tx, { businessId, live }: Tenant): Promise<void> {
  await tx.run`
    select from business_settings where business_id = ${businessId} and live = ${live}
    for no key update`
}

export async function countUncheckedImages(db: Db, { businessId, live }: Tenant): Promise<number> {
  const { count } = await db.one<{ count: number }>`
    select count(*) from product_media
    where business_id = ${businessId} and live = ${live} and product_id is null
      and look_at is not null`
  return count
}

/** Schedules the check for use. Updates no row for a product image. */
export function updateCheckDue(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  lookAt: Date,
): Promise<number> {
  return tx.run`
    update product_media set look_at = ${lookAt}
    where business_id = ${businessId} and live = ${live} and id = ${id} and product_id is null`
}

/** Locks the page images that are due for a check. Skips those that another run has locked. */
export function lockDuePageImages(tx: Tx, now: Date, limit: number): Promise<MediaRow[]> {
  const find = () => tx.many<RowKey>`
    select business_id, live, id from product_media
    where look_at <= ${now} order by look_at limit ${limit}`
  const lock = (keys: RowKey[]) => tx.many<MediaRow>`
    select ${MEDIA_COLUMNS} from product_media
    where ${isOneOf(keys)} and look_at <= ${now} order by look_at for update skip locked`
  return takeDue(tx, find, lock)
}

/**
 * Returns whether any page shows an image with a path that starts with this. Ignores deleted pages.
 */
export async function isShownOnPage(
  db: Db,
  { business_id, live }: Pick<MediaRow, 'business_id' | 'live'>,
  beginning: string,
): Promise<boolean> {
  const found = await db.maybe`
    select from payment_pages
    where business_id = ${business_id} and live = ${live}
      and image like ${`${beginning}%`} and deleted_at is null
    limit 1`
  return found !== undefined
}

export function updateChecked(tx: Tx, { business_id, live, id }: MediaRow): Promise<number> {
  return tx.run`
    update product_media set look_at = null
    where business_id = ${business_id} and live = ${live} and id = ${id}`
}

export function deletePageImage(tx: Tx, { business_id, live, id }: MediaRow): Promise<number> {
  return tx.run`
    delete from product_media
    where business_id = ${business_id} and live = ${live} and id = ${id} and product_id is null`
}

/**
 * Copies the images of a product, and those of each variant with a copy in `variants`. Images that
 * have not been re-encoded yet are then re-encoded twice.
 */
export function insertMediaCopies(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: CopiedIds,
  pairs: readonly CopiedRow[],
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
      join ${copiedRowsTable(pairs)} on c.from_id = m.id
      left join unnest(${plainArray(variants.map(([old]) => old))}::bigint[],
        ${plainArray(variants.map(([, copy]) => copy))}::bigint[]
      ) as v (from_id, to_id) on v.from_id = m.variant_id
    where m.business_id = ${businessId} and m.live = ${live} and m.product_id = ${from}
      and (m.variant_id is null or v.to_id is not null)`
}
