-- What the protocol of provider orders has to remember about each order. The checks are not valid
-- for the rows so far, so that nothing is read here; the next migration validates them.
alter table provider_orders
  add column amount_minor     bigint,
  add column currency         char(3),
  -- When the payer can no longer pay; null for orders without a payer.
  add column expires_at       timestamptz,
  -- How often it is looked up.
  add column lookup_plan      text not null default 'payout',
  -- When it was last sent again, which the proof that it never arrived is counted from. Null if it
  -- was sent only once, at sent_at.
  add column last_sent_at     timestamptz,
  -- Since when the provider has said that it does not know the order.
  add column absent_since     timestamptz,
  -- The last sending was refused, but not in a way that proves that nothing happened: a lookup has
  -- to confirm it.
  add column is_refused       boolean not null default false,
  -- How often, and since when, the provider has not been able to take the order.
  add column not_now_count    integer not null default 0,
  add column not_now_since    timestamptz,
  add column last_code        text,
  add column last_message     text,
  -- What the provider kept.
  add column fee_minor        bigint,
  -- Why a person has to look at the order, and since when.
  add column attention        text,
  add column attention_at     timestamptz,
  -- 1: the record's own reference, or a caller's; 2: one that can be decoded.
  add column reference_format smallint not null default 1,
  add constraint provider_orders_lookup_plan
    check (lookup_plan in ('payer', 'account', 'payout')) not valid,
  add constraint provider_orders_fee check (fee_minor >= 0) not valid,
  add constraint provider_orders_attention
    check (attention in ('unknown', 'not_found', 'not_sent', 'bad_request', 'different', 'blocked',
      'contradiction')) not valid,
  add constraint provider_orders_connection
    foreign key (connection_id) references provider_connections (id) not valid,
  drop constraint provider_orders_kind_check,
  add constraint provider_orders_kind_check
    check (kind in ('charge', 'transfer', 'settlement', 'refund', 'bill', 'deposit_return'))
    not valid;

-- Without a default, an insert of the version before fails, because no notification would find the
-- order that it stores.
alter table provider_orders alter column reference_format drop default;

-- Payers wait, so their open orders are looked up every minute, as before.
update provider_orders o
set lookup_plan = 'payer', expires_at = t.expires_at, amount_minor = t.payable_minor,
  currency = t.currency
from transactions t
where o.kind = 'charge' and o.next_at is not null
  and (t.business_id, t.live, t.id) = (o.business_id, o.live, o.subject_id);

-- What a provider says that does not agree with our books. Only src/provider-orders writes it.
create table provider_differences (
  business_id         bigint not null,
  live                boolean not null,
  id                  bigint not null,
  reference           text not null,
  connection_id       bigint not null references provider_connections (id),
  kind                text not null check (kind in ('charge', 'payout', 'refund', 'bill', 'dispute',
    'settlement', 'fee', 'balance')),
  class               text not null check (class in ('missing_here', 'missing_there', 'different')),
  -- amount, currency, fee, status or account, if they are different.
  field               text not null default '',
  source              text not null check (source in ('look_up', 'notice', 'reconciliation')),
  -- The provider's number for what it reports, if it has one.
  provider_id         text,
  -- The order, if there is one.
  subject_kind        text,
  subject_id          bigint,
  attempt             integer,
  ours_minor          bigint,
  theirs_minor        bigint,
  currency            char(3),
  -- Both sides, as they were read.
  evidence            jsonb not null,
  status              text not null check (status in ('Open', 'Closed')),
  resolution          text check (resolution in ('arrived_late', 'booked', 'allocated', 'sent_back',
    'accepted', 'rounding', 'not_ours')),
  reason              text,
  closed_by           text,
  closed_with_journal bigint,
  first_seen_at       timestamptz not null,
  last_seen_at        timestamptz not null,
  closed_at           timestamptz,
  primary key (business_id, live, id),
  check ((status = 'Closed') = (resolution is not null))
);
create unique index provider_differences_theirs on provider_differences
  (business_id, live, connection_id, kind, provider_id, field) where provider_id is not null;
create unique index provider_differences_ours on provider_differences
  (business_id, live, subject_kind, subject_id, attempt, kind, field) where provider_id is null;
