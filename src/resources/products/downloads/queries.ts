import type { Db, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/tenant.ts'

export type ExpiryUnit = 'minutes' | 'hours' | 'days'

/** What buyers' links allow: their own limits, or else the product's. Null is unlimited. */
export interface LinkLimits {
  link_expiry: number | null
  link_expiry_unit: ExpiryUnit | null
  max_downloads: number | null
}

export interface FileRow extends LinkLimits {
  business_id: number
  live: boolean
  id: number
  reference: string
  product_id: number
  name: string
  content_type: string
  bytes: number
  /** Null once it is Revoked and nobody's. */
  sha256: Buffer | null
  downloads: number
  status: 'Active' | 'Deleted' | 'Revoked'
  created_at: Date
}

/** As `FileRow` has them, of `digital_files f join products p`. */
const COLUMNS = sql`f.business_id, f.live, f.id, f.reference, f.product_id, f.name,
  f.content_type, f.bytes, f.sha256, f.downloads, f.status, f.created_at,
  case when f.has_own_limits then f.link_expiry else p.link_expiry end as link_expiry,
  case when f.has_own_limits then f.link_expiry_unit else p.link_expiry_unit end
    as link_expiry_unit,
  case when f.has_own_limits then f.max_downloads else p.max_downloads end as max_downloads`

const FILES = sql`digital_files f
  join products p on (p.business_id, p.live, p.id) = (f.business_id, f.live, f.product_id)`

/** The files that are on sale with these products, oldest first. */
export function selectFilesOf(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<FileRow[]> {
  return db.many<FileRow>`
    select ${COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live}
      and f.product_id = any(${productIds}::bigint[]) and f.status = 'Active'
    order by f.product_id, f.id`
}

/** What whoever paid for these products gets: also what went only with its product, later. */
export function selectFilesSold(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<FileRow[]> {
  return db.many<FileRow>`
    select ${COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live}
      and f.product_id = any(${productIds}::bigint[])
      and (f.status = 'Active' or f.status = 'Deleted' and f.updated_at = p.deleted_at)
    order by f.product_id, f.id`
}

/** Holds the product of files; one that was deleted too, since its buyers may have them still. */
export function lockOwner(tx: Tx, { businessId, live }: Tenant, productId: number) {
  return tx.maybe<{ id: number; is_deleted: boolean }>`
    select id, deleted_at is not null as is_deleted from products
    where business_id = ${businessId} and live = ${live} and id = ${productId} for update`
}

/** One file of a product that is there still, or that past buyers still have. */
export function selectFile(
  db: Db,
  { businessId, live }: Tenant,
  productId: number,
  id: number,
  statuses: readonly FileRow['status'][] = ['Active'],
) {
  return db.maybe<FileRow>`
    select ${COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live} and f.id = ${id}
      and f.product_id = ${productId} and f.status = any(${statuses}::text[])`
}

/** Keeps buyers from being given it until the transaction ends. */
export function lockFile(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe`
    select from digital_files
    where business_id = ${businessId} and live = ${live} and id = ${id} for update`
}

export type NewFile = Pick<
  FileRow,
  | 'business_id'
  | 'live'
  | 'id'
  | 'reference'
  | 'product_id'
  | 'name'
  | 'content_type'
  | 'bytes'
  | 'sha256'
  | 'created_at'
>

export function insertFile(tx: Tx, row: NewFile): Promise<number> {
  return tx.run`
    insert into digital_files
      (business_id, live, id, reference, product_id, name, content_type, bytes, sha256, status,
       created_at, updated_at)
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.product_id},
      ${row.name}, ${row.content_type}, ${row.bytes}, ${row.sha256}, 'Active', ${row.created_at},
      ${row.created_at})`
}

export function updateName(
  tx: Tx,
  { businessId, live }: Tenant,
  { productId, id }: { productId: number; id: number },
  name: string,
  now: Date,
): Promise<number> {
  return tx.run`
    update digital_files set name = ${name}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and product_id = ${productId} and status = 'Active'`
}

export function updateFileLimits(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { link_expiry, link_expiry_unit, max_downloads }: LinkLimits,
  now: Date,
): Promise<number> {
  return tx.run`
    update digital_files
    set has_own_limits = true, link_expiry = ${link_expiry},
      link_expiry_unit = ${link_expiry_unit}, max_downloads = ${max_downloads}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export function updateProductLimits(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  { link_expiry, link_expiry_unit, max_downloads }: LinkLimits,
): Promise<number> {
  return tx.run`
    update products
    set link_expiry = ${link_expiry}, link_expiry_unit = ${link_expiry_unit},
      max_downloads = ${max_downloads}
    where business_id = ${businessId} and live = ${live} and id = ${productId}`
}

/** Deleted keeps its content for whoever bought it, Revoked does not. */
export function updateGone(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  status: 'Deleted' | 'Revoked',
  now: Date,
): Promise<number> {
  return tx.run`
    update digital_files
    set status = ${status}, sha256 = case when ${status} = 'Revoked' then null else sha256 end,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Keeps buyers from being given any file of the product until the transaction ends. */
export function lockFilesOf(tx: Tx, { businessId, live }: Tenant, productId: number) {
  return tx.run`
    select from digital_files
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
    order by id for update`
}

/**
 * Takes all files off a product that is deleted at `now`, and lets go of the content of those that
 * nobody bought and no order under way is about. Answers the contents it let go of.
 */
export async function updateAllGone(
  tx: Tx,
  { businessId, live }: Tenant,
  productId: number,
  now: Date,
): Promise<Buffer[]> {
  const rows = await tx.many<{ sha256: Buffer }>`
    with under_way as materialized (
      select exists (
        select from orders o
          join order_lines l
            on (l.business_id, l.live, l.order_id) = (o.business_id, o.live, o.id)
        where o.business_id = ${businessId} and o.live = ${live} and o.status = 'Pending'
          and l.product_id = ${productId}
      ) as is_any
    ), gone as (
      select f.id, f.sha256, u.is_any or exists (
          select from download_grants g
          where g.business_id = ${businessId} and g.live = ${live} and g.file_id = f.id
        ) as is_kept
      from digital_files f cross join under_way u
      where f.business_id = ${businessId} and f.live = ${live} and f.product_id = ${productId}
        and f.status = 'Active'
    ), updated as (
      update digital_files f
      set status = case when gone.is_kept then 'Deleted' else 'Revoked' end,
        sha256 = case when gone.is_kept then f.sha256 end, updated_at = ${now}
      from gone
      where f.business_id = ${businessId} and f.live = ${live} and f.id = gone.id
    )
    select sha256 from gone where not is_kept`
  return rows.map(({ sha256 }) => sha256)
}
