import { idsOf, idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

/** Calls about the customer's records, and lists that mention the customer, lose their texts. */
export const callPersonalData: PersonalData = {
  name: 'providerCalls',
  find: (db, customer, found) => {
    const text = sql`lower(concat_ws(' ', path, request, response))`
    const { email } = customer
    const encoded = encodeURIComponent(email).toLowerCase()
    return idsWhere(db, customer, {
      table: sql`provider_calls`,
      match: sql`(coalesce(subject_id = any(${idsOf(found)}::bigint[]), false)
        or position(${email} in ${text}) > 0 or position(${encoded} in ${text}) > 0)`,
    })
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update provider_calls set request = null, response = null, path = split_part(path, '?', 1)
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
