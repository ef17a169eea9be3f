import { idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { queueText } from '../../db/text-search.ts'
import { INVOICES } from './list.ts'

export const invoicePersonalData: PersonalData = {
  name: 'invoices',
  find: (db, customer) =>
    idsWhere(db, customer, { table: sql`invoices`, match: isOfCustomer(customer) }),
  open: {
    table: sql`invoices`,
    condition: sql`status in ('Sent', 'PartiallyPaid')`,
    words: 'invoices that are not paid yet: void them or wait for the payment',
  },
  async erase(tx, { businessId, live }, ids, pseudonym) {
    const count = await tx.run`
      update invoices set customer_email = ${pseudonym}, customer_name = null,
        customer_phone = null, note = null, metadata = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
    for (const id of ids) await queueText(tx, { businessId, live }, INVOICES, id)
    return count
  },
}
