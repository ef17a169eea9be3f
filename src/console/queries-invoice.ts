import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/tenant.ts'

/** When an invoice became overdue: once for each due date that it had. */
export function selectOverdue(db: Db, { businessId, live }: Tenant, invoiceId: number) {
  return db.many<{ created_at: Date }>`
    select created_at from events
    where business_id = ${businessId} and live = ${live} and object_id = ${invoiceId}
      and type = 'invoice.overdue' and object_type = 'invoice'
    order by sequence`
}
