-- Notifications from providers, which are stored before they are confirmed. Only
-- src/providers/inbox writes these tables.

create table provider_notices (
  business_id      bigint not null,
  live             boolean not null,
  id               bigint not null,
  connection_id    bigint not null references provider_connections (id),
  -- The same for every delivery of one event.
  key              text not null,
  -- As the provider names it.
  type             text not null,
  -- What to look up, and how to find it.
  about            text not null check (about in
    ('charge', 'payment', 'payout', 'refund', 'bill', 'dispute', 'settlement', 'none')),
  reference        text,
  provider_id      text,
  account_number   text,
  body_encrypted   bytea not null,
  deliveries       integer not null default 1,
  status           text not null check (status in
    ('Received', 'Applied', 'Unchanged', 'Unmatched', 'Unreadable', 'Failed')),
  result           text,
  tries            integer not null default 0,
  -- Null once nothing more will be done.
  next_at          timestamptz,
  received_at      timestamptz not null,
  last_received_at timestamptz not null,
  done_at          timestamptz,
  primary key (business_id, live, id),
  unique (business_id, live, connection_id, key)
);
create index provider_notices_due on provider_notices (next_at) where next_at is not null;
create index provider_notices_listed on provider_notices
  (business_id, live, connection_id, received_at desc, id desc);
create index provider_notices_received on provider_notices (received_at);

-- How many notifications were refused in each minute. A forgery never gets a row of its own.
create table provider_notice_refusals (
  business_id   bigint not null,
  live          boolean not null,
  connection_id bigint not null references provider_connections (id),
  minute        timestamptz not null,
  reason        text not null check (reason in ('forged', 'unsigned', 'too_large')),
  count         integer not null,
  -- Of the last one: the IP address, and SHA-256 of the body.
  last_address  text not null,
  last_digest   bytea,
  primary key (business_id, live, connection_id, minute, reason)
);
create index provider_notice_refusals_minute on provider_notice_refusals (minute);
