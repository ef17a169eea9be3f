import { plainArray } from '../../db/arrays.ts'
import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'

/** What a buyer may download with an order. */
export interface DownloadRow {
  id: number
  order_id: number
  file_id: number
  product_id: number
  secret: string
  name: string
  bytes: number
  downloads: number
  max_downloads: number | null
  expires_at: Date | null
  revoked_at: Date | null
}

/** Of several orders, each in the order of its files. */
export function selectDownloads(db: Db, { businessId, live }: Tenant, orderIds: readonly number[]) {
  return db.many<DownloadRow>`
    select g.id, g.cause_id as order_id, g.file_id, f.product_id, g.secret, f.name, f.bytes,
      g.downloads, g.max_downloads, g.expires_at, g.revoked_at
    from download_grants g
      join digital_files f
        on (f.business_id, f.live, f.id) = (g.business_id, g.live, g.file_id)
    where g.business_id = ${businessId} and g.live = ${live}
      and g.cause_id = any(${plainArray(orderIds)}::bigint[])
    order by g.cause_id, g.file_id`
}
