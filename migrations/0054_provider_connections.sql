-- Our accounts with providers, their credentials, and which of them serves what. Only src/providers
-- writes these tables.

create table provider_connections (
  id              bigint primary key,
  provider        text not null check (provider in ('simulator', 'paystack', 'flutterwave')),
  business_id     bigint references businesses (id),
  live            boolean not null,
  environment     text not null check (environment in ('simulated', 'sandbox', 'production')),
  status          text not null check (status in ('Draft', 'Active', 'Paused', 'Removed')),
  name            text not null,
  base_url        text not null,
  settings        jsonb not null default '{}',
  -- Part of the URL to which the provider sends notices. It finds the credentials that a signature
  -- is checked with, and proves nothing.
  notice_token    text not null unique,
  status_reason   text,
  probe           jsonb,
  probed_at       timestamptz,
  first_notice_at timestamptz,
  last_notice_at  timestamptz,
  created_by      text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint provider_connections_owner check ((provider = 'simulator') = (business_id is null)),
  -- Simulated money never pays a live invoice, and a real account never serves test mode.
  constraint provider_connections_mode check ((environment = 'production') = live),
  constraint provider_connections_simulated
    check ((environment = 'simulated') = (provider = 'simulator'))
);
create index provider_connections_business on provider_connections (business_id, live)
  where business_id is not null and status <> 'Removed';

-- The simulator, which has all the orders so far.
insert into provider_connections (id, provider, live, environment, status, name, base_url,
  notice_token, created_by, created_at, updated_at)
select 1, 'simulator', false, 'simulated', 'Active', 'Simulator', '',
  replace(gen_random_uuid()::text, '-', ''), 'Tradepost', at, at
from (select coalesce(min(applied_at), '2026-11-01') as at from schema_migrations) as first;

create table provider_credentials (
  connection_id  bigint not null references provider_connections (id),
  name           text not null,
  version        integer not null,
  encrypted      bytea not null,
  -- The first 12 hex digits of a keyed hash, so that people can compare values.
  fingerprint    text not null,
  last4          text not null,
  created_at     timestamptz not null,
  -- Set once it has been replaced: until then, signatures made with it are still accepted.
  accepted_until timestamptz,
  primary key (connection_id, name, version)
);
create unique index provider_credentials_current on provider_credentials (connection_id, name)
  where accepted_until is null;

create table provider_routes (
  business_id   bigint not null,
  live          boolean not null,
  id            bigint not null,
  service       text not null check (service in
    ('BANK_TRANSFER', 'USSD', 'CARD', 'ACCOUNTS', 'PAYOUTS', 'UTILITY', 'FUNDING')),
  currency      char(3) not null,
  connection_id bigint not null references provider_connections (id),
  priority      integer not null check (priority between 1 and 100),
  weight        integer not null default 1 check (weight between 1 and 1000),
  least_minor   bigint not null default 0 check (least_minor >= 0),
  most_minor    bigint check (most_minor >= least_minor),
  -- Codes of banks; empty for every bank.
  banks         text[] not null default '{}',
  is_active     boolean not null default true,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (business_id, live, id)
);
