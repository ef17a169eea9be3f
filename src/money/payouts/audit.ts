import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

/** What holds for payouts beyond what holds for every transfer. */
export const payoutChecks: readonly AuditCheck[] = [
  {
    name: 'payouts',
    what: 'a payout is in the currency of its business, and its account’s holder is not in doubt',
    table: 'transfers',
    sql: sql`
      select t.business_id, t.live, t.id, case
        when t.currency <> b.currency
          then format('it is in %s, but the business uses %s', t.currency, b.currency)
        when t.account_name is null then 'its account has no holder'
        else 'it waits for a person to confirm the holder of its account' end as problem
      from transfers t join businesses b on b.id = t.business_id
      where t.origin = 'payout'
        and (t.currency <> b.currency or t.account_name is null or t.doubt = 'name')`,
  },
]
