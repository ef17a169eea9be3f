import { sql } from '../../db/sql.ts'
import type { Watched } from '../../ledger/watched.ts'

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
