-- What is ordered from providers, one row an order: how to send it, when to ask about it, and what
-- the provider said last. Only src/provider-orders writes it.
create table provider_orders (
  business_id      bigint not null,
  live             boolean not null,
  kind             text not null
    check (kind in ('charge', 'transfer', 'settlement', 'refund', 'bill')),
  -- The transaction, transfer, settlement, refund or utility payment.
  subject_id       bigint not null,
  -- 1, and one more each time that a blocked transfer is sent again.
  attempt          integer not null default 1,
  -- Of the record, as the API shows it.
  reference        text not null,
  -- Which account at which provider has it: 1 is the simulator.
  connection_id    bigint not null,
  -- What the provider knows it by. We make it, so that no two orders share one.
  sent_reference   text not null,
  -- The provider's own names for it, for support.
  provider_id      text,
  provider_session text,
  -- How often a job claimed it, to send it or to look it up.
  tries            integer not null default 0,
  last_outcome     text check (last_outcome in ('done', 'refused', 'notNow', 'unknown')),
  -- Where it is, by what the provider said last.
  state            text,
  -- When it may first have been sent; null before.
  sent_at          timestamptz,
  -- When it is sent or looked up next; null if nobody has to.
  next_at          timestamptz,
  ended_at         timestamptz,
  created_at       timestamptz not null,
  primary key (business_id, live, kind, subject_id, attempt),
  check (ended_at is null or next_at is null)
);
-- What is due comes from one index, a kind at a time.
create index provider_orders_due on provider_orders (kind, next_at) where next_at is not null;
-- A provider's notice names an order, and not always a business.
create index provider_orders_sent on provider_orders (sent_reference);

-- Every earlier attempt is an order too: the bank may still say something about it.
insert into provider_orders (business_id, live, kind, subject_id, attempt, reference,
  connection_id, sent_reference, state, sent_at, next_at, ended_at, created_at)
select business_id, live, 'transfer', id, n, reference, 1,
  case when n = 1 then reference else reference || '-' || n end,
  case when n = attempt and status = 'Blocked' then 'Blocked' end,
  case when n = attempt then sent_at else created_at end,
  case when n = attempt then look_up_at end,
  case when n < attempt or status in ('Successful', 'Failed', 'Rejected')
    then coalesce(completed_at, updated_at) end,
  created_at
from transfers, generate_series(1, attempt) as n;

insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
  sent_reference, sent_at, next_at, ended_at, created_at)
select business_id, live, 'settlement', id, reference, 1, reference, sent_at, look_up_at,
  case when status <> 'Pending' then updated_at end, created_at
from settlements;

insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
  sent_reference, state, sent_at, next_at, ended_at, created_at)
select business_id, live, 'refund', id, reference, 1, reference,
  case when status = 'NeedsAttention' then status end, sent_at, look_up_at,
  case when status in ('Processed', 'Failed') then updated_at end, created_at
from refunds;

insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
  sent_reference, sent_at, next_at, ended_at, created_at)
select business_id, live, 'bill', id, reference, 1, reference, created_at, look_up_at,
  completed_at, created_at
from utility_payments;

-- A server of the version before must not add an order that no server would ever send: from here
-- on its statements fail, and it stores nothing.
alter table transfers drop column sent_at, drop column look_up_at;
alter table settlements drop column sent_at, drop column look_up_at;
alter table refunds drop column sent_at, drop column look_up_at;
alter table utility_payments drop column look_up_at;
