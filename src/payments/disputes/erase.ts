import { ERASED, idsOf, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

export const disputePersonalData: PersonalData = {
  name: 'disputes',
  async find(db, { businessId, live }, found) {
    const rows = await db.many<{ id: number }>`
      select id from disputes
      where business_id = ${businessId} and live = ${live}
        and transaction_id = any(${idsOf(found, 'transactions')}::bigint[])`
    return rows.map(({ id }) => id)
  },
  open: {
    table: sql`disputes`,
    condition: sql`status in ('Open', 'UnderReview')`,
    words: 'disputes that the provider has not decided yet',
  },
  async erase(tx, { businessId, live }, ids) {
    await tx.run`
      update dispute_responses set message = ${ERASED}, customer = null
      where business_id = ${businessId} and live = ${live} and dispute_id = any(${ids}::bigint[])`
    return tx.run`
      update disputes set reason = ${ERASED}
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
  },
}
