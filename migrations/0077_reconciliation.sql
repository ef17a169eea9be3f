-- Reconciliation: the provider's own records, and whether they agree with ours. Only
-- src/reconciliation writes these tables, except for provider_balances, which src/providers writes.

-- What a provider has said that it holds.
create table provider_balances (
  business_id     bigint not null,
  live            boolean not null,
  connection_id   bigint not null references provider_connections (id),
  currency        char(3) not null,
  at              timestamptz not null,
  available_minor bigint not null,
  -- Null if the provider does not say.
  pending_minor   bigint,
  primary key (business_id, live, connection_id, currency, at)
);

-- A line of a provider's own records, as it was last read, and what it matches.
create table provider_entries (
  business_id   bigint not null,
  live          boolean not null,
  connection_id bigint not null references provider_connections (id),
  kind          text not null check (kind in ('charge', 'payout', 'refund', 'bill', 'dispute',
    'settlement', 'reversal', 'fee', 'other')),
  provider_id   text not null,
  reference     text,
  status        text not null check (status in ('Pending', 'Successful', 'Failed', 'Reversed')),
  amount_minor  bigint not null check (amount_minor >= 0),
  fee_minor     bigint,
  currency      char(3) not null,
  at            timestamptz not null,
  -- The provider's number of the settlement that contains it.
  settlement_id text,
  -- Our order.
  order_kind    text,
  subject_id    bigint,
  attempt       integer,
  -- pending: the provider has not finished it. waiting: we have not.
  class         text not null check (class in
    ('matched', 'missing_here', 'different', 'pending', 'waiting')),
  seen_at       timestamptz not null,
  primary key (business_id, live, connection_id, kind, provider_id)
);
create index provider_entries_day on provider_entries (business_id, live, connection_id, at);
create index provider_entries_order on provider_entries
  (business_id, live, order_kind, subject_id, attempt) where subject_id is not null;

-- What a provider has paid out to the business's own bank account.
create table provider_settlements (
  business_id   bigint not null,
  live          boolean not null,
  id            bigint not null,
  connection_id bigint not null references provider_connections (id),
  provider_id   text not null,
  status        text not null check (status in ('Pending', 'Successful', 'Failed', 'Reversed')),
  amount_minor  bigint not null check (amount_minor >= 0),
  currency      char(3) not null,
  at            timestamptz not null,
  -- How many payments it contains; null until they have been read.
  payments      integer,
  journal_id    bigint,
  primary key (business_id, live, id),
  unique (business_id, live, connection_id, provider_id)
);

-- A day (of Lagos, as in the providers' own lists) of a connection.
create table reconciliation_days (
  business_id   bigint not null,
  live          boolean not null,
  connection_id bigint not null references provider_connections (id),
  day           date not null,
  -- Closed: everything agrees, or a person has decided.
  status        text not null check (status in ('Open', 'Closed')),
  -- When the provider was last asked; null if not yet.
  run_at        timestamptz,
  -- When it is next; null if only on demand.
  next_at       timestamptz,
  -- Until when a process is reading the day.
  lease_until   timestamptz,
  -- Why the last run could not be finished.
  problem       text,
  matched       integer not null default 0,
  -- Entries that the provider or we have not finished.
  waiting       integer not null default 0,
  differences   integer not null default 0,
  primary key (business_id, live, connection_id, day)
);
create index reconciliation_days_due on reconciliation_days (next_at) where next_at is not null;

-- What a provider held when a day was last run, beside our ledger.
create table reconciliation_balances (
  business_id       bigint not null,
  live              boolean not null,
  connection_id     bigint not null references provider_connections (id),
  day               date not null,
  currency          char(3) not null,
  at                timestamptz not null,
  -- At the provider, and in the ledger.
  theirs_minor      bigint not null,
  ledger_minor      bigint not null,
  -- What is known to be different: differences, and what one side has not finished.
  explained_minor   bigint not null,
  unexplained_minor bigint not null,
  primary key (business_id, live, connection_id, day, currency)
);

-- What people have decided about orders with an unknown outcome. Only src/provider-orders writes it.
create table provider_order_decisions (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  kind        text not null,
  subject_id  bigint not null,
  attempt     integer not null,
  decision    text not null check (decision in ('paid', 'not_paid', 'send_again')),
  reason      text not null,
  -- What the provider wrote, if no lookup said that the order was not paid.
  statement   text,
  -- The provider's number, for an order that was paid.
  provider_id text,
  -- Proposed: a second person has to agree.
  status      text not null check (status in ('Proposed', 'Done')),
  decided_by_id bigint not null,
  decided_by  text not null,
  decided_at  timestamptz not null,
  agreed_by   text,
  agreed_at   timestamptz,
  primary key (business_id, live, id)
);
create index provider_order_decisions_order on provider_order_decisions
  (business_id, live, kind, subject_id, attempt);

alter table provider_orders
  -- When people were last asked to look at the order by email.
  add column attention_mailed_at timestamptz;

alter table provider_differences
  drop constraint provider_differences_kind_check,
  add constraint provider_differences_kind_check check (kind in ('charge', 'payout', 'refund',
    'bill', 'dispute', 'settlement', 'reversal', 'fee', 'balance', 'other')),
  -- What one person has decided, and a second one has to agree to.
  -- The day of the provider's records in which it was found, if it was found there.
  add column day                 date,
  add column proposed_resolution text,
  add column proposed_reason     text,
  add column proposed_by         text,
  add column proposed_by_id      bigint,
  add column proposed_at         timestamptz;
