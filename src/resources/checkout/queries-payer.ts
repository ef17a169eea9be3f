import { createHash } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import type { Tenant } from '../../lib/tenant.ts'

/**
 * How many open checkouts of a page reserve something for a network. Until the transaction ends, no
 * other one begins for this network and page.
 */
export async function selectReserving(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  network: string,
): Promise<number> {
  // By itself, so that the count sees what the one before committed.
  await tx.run`select pg_advisory_xact_lock(hashtextextended(${`${pageId} ${network}`}, 0))`
  const { reserving } = await tx.one<{ reserving: number }>`
    select count(*) as reserving from checkouts
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and payer_network = ${network} and status = 'Open' and payer_reserves`
  return reserving
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
