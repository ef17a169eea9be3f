import { createHash } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import type { Tenant } from '../../lib/tenant.ts'

/** How many open checkouts of a page hold stock for a network, or will again once they renew it. */
export function selectHolding(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  network: string,
) {
  return tx.one<{ holding: number }>`
    select count(*) as holding from checkouts c
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and payer_network = ${network} and status = 'Open'
      and exists (
        select from stock_reservations r
        where r.business_id = ${businessId} and r.live = ${live} and r.cause_id = c.id
          and coalesce(r.held, r.quantity) > 0
      )`
}

/**
 * Counts a receipt of an order with nothing to pay, across all businesses; answers which of its
 * hour it is. The row is held until the transaction ends: those at once are counted in turn.
 */
export function countFreeMail(tx: Tx, to: string, now: Date) {
  const recipient = createHash('sha256').update(to).digest()
  const before = addMs(now, -HOUR_MS)
  return tx.one<{ mails: number }>`
    insert into free_mails as m (recipient, hour, mails) values (${recipient}, ${now}, 1)
    on conflict (recipient) do update
      set mails = case when m.hour > ${before}::timestamptz then m.mails + 1 else 1 end,
        hour = case when m.hour > ${before}::timestamptz then m.hour else ${now}::timestamptz end
    returning mails`
}

const HOUR_MS = 3_600_000
