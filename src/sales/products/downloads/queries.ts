import type { Db, Tx } from '../../../db/database.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { FILE_COLUMNS, FILES, type FileRow } from '../record/parts.ts'
import {
  type CopiedIds,
  type CopiedRow,
  copiedRowsTable,
  type LinkLimits,
} from '../record/service.ts'

/**
 * Returns the files that a buyer of these products gets, including files that were deleted with
 * their product after the purchase.
 */
export function selectFilesSold(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<FileRow[]> {
  return db.many<FileRow>`
    select ${FILE_COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live}
      and f.product_id = any(${productIds}::bigint[])
      and (f.status = 'Active' or f.status = 'Deleted' and f.updated_at = p.deleted_at)
    order by f.product_id, f.id`
}

/**
 * Locks the product of a file, even if it is deleted, because its buyers may still have the file.
 */
export function lockOwner(tx: Tx, { businessId, live }: Tenant, productId: number) {
  return tx.maybe<{ id: number; is_deleted: boolean }>`
    select id, deleted_at is not null as is_deleted from products
    where business_id = ${businessId} and live = ${live} and id = ${productId} for update`
}

/** Returns a file that belongs to an existing product, or that past buyers still have. */
export function selectFile(
  db: Db,
  { businessId, live }: Tenant,
  productId: number,
  id: number,
  statuses: readonly FileRow['status'][] = ['Active'],
) {
  return db.maybe<FileRow>`
    select ${FILE_COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live} and f.id = ${id}
      and f.product_id = ${productId} and f.status = any(${statuses}::text[])`
}

/** The lock prevents the file from being granted until the transaction ends. */
export function lockFile(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe`
    select from digital_files
    where business_id = ${businessId} and live = ${live} and id = ${id} for update`
}

type NewFile = Pick<
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

/** With `Deleted`, buyers keep the content; with `Revoked`, they do not. */
export function updateFileRemoved(
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

/** The lock prevents all of the product’s files from being granted until the transaction ends. */
export function lockFilesOf(tx: Tx, { businessId, live }: Tenant, productId: number) {
  return tx.run`
    select from digital_files
    where business_id = ${businessId} and live = ${live} and product_id = ${productId}
    order by id for update`
}

/**
 * Removes all files from a product that was deleted at `now`. Releases the content of files that
 * have no buyers or open orders, and returns this content.
 */
export async function updateAllFilesRemoved(
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

/** One buyer’s right to download one file, together with the file. */
export interface GrantRow {
  business_id: number
  live: boolean
  id: number
  file_id: number
  cause_id: number
  secret: string
  customer_email: string | null
  expires_at: Date | null
  max_downloads: number | null
  downloads: number
  begun_at: Date | null
  revoked_at: Date | null
  event_sequence: number
  created_at: Date
  product_id: number
  file_reference: string
  file_status: FileRow['status']
  name: string
  content_type: string
  bytes: number
  sha256: Buffer | null
}

const GRANT = sql`g.business_id, g.live, g.id, g.file_id, g.cause_id, g.secret,
  g.customer_email, g.expires_at, g.max_downloads, g.downloads, g.begun_at, g.revoked_at,
  g.event_sequence, g.created_at, f.product_id, f.reference as file_reference,
  f.status as file_status, f.name, f.content_type, f.bytes, f.sha256`

const sameFile = sql`(f.business_id, f.live, f.id) = (g.business_id, g.live, g.file_id)`

const of = ({ businessId, live }: Tenant): Sql =>
  sql`g.business_id = ${businessId} and g.live = ${live}`

export function selectGrant(db: Db, tenant: Tenant, id: number) {
  return db.maybe<GrantRow>`
    select ${GRANT} from download_grants g join digital_files f on ${sameFile}
    where ${of(tenant)} and g.id = ${id}`
}

export function selectGrantsOf(db: Db, tenant: Tenant, causeId: number): Promise<GrantRow[]> {
  return db.many<GrantRow>`
    select ${GRANT} from download_grants g join digital_files f on ${sameFile}
    where ${of(tenant)} and g.cause_id = ${causeId} order by g.file_id`
}

/**
 * Prevents these files from being deleted, and their limits from being changed, until the
 * transaction ends.
 */
export function lockFiles(tx: Tx, { businessId, live }: Tenant, productIds: readonly number[]) {
  return tx.many`
    select from digital_files
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${productIds}::bigint[]) and status <> 'Revoked'
    order by id for share`
}

interface NewGrant {
  id: number
  fileId: number
  secret: string
  expiresAt: Date | null
  maxDownloads: number | null
}

/** Returns whether the grant is new. A cause grants each file only once. */
export async function insertGrant(
  tx: Tx,
  { businessId, live }: Tenant,
  grant: NewGrant,
  { causeId, customerEmail, now }: { causeId: number; customerEmail: string | null; now: Date },
): Promise<boolean> {
  const inserted = await tx.run`
    insert into download_grants
      (business_id, live, id, file_id, cause_id, secret, customer_email, expires_at, max_downloads,
       event_sequence, created_at)
    values (${businessId}, ${live}, ${grant.id}, ${grant.fileId}, ${causeId}, ${grant.secret},
      ${customerEmail}, ${grant.expiresAt}, ${grant.maxDownloads}, 1, ${now})
    on conflict (business_id, live, cause_id, file_id) do nothing`
  return inserted === 1
}

/** Counts one download before it starts. Returns undefined if there are none left. */
export function updateDownloadCounted(tx: Tx, tenant: Tenant, id: number, now: Date) {
  return tx.maybe<GrantRow>`
    update download_grants g
    set downloads = g.downloads + 1, begun_at = ${now}, event_sequence = g.event_sequence + 1
    from digital_files f
    where ${of(tenant)} and g.id = ${id} and ${sameFile} and g.revoked_at is null
      and (g.expires_at is null or g.expires_at > ${now})
      and (g.max_downloads is null or g.downloads < g.max_downloads)
    returning ${GRANT}`
}

const GIVEN_BACK_MAX = 10

/** Updates no row if the maximum number of downloads has already been subtracted again. */
export function updateDownloadReturned(tx: Tx, tenant: Tenant, id: number): Promise<number> {
  return tx.run`
    update download_grants g set downloads = downloads - 1, given_back = given_back + 1
    where ${of(tenant)} and g.id = ${id} and downloads > 0 and given_back < ${GIVEN_BACK_MAX}`
}

/** Adds to the downloads of the file across all buyers. */
export function updateDownloads(
  tx: Tx,
  { businessId, live }: Tenant,
  fileId: number,
  by: 1 | -1,
): Promise<number> {
  return tx.run`
    update digital_files set downloads = downloads + ${by}::int
    where business_id = ${businessId} and live = ${live} and id = ${fileId}`
}

export async function hasGrants(
  db: Db,
  { businessId, live }: Tenant,
  fileId: number,
): Promise<boolean> {
  const found = await db.maybe`
    select from download_grants
    where business_id = ${businessId} and live = ${live} and file_id = ${fileId} limit 1`
  return found !== undefined
}

const REVOKED_MAX = 500

/** Revokes a batch of active grants for a file or a cause. */
export function updateRevoked(
  tx: Tx,
  tenant: Tenant,
  {
    fileId,
    causeId,
  }: ({ fileId: number } & { causeId?: never }) | ({ causeId: number } & { fileId?: never }),
  now: Date,
): Promise<GrantRow[]> {
  const wanted = fileId === undefined ? sql`g.cause_id = ${causeId}` : sql`g.file_id = ${fileId}`
  return tx.many<GrantRow>`
    update download_grants g
    set revoked_at = ${now}, event_sequence = g.event_sequence + 1
    from digital_files f
    where ${sameFile} and (g.business_id, g.live, g.id) in (
      select g.business_id, g.live, g.id from download_grants g
      where ${of(tenant)} and ${wanted} and g.revoked_at is null
      order by g.id limit ${REVOKED_MAX} for update)
    returning ${GRANT}`
}

/** Copies files with their limits, but without their downloads. */
export function insertFileCopies(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: CopiedIds,
  pairs: readonly CopiedRow[],
  now: Date,
) {
  return tx.run`
    insert into digital_files
      (business_id, live, id, reference, product_id, name, content_type, bytes, sha256,
       link_expiry, link_expiry_unit, max_downloads, has_own_limits, status, created_at, updated_at)
    select f.business_id, f.live, c.to_id, c.ref, ${to}::bigint, f.name, f.content_type, f.bytes,
      f.sha256, f.link_expiry, f.link_expiry_unit, f.max_downloads, f.has_own_limits, f.status,
      ${now}::timestamptz, ${now}::timestamptz
    from digital_files f join ${copiedRowsTable(pairs)} on c.from_id = f.id
    where f.business_id = ${businessId} and f.live = ${live} and f.product_id = ${from}`
}
