-- A payer asks the bank for the money back, and the provider asks the business about it. The checks
-- are not valid for the rows so far, so that nothing is read here; the next migration validates
-- them.
alter table transactions
  -- What disputes may still take or have taken, and what they have taken.
  add column disputed_minor bigint not null default 0,
  add column reversed_minor bigint not null default 0,
  add constraint transactions_disputes
    check (0 <= reversed_minor and reversed_minor <= disputed_minor) not valid;

alter table provider_orders
  drop constraint provider_orders_kind_check,
  add constraint provider_orders_kind_check
    check (kind in ('charge', 'transfer', 'settlement', 'refund', 'bill', 'deposit_return',
      'dispute_response')) not valid;

create table disputes (
  business_id    bigint not null,
  live           boolean not null,
  id             bigint not null,
  reference      text not null,
  transaction_id bigint not null,
  connection_id  bigint not null references provider_connections (id),
  -- The provider's number for it.
  provider_id    text not null,
  status         text not null check (status in ('Open', 'UnderReview', 'Won', 'Lost', 'Accepted')),
  amount_minor   bigint not null check (amount_minor > 0),
  -- The part of it that was overpaid, and what the wallet had of the rest. Both were put on hold.
  excess_minor   bigint not null default 0 check (excess_minor >= 0),
  held_minor     bigint not null default 0 check (held_minor >= 0),
  -- What the provider took; null until it has decided.
  lost_minor     bigint check (lost_minor >= 0),
  currency       char(3) not null,
  -- What the payer says.
  reason         text not null,
  -- When the provider expects the response; null if it has no deadline.
  due_at         timestamptz,
  -- When to remind people; null if they have been reminded, or if it is too late for that.
  remind_at      timestamptz,
  -- Null once the provider has decided.
  look_up_at     timestamptz,
  timeline       text not null,
  event_sequence bigint not null default 1,
  closed_at      timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  unique (business_id, live, connection_id, provider_id),
  foreign key (business_id, live, transaction_id) references transactions (business_id, live, id),
  check (excess_minor + held_minor <= amount_minor),
  check ((status in ('Won', 'Lost', 'Accepted')) = (closed_at is not null)),
  check ((closed_at is null) = (lost_minor is null))
);
create index disputes_listed on disputes (business_id, live, created_at, id);
create index disputes_of_transaction on disputes (business_id, live, transaction_id);
create index disputes_due on disputes (look_up_at) where look_up_at is not null;
create index disputes_reminders on disputes (remind_at) where remind_at is not null;

create table dispute_files (
  business_id  bigint not null,
  live         boolean not null,
  id           bigint not null,
  dispute_id   bigint not null,
  name         text not null,
  content_type text not null,
  bytes        bigint not null,
  sha256       bytea not null,
  created_at   timestamptz not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, dispute_id) references disputes (business_id, live, id),
  foreign key (business_id, live, sha256) references blobs (business_id, live, sha256)
);
create index dispute_files_of_dispute on dispute_files (business_id, live, dispute_id);
create index dispute_files_content on dispute_files (business_id, live, sha256);

create table dispute_responses (
  business_id  bigint not null,
  live         boolean not null,
  id           bigint not null,
  reference    text not null,
  dispute_id   bigint not null,
  action       text not null check (action in ('accept', 'contest')),
  -- Failed: the provider certainly did not take it, so there can be another one.
  status       text not null check (status in ('Sending', 'Sent', 'Failed')),
  -- How much is accepted or contested.
  amount_minor bigint not null check (amount_minor > 0),
  message      text not null,
  -- What the provider wants to know about the customer, as JSON.
  customer     text,
  file_id      bigint,
  -- What the provider said if it failed.
  result       text,
  -- The person; null for a key.
  created_by   bigint,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, dispute_id) references disputes (business_id, live, id),
  foreign key (business_id, live, file_id) references dispute_files (business_id, live, id)
);
create index dispute_responses_of_dispute on dispute_responses (business_id, live, dispute_id, id);
create unique index dispute_responses_sending on dispute_responses (business_id, live, dispute_id)
  where status = 'Sending';

-- When each connection last listed its disputes, because a notification can be lost.
create table dispute_lists (
  business_id   bigint not null,
  live          boolean not null,
  connection_id bigint not null references provider_connections (id),
  listed_at     timestamptz not null,
  primary key (business_id, live, connection_id)
);

-- The simulator's memory of disputes. Only src/providers/simulator writes it.
create table simulator_disputes (
  business_id      bigint not null,
  live             boolean not null check (not live),
  provider_id      text not null,
  charge_reference text not null,
  status           text not null
    check (status in ('AwaitingResponse', 'UnderReview', 'Won', 'Lost', 'Accepted')),
  amount_minor     bigint not null,
  currency         char(3) not null,
  reason           text not null,
  due_at           timestamptz not null,
  created_at       timestamptz not null,
  primary key (business_id, live, provider_id)
);
