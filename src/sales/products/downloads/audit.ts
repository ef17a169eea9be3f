import { sql } from '../../../db/sql.ts'
import type { AuditCheck } from '../../../ledger/audit.ts'

export const downloadChecks: readonly AuditCheck[] = [
  {
    name: 'digital-file-contents',
    what: 'a digital file’s recorded size matches its content',
    table: 'digital_files',
    sql: sql`
      select business_id, live, id,
        format('its size is recorded as %s bytes, but its content has %s',
          f.bytes, b.bytes) as problem
      from digital_files f join blobs b using (business_id, live, sha256)
      where f.bytes <> b.bytes`,
  },
  {
    name: 'digital-file-downloads',
    what: 'a digital file’s download count is the sum of its buyers’ downloads',
    table: 'digital_files',
    sql: sql`
      select business_id, live, id, format('it has %s downloads, but its buyers have %s',
        f.downloads, coalesce(g.downloads, 0)) as problem
      from digital_files f
      left join (
        select business_id, live, file_id as id, sum(downloads) as downloads
        from download_grants
        group by business_id, live, file_id
      ) as g using (business_id, live, id)
      where f.downloads <> coalesce(g.downloads, 0)`,
  },
  {
    name: 'download-revocations',
    what: 'no buyer can download a revoked file',
    table: 'download_grants',
    sql: sql`
      select g.business_id, g.live, g.id,
        format('it is not revoked, although its file %s is', g.file_id) as problem
      from download_grants g
      join digital_files f
        on (f.business_id, f.live, f.id) = (g.business_id, g.live, g.file_id)
      where f.status = 'Revoked' and g.revoked_at is null`,
  },
]
