import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

export const webhookChecks: readonly AuditCheck[] = [
  {
    name: 'webhook-endpoints',
    what: 'an endpoint has failing_since only after failed attempts, and disabled_at only if Disabled',
    table: 'webhooks',
    sql: sql`
      select business_id, live, id, format(
        'it is %s (disabled at: %s, failing since: %s, failures: %s)', status,
        coalesce(disabled_at::text, 'never'), coalesce(failing_since::text, 'never'),
        failure_count) as problem
      from webhooks
      where status <> 'Deleted' and (
        (failing_since is null) <> (failure_count = 0)
        or (disabled_at is null) <> (status = 'Active'))`,
  },
  {
    name: 'webhook-deliveries',
    what: 'every delivery belongs to an existing event and matches it',
    table: 'webhook_deliveries',
    sql: sql`
      select d.business_id, d.live, d.event_id as id, case
        when e.id is null then format('the event, queued for endpoint %s, does not exist',
          d.webhook_id)
        else format(
          'the delivery to endpoint %s is for %s (object %s), but the event is %s (object %s)',
          d.webhook_id, d.event_type, d.object_id, e.type, e.object_id) end as problem
      from webhook_deliveries d
      left join events e on e.business_id = d.business_id and e.live = d.live
        and e.created_at = d.event_at and e.id = d.event_id
      where e.id is null or e.type <> d.event_type or e.object_id <> d.object_id`,
  },
  {
    name: 'webhook-states',
    what: 'a delivery is Delivered after a 2xx response, Failed if no attempt got one, otherwise Pending',
    table: 'webhook_deliveries',
    sql: sql`
      select business_id, live, event_id as id, format(
        'the delivery to endpoint %s is %s after %s attempts (%s in this round), the last: %s %s',
        webhook_id, status, attempt_count, round_count, coalesce(last_status::text, 'no response'),
        last_error) as problem
      from webhook_deliveries
      where round_count > attempt_count
        or (finished_at is null) <> (status = 'Pending')
        or case status
          when 'Delivered' then attempt_count = 0 or lease_until is not null
            or last_error is not null or coalesce(last_status, 0) not between 200 and 299
          when 'Failed' then attempt_count = 0 or lease_until is not null
            or (last_error is null and coalesce(last_status, 0) between 200 and 299)
          else round_count > 9 end`,
  },
  {
    name: 'webhook-attempts',
    what: 'a delivery’s attempts match its attempt count and are numbered from 1 without gaps',
    table: 'webhook_attempts',
    sql: sql`
      select business_id, live, event_id as id, format(
        'the delivery to endpoint %s has %s attempts, the last numbered %s, but its count is %s',
        webhook_id, coalesce(a.attempts, 0), a.last, coalesce(d.attempt_count, 0)) as problem
      from webhook_deliveries d
      full join (
        select business_id, live, webhook_id, event_id, count(*) as attempts, max(number) as last
        from webhook_attempts
        group by business_id, live, webhook_id, event_id
      ) as a using (business_id, live, webhook_id, event_id)
      where coalesce(a.attempts, 0) <> coalesce(d.attempt_count, 0)
        or coalesce(a.last, 0) <> coalesce(d.attempt_count, 0)`,
  },
  {
    // Covers only the period from which no delivery can have been deleted because of its age. It
    // starts with the oldest stored delivery that succeeded on its first attempt. Allows half a
    // minute for an endpoint that has just changed.
    name: 'webhook-queue',
    what: 'every event is queued for each subscribed endpoint',
    table: 'events',
    sql: sql`
      select e.business_id, e.live, e.id,
        format('the event %s was never queued for endpoint %s', e.type, w.id) as problem
      from webhooks w
      join (
        select business_id, live, webhook_id, min(finished_at) as since
        from webhook_deliveries where status = 'Delivered' and attempt_count = 1
        group by business_id, live, webhook_id
      ) as kept on kept.business_id = w.business_id and kept.live = w.live
        and kept.webhook_id = w.id
      join events e on e.business_id = w.business_id and e.live = w.live
        and e.created_at >= greatest(kept.since, w.updated_at + interval '30 seconds')
        and (w.events is null
          or w.events && array[e.type, split_part(e.type, '.', 1) || '.*'])
        and e.object_type <> 'webhook_test'
      left join webhook_deliveries d on d.business_id = e.business_id and d.live = e.live
        and d.webhook_id = w.id and d.event_id = e.id
      where w.status = 'Active' and d.event_id is null`,
  },
]
