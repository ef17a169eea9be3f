import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type TransferRow } from './queries.ts'

export type ClaimedRow = TransferRow & {
  business_id: number
  live: boolean
  /** The provider may have been told of this attempt before. */
  was_sent: boolean
}

/**
 * Claims transfers that are due to be ordered or asked about, notes that the provider is told, and
 * says when to ask again: after a minute at first, then after as long as it has taken so far, and
 * at most every ten minutes.
 */
export function claimDue(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<ClaimedRow>`
    with due as (
      select business_id, live, id, sent_at is not null as was_sent from transfers
      where look_up_at <= ${now}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by look_up_at limit ${limit} for update skip locked)
    update transfers t
    set sent_at = coalesce(t.sent_at, ${now}),
      look_up_at = ${now}::timestamptz + case when t.status = 'Blocked' then interval '10 minutes'
        else least(interval '10 minutes',
          greatest(interval '1 minute', ${now}::timestamptz - t.sent_at)) end
    from (select business_id, live, id as due_id, was_sent from due) due
    where (t.business_id, t.live, t.id) = (due.business_id, due.live, due.due_id)
    returning t.business_id, t.live, due.was_sent, ${COLUMNS}`
}

/**
 * As `claimDue`, one that is Pending, due or not; nothing for any other. It counts as sent: a sweep
 * may have claimed it that has not told the provider yet.
 */
export function claimPending(db: Db, { businessId, live }: Tenant, id: number, now: Date) {
  return db.maybe<ClaimedRow>`
    update transfers
    set sent_at = coalesce(sent_at, ${now}),
      look_up_at = ${now}::timestamptz + interval '1 minute'
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Pending'
    returning business_id, live, true as was_sent, ${COLUMNS}`
}
