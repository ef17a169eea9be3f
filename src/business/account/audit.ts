import { sql } from '../../db/sql.ts'
import { NUMBER_CONTENT } from '../../encryption/account-numbers.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import type { ProtectedRows } from '../../ledger/row-notes.ts'

export const brandingChecks: readonly AuditCheck[] = [
  {
    name: 'branding-logo',
    what: 'a logo’s recorded size matches its content',
    table: 'business_branding',
    sql: sql`
      select g.business_id, g.live, g.business_id as id,
        format('its size is recorded as %s bytes, but its content has %s',
          g.logo_bytes, b.bytes) as problem
      from business_branding g
      join blobs b on (b.business_id, b.live, b.sha256) = (g.business_id, g.live, g.logo_sha256)
      where g.logo_bytes <> b.bytes`,
  },
]

/** The latest migration of the release whose notes have the schedule of payouts. */
const SCHEDULE_NOTED_SINCE = 91

/**
 * The settings that decide where money goes, or that payers and shops rely on: the accounts for
 * settlements and direct payments, how often the wallet is paid out, which transfers need approval
 * and when their day started, which deposits count. The secret used to sign redirects is protected
 * by its encryption.
 */
export const protectedSettings: ProtectedRows = {
  kind: 'business-settings-4',
  since: SCHEDULE_NOTED_SINCE,
  table: 'business_settings',
  // Timestamps are compared as numbers, because as strings they would depend on the session's time
  // zone.
  rows: sql`select business_id, live, business_id as id, created_at, to_json(array[
    settlement_bank_code, ${NUMBER_CONTENT}, settlement_account_name,
    extract(epoch from payouts_paused_until)::text, payout_schedule, manual_payment,
    virtual_account_policy, transfer_approval_above_minor::text, daily_approval_above_minor::text,
    time_zone, extract(epoch from day_began_at)::text])::text as content
    from business_settings`,
}
