-- Telling merchants' servers what happened: endpoints, what each is to be told, and every attempt.
-- docs/decisions/0044-webhooks.md says why it is built like this.

create table webhooks (
  business_id      bigint not null references businesses (id),
  live             boolean not null,
  id               bigint not null,
  reference        text not null,
  url              text not null,
  -- Types of events; null for all there are and will be.
  events           text[],
  description      text,
  -- A deleted one is only kept for its deliveries, and is nobody's any more.
  status           text not null default 'Active' check (status in ('Active', 'Disabled', 'Deleted')),
  -- whsec_…: what is sent is signed with it.
  secret           text not null,
  -- The one before, with which everything is signed as well until then.
  previous_secret  text,
  previous_until   timestamptz,
  -- Since when every attempt failed; null while the last one arrived.
  failing_since    timestamptz,
  -- Attempts that failed one after the other; from a few on, one at a time is tried.
  failure_count    integer not null default 0 check (failure_count >= 0),
  last_success_at  timestamptz,
  disabled_at      timestamptz,
  -- For people: why the server disabled it.
  disabled_reason  text,
  event_sequence   bigint not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  check ((previous_secret is null) = (previous_until is null))
);

-- One event for one endpoint. Named by both, so that it needs no id of its own and an event is never
-- queued twice for an endpoint.
create table webhook_deliveries (
  business_id   bigint not null,
  live          boolean not null,
  webhook_id    bigint not null,
  event_id      bigint not null,
  -- With the tenant and event_id the key of its event.
  event_at      timestamptz not null,
  event_type    text not null,
  -- What the event is about: events of one object are sent one after the other.
  object_id     bigint not null,
  -- Failed: all attempts of the schedule failed; somebody has to send it again.
  status        text not null default 'Pending' check (status in ('Pending', 'Delivered', 'Failed')),
  -- All attempts there were, and those since it was last queued, which the schedule goes by.
  attempt_count integer not null default 0,
  round_count   integer not null default 0,
  -- By the clock of the business: its test clock moves the schedule.
  due_at        timestamptz not null,
  -- By the server's clock: whoever claimed it has until then. A crashed one loses it.
  lease_until   timestamptz,
  last_status   smallint,
  last_error    text,
  finished_at   timestamptz,
  -- When it was first queued.
  created_at    timestamptz not null,
  primary key (business_id, live, webhook_id, event_id),
  foreign key (business_id, live, webhook_id) references webhooks (business_id, live, id)
  -- A claim changes what no index holds: room on the page makes it cheap.
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries
  (business_id, live, webhook_id, due_at, event_id) where status = 'Pending';
create index webhook_deliveries_failed on webhook_deliveries
  (business_id, live, webhook_id, event_id) where status = 'Failed';
-- Rows come in the order of time, so the smallest of indexes finds those that are old.
create index webhook_deliveries_created on webhook_deliveries using brin (created_at);

-- What was sent and what came back. The body that was sent is the event itself.
create table webhook_attempts (
  business_id   bigint not null,
  live          boolean not null,
  webhook_id    bigint not null,
  event_id      bigint not null,
  -- From 1 on, without gaps.
  number        integer not null check (number > 0),
  url           text not null,
  -- Of the request, as JSON.
  headers       text not null,
  -- Null when no answer came.
  status        smallint,
  -- Why it failed, where the status does not say so.
  error         text,
  -- The first 16 KiB of the answer.
  response      text,
  duration_ms   integer not null check (duration_ms >= 0),
  -- By the server's clock.
  at            timestamptz not null,
  primary key (business_id, live, webhook_id, event_id, number)
);
create index webhook_attempts_at on webhook_attempts using brin (at);

-- Objects of events that only try something out: `tradepost trigger`, and the test of an endpoint.
create table simulated_events (
  business_id    bigint not null references businesses (id),
  live           boolean not null,
  id             bigint not null,
  -- The object_type of its event.
  kind           text not null check (kind in ('simulated_event', 'webhook_test')),
  event_sequence bigint not null default 1,
  created_at     timestamptz not null,
  primary key (business_id, live, id),
  check (kind = 'webhook_test' or not live)
);
