import { idsOf, idsWhere, type PersonalData } from '../db/personal-data.ts'
import { sql } from '../db/sql.ts'

/** Emails to the customer, and emails to others about the customer's records. */
export const mailPersonalData: PersonalData = {
  name: 'emails',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`mails`,
      match: sql`(lower(to_address) = ${customer.email}
        or subject_id = any(${idsOf(found)}::bigint[]))`,
    }),
  open: {
    table: sql`mails`,
    condition: sql`status = 'Queued'`,
    words: 'emails that have not been sent yet',
  },
  async erase(tx, { businessId, live, email }, ids, pseudonym) {
    await tx.run`
      delete from letters
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
    return tx.run`
      update mails set data = null, last_error = null,
        to_address = case when lower(to_address) = ${email} then ${pseudonym}
          else to_address end
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
  },
}
