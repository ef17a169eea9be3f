-- Buying airtime, data, electricity, television and exam pins for customers out of the wallet.
-- docs/decisions/0045-utility.md says why it is built like this.

-- What the provider said of a customer, for thirty minutes; asking again renews it.
create table utility_enquiries (
  business_id   bigint not null references businesses (id),
  live          boolean not null,
  package_slug  text not null,
  customer_id   text not null,
  reference     text not null,
  customer_name text not null,
  expires_at    timestamptz not null,
  created_at    timestamptz not null,
  primary key (business_id, live, package_slug, customer_id)
);
create index utility_enquiries_expiry on utility_enquiries (expires_at);

create table utility_payments (
  business_id       bigint not null references businesses (id),
  live              boolean not null,
  id                bigint not null,
  -- Ours: of this attempt, and what the provider knows it by.
  reference         text not null,
  -- The caller's own, else the same as reference.
  payment_reference text not null,
  -- SHA-256 of the validated body: whether a repeat asks for the same.
  fingerprint       bytea not null check (length(fingerprint) = 32),
  status            text not null check (status in ('Pending', 'Successful', 'Failed')),
  amount_minor      bigint not null check (amount_minor > 0),
  fee_minor         bigint not null check (fee_minor >= 0),
  currency          char(3) not null,
  customer_id       text not null,
  customer_name     text not null,
  -- The package as it was sold: the catalogue may change.
  package_slug      text not null,
  package_name      text not null,
  biller_slug       text not null,
  biller_name       text not null,
  category          text not null,
  channel           text,
  phone_number      text,
  email             text,
  account_number    text,
  provider          text not null,
  -- For people: what the provider said last.
  message           text,
  -- What was bought, where it is something to be typed in.
  token_value       text,
  token_units       text,
  pins              text[] not null default '{}',
  look_up_at        timestamptz,
  timeline          text not null default '[]',
  event_sequence    bigint not null default 0,
  completed_at      timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference)
);
-- One that failed bought nothing, so that its reference is free again.
create unique index utility_payments_reference on utility_payments
  (business_id, live, payment_reference) where status <> 'Failed';
create index utility_payments_attempts on utility_payments
  (business_id, live, payment_reference, id);
create index utility_payments_look_up on utility_payments (look_up_at)
  where look_up_at is not null;

-- The simulator sells, too.
alter table simulator_orders
  add column package_slug text,
  drop constraint simulator_orders_kind_check,
  add constraint simulator_orders_kind_check check (kind in ('PAYOUT', 'REFUND', 'VEND'));
