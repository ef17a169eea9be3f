/**
 * The part of a statement that queues what it tells: `told` is its `insert into events`, returning
 * TOLD. Whoever writes events writes this too, so that a delivery is there exactly when its event
 * is; a test looks that nobody forgets it. Without endpoints it costs one look into an empty index.
 */
export const QUEUED = `queued as (
    insert into webhook_deliveries
      (business_id, live, webhook_id, event_id, event_at, event_type, object_id, due_at,
       created_at)
    select e.business_id, e.live, w.id, e.id, e.created_at, e.type, e.object_id, e.created_at,
      e.created_at
    from told e
    join webhooks w on w.business_id = e.business_id and w.live = e.live
    where w.status = 'Active'
      and (w.events is null or w.events && array[e.type, split_part(e.type, '.', 1) || '.*'])
      -- The test of an endpoint is for that one alone.
      and e.object_type <> 'webhook_test'
  )`

/** What `told` must return. */
export const TOLD = 'business_id, live, id, type, object_type, object_id, created_at'
