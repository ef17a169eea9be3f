import type { Db } from '../db/database.ts'
import { all, sql } from '../db/sql.ts'
import { addMs } from '../lib/clock.ts'
import { isUnresolvedAt } from '../provider-orders/decisions.ts'

export const STUCK_KINDS = [
  'order',
  'transfer',
  'refund',
  'payment',
  'email',
  'webhook',
  'notice',
] as const
export type StuckKind = (typeof STUCK_KINDS)[number]

/** Something that waits for a person, or that has waited for too long. */
export interface StuckRow {
  kind: StuckKind
  /** The record that a provider order belongs to, such as `transfer`. */
  subject_kind: string | null
  id: number
  business_id: number
  live: boolean
  time_zone: string
  /** How far the clock of the business is ahead of the server's. */
  ahead_ms: number
  connection_id: number | null
  reference: string
  state: string
  reason: string | null
  /** Since when, by the business's clock. */
  since: Date
}

interface Wanted {
  now: Date
  kind?: StuckKind | undefined
  businessId?: number | undefined
  /** Only what has been stuck this long. */
  olderThanMs?: number
  id?: number | undefined
  subjectKind?: string | undefined
  limit: number
}

/** How long a transfer can wait for approval, and an email or an expired payment for its job. */
const APPROVAL_MS = 24 * 3_600_000
const LATE_EMAIL_MS = 3_600_000
const LATE_PAYMENT_MS = 15 * 60_000

/** How an item is named on the command line, such as `transfer:512` or `order:refund:513`. */
export const stuckName = ({
  kind,
  subject_kind,
  id,
}: Pick<StuckRow, 'kind' | 'subject_kind' | 'id'>): string =>
  [kind, subject_kind, id].filter((part) => part !== null).join(':')

/**
 * Selects what is stuck in all businesses, oldest first. Each part reads an index that contains
 * little else, one business after another.
 */
export function selectStuck(db: Db, wanted: Wanted): Promise<StuckRow[]> {
  const { now, kind, businessId, olderThanMs = 0, id, subjectKind, limit } = wanted
  const before = addMs(now, -olderThanMs)
  const fits = all([
    sql`s.since <= ${before}::timestamptz + s.ahead_ms * interval '1 millisecond'`,
    kind === undefined ? undefined : sql`s.kind = ${kind}`,
    id === undefined ? undefined : sql`s.id = ${id}`,
    subjectKind === undefined ? undefined : sql`s.subject_kind = ${subjectKind}`,
  ])
  const isOfTenant = businessId === undefined ? sql`true` : sql`b.id = ${businessId}`
  return db.many<StuckRow>`
    with tenants as materialized (
      select b.id as business_id, s.live, s.time_zone,
        case when s.live then 0 else b.test_clock_offset_ms end as ahead_ms
      from businesses b join business_settings s on s.business_id = b.id
      where ${isOfTenant}
    ), found as (
      select 'order' as kind, o.kind as subject_kind, o.subject_id as id, o.business_id, o.live,
        o.connection_id, o.reference, coalesce(o.attention, 'unknown') as state,
        o.last_message as reason,
        coalesce(o.attention_at, o.last_sent_at, o.sent_at, o.created_at) as since
      from provider_orders o where ${isUnresolvedAt(now)}
      union all
      select 'transfer', null, t.id, t.business_id, t.live, null::bigint, t.reference,
        t.status, coalesce(t.failure_reason, t.doubt), t.updated_at
      from tenants n join lateral (
        select * from transfers where business_id = n.business_id and live = n.live
          and (status = 'Blocked' or status = 'Unverified'
            and updated_at <= ${addMs(now, -APPROVAL_MS)}::timestamptz
              + n.ahead_ms * interval '1 millisecond')
      ) t on t.business_id = n.business_id and t.live = n.live
      union all
      select 'refund', null, r.id, r.business_id, r.live, null, r.reference, r.status,
        r.message, r.updated_at
      from tenants n join lateral (
        select * from refunds
        where business_id = n.business_id and live = n.live and status = 'NeedsAttention'
      ) r on r.business_id = n.business_id and r.live = n.live
      union all
      select 'payment', null, p.id, p.business_id, p.live, null, p.reference, 'expired',
        p.message, p.expires_at
      from transactions p
      where p.status = 'Pending' and p.expires_at <= ${addMs(now, -LATE_PAYMENT_MS)}
      union all
      select 'email', null, m.id, m.business_id, m.live, null, m.kind, m.status,
        m.last_error, coalesce(m.settled_at, m.created_at)
      from mails m
      where m.status = 'Failed'
        or m.status = 'Queued' and m.created_at <= ${addMs(now, -LATE_EMAIL_MS)}
      union all
      select 'webhook', null, w.id, w.business_id, w.live, null, w.reference, 'failing',
        w.failure_count || ' failures in a row', w.failing_since
      from webhooks w where w.status = 'Active' and w.failing_since is not null
      union all
      select 'notice', null, c.id, c.business_id, c.live, c.connection_id,
        coalesce(c.reference, c.type), c.status, c.result, c.received_at
      from provider_notices c where c.status = 'Failed'
    )
    select s.* from (
      select found.*, n.time_zone, n.ahead_ms
      from found join tenants n on n.business_id = found.business_id and n.live = found.live
    ) as s
    where ${fits} order by s.since, s.kind, s.id limit ${limit}`
}
