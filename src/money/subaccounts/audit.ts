import { sql } from '../../db/sql.ts'
import { wronglyIndexed } from '../../db/text-search.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import type { Watched } from '../../ledger/watched.ts'
import { SUBACCOUNTS } from './service.ts'

/** What must be true of subaccounts; joined whole, by hash. */
export const subaccountChecks: readonly AuditCheck[] = [
  {
    name: 'subaccount-texts',
    what: 'a search finds each subaccount by its name, its number and its code',
    table: 'subaccounts',
    sql: sql`
      select business_id, live, id,
        'what a search looks into is not its name, number and code' as problem
      ${wronglyIndexed(SUBACCOUNTS)}`,
  },
]

/** Where settlements of a subaccount go. */
export const watchedSubaccounts: Watched = {
  kind: 'subaccount',
  table: 'subaccounts',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code,
    account_number])::text as content from subaccounts`,
}
