import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

/** What must be true of how businesses show themselves. */
export const brandingChecks: readonly AuditCheck[] = [
  {
    name: 'branding-logo',
    what: 'a logo is as long as its content',
    table: 'business_branding',
    sql: sql`
      select g.business_id, g.live, g.business_id as id,
        format('it should have %s bytes, its content has %s', g.logo_bytes, b.bytes) as problem
      from business_branding g
      join blobs b on (b.business_id, b.live, b.sha256) = (g.business_id, g.live, g.logo_sha256)
      where g.logo_bytes <> b.bytes`,
  },
]
