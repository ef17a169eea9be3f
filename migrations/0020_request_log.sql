-- What merchants asked of the API and what they were answered, for 30 days.
-- docs/decisions/0047-request-log.md says why it is built like this.

create table request_log (
  business_id     bigint not null,
  live            boolean not null,
  -- When it was answered, by the server's clock: no test clock moves it.
  at              timestamptz not null,
  id              bigint not null,
  -- Of a partner, its grant.
  key_id          bigint not null,
  request_id      text not null,
  method          text not null,
  operation       text not null,
  -- With its query; what is secret in it was replaced before it came here, as everywhere below.
  url             text not null,
  duration_ms     real not null,
  -- Of the bodies as they travelled; null where nobody said.
  request_bytes   integer,
  response_bytes  integer,
  status          smallint not null,
  replayed        boolean not null,
  -- Of one of the bodies, here.
  truncated       boolean not null,
  -- Too much went on for them to be kept.
  bodies_dropped  boolean not null,
  ip              text not null,
  -- The client id of the partner that asked.
  partner         text,
  user_agent      text,
  idempotency_key text,
  error_code      text,
  -- JSON, and the beginning of it where it was truncated.
  request_body    text,
  response_body   text,
  -- Rows come in this order, so that a new one goes to the end of its tenant.
  primary key (business_id, live, at, id)
);
create index request_log_failures on request_log (business_id, live, at, id) where status >= 400;
-- It begins with what is looked for, so that no plan takes it for the list of a tenant, all of which
-- it would have to sort. Ids count up within a process, so that new ones stand together. Keys of
-- requests are random, and an index on them cost a tenth of the throughput of writes.
create index request_log_request on request_log (request_id, business_id, live);
