import { sql } from '../../db/sql.ts'
import { isOtherText } from '../../db/text-search.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import type { Watched } from '../../ledger/watched.ts'
import { KIND } from './service.ts'

/** What must be true of subaccounts; joined whole, by hash. */
export const subaccountChecks: readonly AuditCheck[] = [
  {
    name: 'subaccount-texts',
    what: 'a search finds each subaccount by its name, its number and its code',
    table: 'subaccounts',
    sql: sql`
      select business_id, live, id,
        'what a search looks into is not its name, number and code' as problem
      from subaccounts s
      left join search_texts t using (business_id, live, id)
      where t.kind is distinct from ${KIND}::text
        or ${isOtherText(sql`t.text`, sql`business_name, account_number, reference`)}`,
  },
]

/** Where settlements of a subaccount go. */
export const watchedSubaccounts: Watched = {
  kind: 'subaccount',
  table: 'subaccounts',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code,
    account_number])::text as content from subaccounts`,
}
