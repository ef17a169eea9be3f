import type { Db } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import { CHECKOUT_PURPOSE, tenantOf } from './paid-for.ts'
import type { CheckoutRow } from './queries.ts'

/** What only the payer is told of a checkout. */
export interface SeenWith {
  /** Until when all its goods are put aside; null where none are, or not any more. */
  kept_until: Date | null
  /** What came on its accounts and was refused: its provider sends it back. */
  sent_back_minor: Minor
  /** Whether its order has goods that are delivered. */
  is_delivered: boolean
}

export function selectSeen(db: Db, row: CheckoutRow, now: Date) {
  const { businessId, live } = tenantOf(row)
  return db.one<SeenWith>`
    select
      (
        select case when bool_and(status = 'Reserved') then min(expires_at) end
        from stock_reservations
        where business_id = ${businessId} and live = ${live} and cause_id = ${row.id}
        having min(expires_at) > ${now}
      ) as kept_until,
      (
        select coalesce(sum(d.amount_minor), 0)::bigint
        from transactions t
          join virtual_accounts a on a.business_id = ${businessId} and a.live = ${live}
            and a.transaction_id = t.id
          join deposits d on d.business_id = ${businessId} and d.live = ${live}
            and d.virtual_account_id = a.id
        where t.business_id = ${businessId} and t.live = ${live}
          and t.purpose = ${CHECKOUT_PURPOSE} and t.purpose_id = ${row.id}
          and d.status = 'Rejected' and d.currency = ${row.currency}
      ) as sent_back_minor,
      exists (
        select from order_lines l join products p using (business_id, live)
        where l.business_id = ${businessId} and l.live = ${live} and l.order_id = ${row.order_id}
          and p.id = l.product_id and p.type = 'physical'
      ) as is_delivered`
}
