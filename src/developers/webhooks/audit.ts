import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

/** What must be true of endpoints, of what is queued for them, and of each attempt. */
export const webhookChecks: readonly AuditCheck[] = [
  {
    name: 'webhook-endpoints',
    what: 'an endpoint fails since some time exactly when attempts failed, and is Disabled since one',
    table: 'webhooks',
    sql: sql`
      select business_id, live, id, format(
        'it is %s, disabled %s, failing since %s after %s failures', status,
        coalesce(disabled_at::text, 'never'), coalesce(failing_since::text, 'never'),
        failure_count) as problem
      from webhooks
      where status <> 'Deleted' and (
        (failing_since is null) <> (failure_count = 0)
        or (disabled_at is null) <> (status = 'Active'))`,
  },
  {
    name: 'webhook-deliveries',
    what: 'a delivery is of an event that exists, as that has it',
    table: 'webhook_deliveries',
    sql: sql`
      select d.business_id, d.live, d.event_id as id, case
        when e.id is null then format('endpoint %s is to be told an event that is not there',
          d.webhook_id)
        else format('endpoint %s is to be told %s of %s, but the event is %s of %s', d.webhook_id,
          d.event_type, d.object_id, e.type, e.object_id) end as problem
      from webhook_deliveries d
      left join events e on e.business_id = d.business_id and e.live = d.live
        and e.created_at = d.event_at and e.id = d.event_id
      where e.id is null or e.type <> d.event_type or e.object_id <> d.object_id`,
  },
  {
    name: 'webhook-states',
    what: 'a delivery is Delivered by a 2xx, Failed after attempts without, and else open',
    table: 'webhook_deliveries',
    sql: sql`
      select business_id, live, event_id as id, format(
        'to endpoint %s it is %s after %s attempts (%s of this round), the last with %s %s',
        webhook_id, status, attempt_count, round_count, coalesce(last_status::text, 'no answer'),
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
    what: 'the attempts at a delivery are as many as it counts, from 1 on without gaps',
    table: 'webhook_attempts',
    sql: sql`
      select business_id, live, event_id as id, format(
        'endpoint %s has %s attempts, the last with the number %s, but counts %s', webhook_id,
        coalesce(a.attempts, 0), a.last, coalesce(d.attempt_count, 0)) as problem
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
    // Of the time in which nothing can have been forgotten for its age: since a delivery that ended
    // at once, and is still there. Half a minute is for an endpoint that changed just then.
    name: 'webhook-queue',
    what: 'every event is queued for each endpoint that wants it',
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
