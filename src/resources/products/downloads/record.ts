import { printToken } from '../../../lib/page-token.ts'
import type { FileRow } from './queries.ts'
import type { GrantRow } from './queries-grants.ts'

/** A digital file as the API shows it (docs/CONTRACT.md, Products). */
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

/** A buyer's download as its events show it. */
export const grantRecord = (row: GrantRow, publicUrl: string) => ({
  id: row.id,
  reference: row.file_reference,
  status: row.revoked_at ? 'Revoked' : 'Active',
  digitalDownloadFileId: String(row.file_id),
  productId: String(row.product_id),
  name: row.name,
  bytes: row.bytes,
  url: grantUrl(row, publicUrl),
  customerEmail: row.customer_email,
  downloads: row.downloads,
  maxDownloads: row.max_downloads,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
})

/** The link that a buyer gets. */
export const grantUrl = ({ business_id, live, id, secret }: GrantRow, publicUrl: string): string =>
  `${publicUrl}/d/${printToken({ businessId: business_id, live, id, secret })}`
