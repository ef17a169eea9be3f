import type { Db } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { LinkLimits } from './queries.ts'

export interface FileRow extends LinkLimits {
  business_id: number
  live: boolean
  id: number
  reference: string
  product_id: number
  name: string
  content_type: string
  bytes: number
  /** Null once the file is Revoked, when nobody can download it any more. */
  sha256: Buffer | null
  downloads: number
  status: 'Active' | 'Deleted' | 'Revoked'
  created_at: Date
}

export const FILE_COLUMNS = sql`f.business_id, f.live, f.id, f.reference, f.product_id, f.name,
  f.content_type, f.bytes, f.sha256, f.downloads, f.status, f.created_at,
  case when f.has_own_limits then f.link_expiry else p.link_expiry end as link_expiry,
  case when f.has_own_limits then f.link_expiry_unit else p.link_expiry_unit end
    as link_expiry_unit,
  case when f.has_own_limits then f.max_downloads else p.max_downloads end as max_downloads`

export const FILES = sql`digital_files f
  join products p on (p.business_id, p.live, p.id) = (f.business_id, f.live, f.product_id)`

/** Returns a digital file as the API shows it (docs/CONTRACT.md, Products). */
export const fileRecord = (row: FileRow) => ({
  digitalDownloadFileId: String(row.id),
  reference: row.reference,
  productId: String(row.product_id),
  name: row.name,
  contentType: row.content_type,
  bytes: row.bytes,
  sha256: row.sha256?.toString('hex') ?? '',
  downloads: row.downloads,
  expiryValue: row.link_expiry,
  expiryUnit: row.link_expiry_unit,
  maxDownloads: row.max_downloads,
  status: row.status,
  createdAt: row.created_at,
})

export type FileRecord = ReturnType<typeof fileRecord>

/**
 * Returns the files sold with products, by product id, oldest first. Omits products without files.
 */
export async function filesOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, FileRecord[]>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectFilesOf(db, tenant, productIds)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id)
  return new Map([...byProduct].map(([id, own]) => [id, own.map(fileRecord)]))
}

function selectFilesOf(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<FileRow[]> {
  return db.many<FileRow>`
    select ${FILE_COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live}
      and f.product_id = any(${productIds}::bigint[]) and f.status = 'Active'
    order by f.product_id, f.id`
}
