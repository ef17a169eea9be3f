-- The exchanges with real providers, for support and for the health of connections. Texts are cut
-- and contain no secrets. Only src/providers/calls writes it.
create table provider_calls (
  business_id   bigint not null,
  live          boolean not null,
  id            bigint not null,
  connection_id bigint not null references provider_connections (id),
  -- The order that it was about, if any.
  kind          text,
  subject_id    bigint,
  attempt       integer,
  call_class    text not null check (call_class in ('resolve', 'open', 'order', 'lookUp', 'list')),
  -- As the provider's documentation names it: `POST /transfer`.
  operation     text not null,
  path          text not null,
  -- Null if there was no response.
  status        integer,
  outcome       text not null,
  duration_ms   integer not null,
  request       text,
  response      text,
  at            timestamptz not null,
  primary key (business_id, live, id)
);
create index provider_calls_order on provider_calls (business_id, live, kind, subject_id)
  where subject_id is not null;
create index provider_calls_connection on provider_calls (business_id, live, connection_id, at);
create index provider_calls_at on provider_calls using brin (at);
