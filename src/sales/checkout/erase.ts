import { idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

export const checkoutPersonalData: PersonalData = {
  name: 'checkouts',
  find: (db, customer) =>
    idsWhere(db, customer, { table: sql`checkouts`, match: isOfCustomer(customer) }),
  open: {
    table: sql`checkouts`,
    condition: sql`status = 'Open'`,
    words: 'open checkouts: they expire by themselves',
  },
  erase: (tx, { businessId, live }, ids, pseudonym) =>
    tx.run`
      update checkouts set customer_email = ${pseudonym}, customer_name = null,
        customer_phone = null, answers = '[]', metadata = null, payer_network = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
