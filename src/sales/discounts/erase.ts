import { idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

export const discountPersonalData: PersonalData = {
  name: 'discountUses',
  find: (db, customer) =>
    idsWhere(db, customer, {
      table: sql`discount_uses`,
      match: sql`lower(customer) = ${customer.email}`,
      key: sql`cause_id`,
    }),
  async erase(tx, { businessId, live, email }, causeIds, pseudonym) {
    // How often this customer used each code. They can use a limited code again.
    await tx.run`
      update discount_customers set customer = ${pseudonym}
      where business_id = ${businessId} and live = ${live} and customer = ${email}`
    return tx.run`
      update discount_uses set customer = ${pseudonym}
      where business_id = ${businessId} and live = ${live}
        and cause_id = any(${causeIds}::bigint[])`
  },
}
