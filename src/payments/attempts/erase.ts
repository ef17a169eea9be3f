import { ERASED, idsOf, idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { queueText } from '../../db/text-search.ts'
import { TRANSACTIONS } from './read.ts'

export const transactionPersonalData: PersonalData = {
  name: 'transactions',
  async find(db, customer, found) {
    const { businessId, live } = customer
    const named = await idsWhere(db, customer, {
      table: sql`transactions`,
      match: isOfCustomer(customer),
    })
    const paying = await db.many<{ id: number }>`
      select id from transactions
      where business_id = ${businessId} and live = ${live} and purpose in ('invoice', 'checkout')
        and purpose_id = any(${idsOf(found, 'invoices', 'checkouts')}::bigint[])`
    return [...new Set([...named, ...paying.map(({ id }) => id)])]
  },
  open: {
    table: sql`transactions`,
    condition: sql`status = 'Pending'`,
    words: 'payments that are not finished yet: they finish or expire by themselves',
  },
  async erase(tx, { businessId, live }, ids, pseudonym) {
    const count = await tx.run`
      update transactions set customer_email = case when customer_email is not null
          then ${pseudonym} end, customer_name = null, customer_phone = null, ip_address = null,
        location = null, metadata = null, pay_url = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
    for (const id of ids) await queueText(tx, { businessId, live }, TRANSACTIONS, id)
    return count
  },
}

export const virtualAccountPersonalData: PersonalData = {
  name: 'virtualAccounts',
  async find(db, { businessId, live }, found) {
    const rows = await db.many<{ id: number }>`
      select id from virtual_accounts
      where business_id = ${businessId} and live = ${live}
        and transaction_id = any(${idsOf(found, 'transactions')}::bigint[])`
    return rows.map(({ id }) => id)
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update virtual_accounts set account_name = ${ERASED}
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
