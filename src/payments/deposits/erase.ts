import { idsOf, idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

export const depositPersonalData: PersonalData = {
  name: 'deposits',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`deposits`,
      match: sql`(transaction_id = any(${idsOf(found, 'transactions')}::bigint[])
        or virtual_account_id = any(${idsOf(found, 'virtualAccounts')}::bigint[]))`,
    }),
  open: {
    table: sql`deposits`,
    condition: sql`return_status in ('Held', 'Returning')`,
    words: 'deposits that are being held or returned',
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update deposits set sender = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
