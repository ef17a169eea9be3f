import { sql } from '../../db/sql.ts'
import type { Watched } from '../../ledger/watched.ts'

/** Where settlements of a subaccount go. */
export const watchedSubaccounts: Watched = {
  kind: 'subaccount',
  table: 'subaccounts',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code,
    account_number])::text as content from subaccounts`,
}
