import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type SettlementRow } from './queries.ts'

export type ClaimedRow = SettlementRow & {
  business_id: number
  live: boolean
  /** The provider may have been told of it before. */
  was_sent: boolean
}

/**
 * Claims settlements that are due to be ordered or asked about, notes that the provider is told,
 * and says when to ask again: after a minute at first, then after as long as it has taken so far,
 * and at most every ten minutes.
 */
export function claimDuePayouts(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<ClaimedRow>`
    with due as (
      select business_id, live, id, sent_at is not null as was_sent from settlements
      where look_up_at <= ${now}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by look_up_at limit ${limit} for update skip locked)
    update settlements s
    set sent_at = coalesce(s.sent_at, ${now}),
      look_up_at = ${now}::timestamptz + least(interval '10 minutes',
        greatest(interval '1 minute', ${now}::timestamptz - s.sent_at))
    from (select business_id, live, id as due_id, was_sent from due) due
    where (s.business_id, s.live, s.id) = (due.business_id, due.live, due.due_id)
    returning s.business_id, s.live, due.was_sent, ${COLUMNS}`
}

/**
 * As `claimDuePayouts`, one that is Pending, due or not; nothing for any other. It counts as sent:
 * a sweep may have claimed it that has not told the provider yet.
 */
export function claimPending(db: Db, { businessId, live }: Tenant, reference: string, now: Date) {
  return db.maybe<ClaimedRow>`
    update settlements
    set sent_at = coalesce(sent_at, ${now}),
      look_up_at = ${now}::timestamptz + interval '1 minute'
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = 'Pending'
    returning business_id, live, true as was_sent, ${COLUMNS}`
}
