import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionState } from '../transactions/states.ts'

/** What a checkout is shown with: null where it has no such thing. */
export interface ShownWith {
  transaction_reference: string | null
  transaction_status: TransactionState | null
  order_reference: string | null
  shipping_address: string | null
  subaccount_code: string | null
}

export function selectShown(db: Db, { businessId, live }: Tenant, id: number) {
  return db.one<ShownWith>`
    select t.reference as transaction_reference, t.status as transaction_status,
      o.reference as order_reference,
      o.delivery_address as shipping_address, s.reference as subaccount_code
    from checkouts c
      left join transactions t on t.business_id = ${businessId} and t.live = ${live}
        and t.id = c.transaction_id
      left join orders o on o.business_id = ${businessId} and o.live = ${live}
        and o.id = c.order_id
      left join subaccounts s on s.business_id = ${businessId} and s.live = ${live}
        and s.id = c.subaccount_id
    where c.business_id = ${businessId} and c.live = ${live} and c.id = ${id}`
}
