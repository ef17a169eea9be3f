import type { Db, Tx } from '../../../db/database.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import type { FileRow } from './queries.ts'

/** One buyer's right to download one file, and that file. */
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

/** As `GrantRow` has them, of `download_grants g` and `digital_files f`. */
const COLUMNS = sql`g.business_id, g.live, g.id, g.file_id, g.cause_id, g.secret,
  g.customer_email, g.expires_at, g.max_downloads, g.downloads, g.begun_at, g.revoked_at,
  g.event_sequence, g.created_at, f.product_id, f.reference as file_reference,
  f.status as file_status, f.name, f.content_type, f.bytes, f.sha256`

const sameFile = sql`(f.business_id, f.live, f.id) = (g.business_id, g.live, g.file_id)`

const of = ({ businessId, live }: Tenant): Sql =>
  sql`g.business_id = ${businessId} and g.live = ${live}`

export function selectGrant(db: Db, tenant: Tenant, id: number) {
  return db.maybe<GrantRow>`
    select ${COLUMNS} from download_grants g join digital_files f on ${sameFile}
    where ${of(tenant)} and g.id = ${id}`
}

export function selectGrantsOf(db: Db, tenant: Tenant, causeId: number): Promise<GrantRow[]> {
  return db.many<GrantRow>`
    select ${COLUMNS} from download_grants g join digital_files f on ${sameFile}
    where ${of(tenant)} and g.cause_id = ${causeId} order by g.file_id`
}

/** None of these is deleted, or changes its limits, until the transaction ends. */
export function lockFiles(tx: Tx, { businessId, live }: Tenant, productIds: readonly number[]) {
  return tx.many`
    select from digital_files
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${productIds}::bigint[]) and status <> 'Revoked'
    order by id for share`
}

export interface NewGrant {
  id: number
  fileId: number
  secret: string
  expiresAt: Date | null
  maxDownloads: number | null
}

/** Answers whether it is a new one: a cause gives each file once. */
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

/** Counts one download before it begins; nothing comes back when there is none left. */
export function updateTaken(tx: Tx, tenant: Tenant, id: number, now: Date) {
  return tx.maybe<GrantRow>`
    update download_grants g
    set downloads = g.downloads + 1, begun_at = ${now}, event_sequence = g.event_sequence + 1
    from digital_files f
    where ${of(tenant)} and g.id = ${id} and ${sameFile} and g.revoked_at is null
      and (g.expires_at is null or g.expires_at > ${now})
      and (g.max_downloads is null or g.downloads < g.max_downloads)
    returning ${COLUMNS}`
}

export const GIVEN_BACK_MAX = 10

/** Touches no row when it was given back as often as it can be. */
export function updateGivenBack(tx: Tx, tenant: Tenant, id: number): Promise<number> {
  return tx.run`
    update download_grants g set downloads = downloads - 1, given_back = given_back + 1
    where ${of(tenant)} and g.id = ${id} and downloads > 0 and given_back < ${GIVEN_BACK_MAX}`
}

/** Of the file, for all of its buyers together. */
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

/** Revokes some of those that are good still; by file or by cause. */
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
    returning ${COLUMNS}`
}
