import { sql } from '../../db/sql.ts'
import { staleIndexEntries } from '../../db/text-search.ts'
import { NUMBER_CONTENT, NUMBERS_SINCE } from '../../encryption/account-numbers.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import type { ProtectedRows } from '../../ledger/row-notes.ts'
import { SUBACCOUNTS } from './queries.ts'

/** Rules for subaccounts. Each check joins whole tables with a hash join. */
export const subaccountChecks: readonly AuditCheck[] = [
  {
    name: 'subaccount-texts',
    what: 'each subaccount can be found by its name, code and the end of its account number',
    table: 'subaccounts',
    sql: sql`
      select business_id, live, id,
        'its search text does not match its name, code and account' as problem
      ${staleIndexEntries(SUBACCOUNTS)}`,
  },
]

/** Where a subaccount's settlements are paid. */
export const protectedSubaccounts: ProtectedRows = {
  kind: 'subaccount-account',
  since: NUMBERS_SINCE,
  table: 'subaccounts',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code,
    ${NUMBER_CONTENT}])::text as content from subaccounts`,
}
