import { ERASED, idsOf, idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { indexText } from '../../db/text-search.ts'
import { ORDERS, type OrderRow } from './service.ts'

export const orderPersonalData: PersonalData = {
  name: 'orders',
  find: (db, customer, found) =>
    idsWhere(db, customer, {
      table: sql`orders`,
      match: sql`(${isOfCustomer(customer)}
        or checkout_id = any(${idsOf(found, 'checkouts')}::bigint[]))`,
    }),
  async erase(tx, { businessId, live }, ids, pseudonym) {
    const orders = await tx.many<OrderRow>`
      update orders set customer_email = ${pseudonym}, customer_name = null, customer_phone = null,
        delivery_address = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
      returning *`
    for (const order of orders) await indexText(tx, { businessId, live }, ORDERS, order)
    await tx.run`
      update order_notes set text = ${ERASED}
      where business_id = ${businessId} and live = ${live} and order_id = any(${ids}::bigint[])`
    return orders.length
  },
}
