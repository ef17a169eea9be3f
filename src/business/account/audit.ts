import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import type { Watched } from '../../ledger/watched.ts'

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

/** Where settlements of a business go, and from what amount on a transfer needs approval. */
export const watchedSettings: Watched = {
  kind: 'settings',
  table: 'business_settings',
  rows: sql`select business_id, live, business_id as id, created_at, to_json(array[
    settlement_bank_code, settlement_account_number, settlement_account_name,
    transfer_approval_above_minor::text, daily_approval_above_minor::text])::text as content
    from business_settings`,
  unwritten: '[null,null,null,null,null]',
}
