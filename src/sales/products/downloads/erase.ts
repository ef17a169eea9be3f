import { idsOf, idsWhere, isOfCustomer, type PersonalData } from '../../../db/personal-data.ts'
import { sql } from '../../../db/sql.ts'

export const downloadPersonalData: PersonalData = {
  name: 'downloads',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`download_grants`,
      match: sql`(${isOfCustomer(customer)}
        or cause_id = any(${idsOf(found, 'orders')}::bigint[]))`,
    }),
  erase: (tx, { businessId, live }, ids, pseudonym) =>
    tx.run`
      update download_grants set customer_email = case when customer_email is not null
        then ${pseudonym} end
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
