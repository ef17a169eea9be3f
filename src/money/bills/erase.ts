import { ERASED, idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

export const billPersonalData: PersonalData = {
  name: 'utilityPayments',
  find: (db, customer) =>
    idsWhere(db, customer, {
      table: sql`utility_payments`,
      match: sql`lower(email) = ${customer.email}`,
    }),
  open: {
    table: sql`utility_payments`,
    condition: sql`status = 'Pending'`,
    words: 'utility payments that are not finished yet',
  },
  erase: (tx, { businessId, live }, ids, pseudonym) =>
    tx.run`
      update utility_payments set email = ${pseudonym}, phone_number = null,
        customer_id = ${ERASED}, customer_name = ${ERASED}, account_number = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
