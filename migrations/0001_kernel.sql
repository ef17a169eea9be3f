-- What every slice stands on: ids, businesses and their keys, idempotency, events.
-- The tenant (business_id, live) comes first in every key of a tenant's table, so that the same
-- schema can be sharded by business.

-- Each nextval hands a process a block of 100 ids (src/db/ids.ts).
create sequence ids as bigint increment by 100 start with 101;

create table businesses (
  id                   bigint primary key,
  reference            text not null unique,
  name                 text not null,
  email                text,
  phone                text,
  first_name           text,
  last_name            text,
  country              text not null default 'NG',
  currency             text not null default 'NGN',
  status               text not null default 'Active' check (status in ('Active', 'Suspended')),
  -- Null for the defaults of src/business/account/fees.ts.
  fee_rules            jsonb,
  -- How far the test clock runs ahead of the server's; live data never sees it.
  test_clock_offset_ms bigint not null default 0 check (test_clock_offset_ms >= 0),
  created_at           timestamptz not null,
  updated_at           timestamptz not null
);

-- What the business sets itself, for each mode: a test key must not move where live money goes.
create table business_settings (
  business_id                   bigint not null references businesses (id),
  live                          boolean not null,
  time_zone                     text not null default 'Africa/Lagos',
  settlement_bank_code          text,
  settlement_bank_name          text,
  settlement_account_number     text,
  settlement_account_name       text,
  fee_bearer                    text not null default 'business'
    check (fee_bearer in ('business', 'customer', 'subaccounts')),
  origins                       text[] not null default '{}',
  transfer_approval_above_minor bigint check (transfer_approval_above_minor >= 0),
  virtual_account_policy        text not null default 'exact'
    check (virtual_account_policy in ('exact', 'accept_over', 'accept_partial')),
  event_sequence                bigint not null default 0,
  created_at                    timestamptz not null,
  updated_at                    timestamptz not null,
  primary key (business_id, live)
);

create table api_keys (
  business_id      bigint not null references businesses (id),
  live             boolean not null,
  id               bigint not null,
  reference        text not null,
  type             text not null check (type in ('secret', 'public')),
  label            text,
  hint             text not null,
  hash             bytea not null,
  -- Null for everything.
  scopes           text[],
  allowed_ips      text[] not null default '{}',
  expires_at       timestamptz,
  last_used_at     timestamptz,
  browser_seen_at  timestamptz,
  replaced_by      bigint,
  revoked_at       timestamptz,
  event_sequence   bigint not null default 0,
  created_at       timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference)
);

-- The one look-up that must work before the business is known.
create table api_key_hashes (
  hash        bytea primary key,
  business_id bigint not null,
  live        boolean not null,
  key_id      bigint not null
);

create table idempotency_keys (
  business_id bigint not null,
  live        boolean not null,
  scope       text not null,
  key         text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  status      smallint,
  -- The bytes that were sent: jsonb would reorder keys, and a repeat must be equal byte for byte.
  body        bytea,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  primary key (business_id, live, scope, key)
);
-- Keys expire about in the order in which they came, so the smallest of indexes finds them.
create index idempotency_keys_expires on idempotency_keys using brin (expires_at);

-- Written in the transaction of its cause. Sequence counts per object, without gaps.
create table events (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  reference   text not null,
  type        text not null,
  object_type text not null,
  object_id   bigint not null,
  sequence    bigint not null check (sequence > 0),
  data        text not null,
  created_at  timestamptz not null,
  -- Lists go by time, and nothing looks an event up by its id alone: one index serves both.
  primary key (business_id, live, created_at, id),
  -- Ids are unique over all tables, so the type of the object adds nothing.
  unique (business_id, live, object_id, sequence)
);
create index events_type on events (business_id, live, type, created_at, id);
