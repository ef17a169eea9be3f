import type { Db, Tx } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import { COLUMNS, type MediaRow } from './queries.ts'

/** Makes those who send pictures for pages of this business and mode do so one after the other. */
export async function lockTenant(tx: Tx, { businessId, live }: Tenant): Promise<void> {
  await tx.run`
    select from business_settings where business_id = ${businessId} and live = ${live}
    for no key update`
}

/** How many pictures of pages are to be looked at within a day. */
export async function countNew(db: Db, { businessId, live }: Tenant): Promise<number> {
  const { count } = await db.one<{ count: number }>`
    select count(*) from product_media
    where business_id = ${businessId} and live = ${live} and product_id is null
      and look_at is not null`
  return count
}

/** When to see whether any page shows it; finds no row for a picture of a product. */
export function updateLookAt(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  lookAt: Date,
): Promise<number> {
  return tx.run`
    update product_media set look_at = ${lookAt}
    where business_id = ${businessId} and live = ${live} and id = ${id} and product_id is null`
}

/** Holds those that are due; others that look at the same time get the next ones. */
export function lockDuePictures(tx: Tx, now: Date, limit: number): Promise<MediaRow[]> {
  return tx.many<MediaRow>`
    select ${COLUMNS} from product_media
    where look_at <= ${now} order by look_at limit ${limit} for update skip locked`
}

/** Whether a page that was not deleted shows a picture whose address begins so. */
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

export function updateSeen(tx: Tx, { business_id, live, id }: MediaRow): Promise<number> {
  return tx.run`
    update product_media set look_at = null
    where business_id = ${business_id} and live = ${live} and id = ${id}`
}

export function deletePicture(tx: Tx, { business_id, live, id }: MediaRow): Promise<number> {
  return tx.run`
    delete from product_media
    where business_id = ${business_id} and live = ${live} and id = ${id} and product_id is null`
}
