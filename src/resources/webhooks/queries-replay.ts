import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { WebhookRow } from './queries.ts'

/** How many deliveries one request queues, and how many events it looks at to find them. */
export const REPLAY_LIMITS = { queuedMax: 10_000, walkedMax: 100_000 }

export interface ReplayRange {
  from: Date
  /** Exclusive. */
  until: Date
  now: Date
  /** Smaller ones are for tests. */
  limits?: typeof REPLAY_LIMITS
}

interface Replayed {
  queued: number
  /** Null when nothing of the range is left. */
  continue_from: Date | null
}

/**
 * Queues what failed for good, in the order of its events. A cut never splits an instant, so that
 * going on from it neither leaves out nor repeats anything; only when more than `queuedMax` events
 * are of one instant are they queued all at once.
 */
export function queueFailedAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  { id }: Pick<WebhookRow, 'id'>,
  { from, until, now, limits: { queuedMax } = REPLAY_LIMITS }: ReplayRange,
) {
  return tx.one<Replayed>`
    with first as (
      select event_at from webhook_deliveries
      where business_id = ${businessId} and live = ${live} and webhook_id = ${id}
        and status = 'Failed' and event_at >= ${from} and event_at < ${until}
      order by event_at limit ${queuedMax + 1}
    ), edge as (
      select case when count(*) <= ${queuedMax} then null
        when min(event_at) < max(event_at) then max(event_at)
        else max(event_at) + interval '1 millisecond' end as at from first
    ), again as (
      update webhook_deliveries
      set status = 'Pending', round_count = 0, due_at = ${now}, finished_at = null
      where business_id = ${businessId} and live = ${live} and webhook_id = ${id}
        and status = 'Failed' and event_at >= ${from}
        and event_at < coalesce((select at from edge), ${until})
      returning event_id
    )
    select (select count(*) from again) as queued, at as continue_from from edge`
}

/** By its type, or by a wildcard such as `invoice.*`, as `events/queue.ts` has it. */
const isWanted = (events: string[] | null) => sql`(${events}::text[] is null
  or ${events}::text[] && array[type, split_part(type, '.', 1) || '.*'])`

/**
 * Queues what the endpoint wants of a range, whatever became of it and whether or not it was queued
 * before. Cuts as `queueFailedAgain` does, and after `walkedMax` events too.
 */
export function queueRangeAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, events }: Pick<WebhookRow, 'id' | 'events'>,
  { from, until, now, limits: { queuedMax, walkedMax } = REPLAY_LIMITS }: ReplayRange,
) {
  return tx.one<Replayed>`
    with walked as (
      select created_at, type, object_type from events
      where business_id = ${businessId} and live = ${live}
        and created_at >= ${from} and created_at < ${until}
      order by created_at, id limit ${walkedMax + 1}
    ), wanted as (
      select created_at from walked
      where ${isWanted(events)}
        and object_type <> 'webhook_test'
      order by created_at limit ${queuedMax + 1}
    ), ends as (
      select
        (select case when count(*) <= ${queuedMax} then null
          when min(created_at) < max(created_at) then max(created_at)
          else max(created_at) + interval '1 millisecond' end from wanted) as full_at,
        (select case when count(*) <= ${walkedMax} then null
          when min(created_at) < max(created_at) then max(created_at)
          else max(created_at) + interval '1 millisecond' end from walked) as far_at
    ), edge as (
      select least(full_at, far_at) as at from ends
    ), queued as (
      insert into webhook_deliveries
        (business_id, live, webhook_id, event_id, event_at, event_type, object_id, due_at,
         created_at)
      select ${businessId}, ${live}, ${id}, id, created_at, type, object_id, ${now}, ${now}
      from events
      where business_id = ${businessId} and live = ${live}
        and created_at >= ${from}
        and created_at < coalesce((select at from edge), ${until})
        and ${isWanted(events)}
        and object_type <> 'webhook_test'
      order by id
      on conflict (business_id, live, webhook_id, event_id) do update
      set status = 'Pending', round_count = 0, due_at = excluded.due_at, finished_at = null
      returning event_id
    )
    select (select count(*) from queued) as queued, at as continue_from from edge`
}
