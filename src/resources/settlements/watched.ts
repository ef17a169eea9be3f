import { sql } from '../../db/sql.ts'
import type { Watched } from '../../ledger/watched.ts'

/** Where the money of a settlement goes. */
export const watchedSettlements: Watched = {
  kind: 'settlement',
  table: 'settlements',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code, account_number,
    account_name])::text as content from settlements`,
}
