import { idsOf, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'

export const refundPersonalData: PersonalData = {
  name: 'refunds',
  async find(db, { businessId, live }, found) {
    const rows = await db.many<{ id: number }>`
      select id from refunds
      where business_id = ${businessId} and live = ${live}
        and transaction_id = any(${idsOf(found, 'transactions')}::bigint[])`
    return rows.map(({ id }) => id)
  },
  open: {
    table: sql`refunds`,
    condition: sql`status in ('Pending', 'Processing', 'NeedsAttention')`,
    words: 'refunds that have not been paid out yet',
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update refunds set reason = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
