import { sql } from '../../db/sql.ts'
import type { Watched } from '../../ledger/watched.ts'

/** Where the money of a transfer goes, and who made and approved it. */
export const watchedTransfers: Watched = {
  kind: 'transfer',
  table: 'transfers',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code, account_number,
    account_name, created_by::text, created_with, created_by_person::text, approved_by::text,
    approved_with, approved_by_person::text])::text as content from transfers`,
}
