-- Money that is shared, given back and paid out: subaccounts, split pages, frozen shares, refunds,
-- transfers and settlements. docs/decisions/0024-sharing-out-and-giving-back.md and
-- docs/decisions/0025-money-out.md say why it is built like this.

-- Keys of the server itself, the same for every process on this database.
create table server_secrets (
  name  text primary key,
  value bytea not null check (length(value) = 32)
);
-- Two random UUIDs are the randomness that PostgreSQL has without an extension: 244 bits.
insert into server_secrets (name, value)
select 'cursor',
  decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');

create table subaccounts (
  business_id           bigint not null references businesses (id),
  live                  boolean not null,
  id                    bigint not null,
  -- The contract's subaccount_code.
  reference             text not null,
  status                text not null check (status in ('Active', 'Inactive')),
  business_name         text not null,
  -- Without a bank nothing is resolved or settled.
  bank_code             text,
  bank_name             text,
  account_number        text not null,
  account_name          text,
  -- The bank said whose account it is.
  verified              boolean not null default false,
  -- percentage_charge: 1250 is 12.5 %.
  charge_basis_points   integer not null check (charge_basis_points between 0 and 10000),
  currency              char(3) not null,
  -- When its settlement is next looked at; null until its first share.
  settle_at             timestamptz,
  event_sequence        bigint not null default 0,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference)
);
create unique index subaccounts_account on subaccounts
  (business_id, live, bank_code, account_number) where bank_code is not null;
create index subaccounts_created on subaccounts (business_id, live, created_at desc, id desc);
create index subaccounts_name on subaccounts (business_id, live, lower(business_name), id);
create index subaccounts_charge on subaccounts (business_id, live, charge_basis_points, id);
create index subaccounts_due on subaccounts (settle_at) where settle_at is not null;

-- Public links, which must be unique on the whole server: /pay/{link}.
create table page_links (
  link        text primary key,
  business_id bigint not null,
  live        boolean not null,
  page_id     bigint not null
);

create table split_pages (
  business_id    bigint not null references businesses (id),
  live           boolean not null,
  id             bigint not null,
  reference      text not null,
  name           text not null,
  slug           text not null,
  active         boolean not null,
  split_type     text not null check (split_type in ('percentage', 'fixed')),
  category       boolean not null,
  currency       char(3) not null,
  -- Null follows the business.
  fee_bearer     text check (fee_bearer in ('business', 'customer', 'subaccounts')),
  -- The sum of its shares, kept in the statement that changes one: the guard against more than all.
  total_share    bigint not null default 0 check (total_share >= 0),
  event_sequence bigint not null default 0,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  constraint split_pages_total check (split_type <> 'percentage' or total_share <= 100)
);
create index split_pages_created on split_pages (business_id, live, created_at desc, id desc);

create table split_page_shares (
  business_id   bigint not null,
  live          boolean not null,
  split_page_id bigint not null,
  subaccount_id bigint not null,
  -- Percent, or naira (major units of the page's currency) where the page is fixed.
  share         bigint not null check (share >= 1),
  created_at    timestamptz not null,
  primary key (business_id, live, split_page_id, subaccount_id),
  foreign key (business_id, live, split_page_id) references split_pages (business_id, live, id),
  foreign key (business_id, live, subaccount_id) references subaccounts (business_id, live, id)
);

alter table transactions
  add column split_page_id   bigint,
  add column page_id         bigint,
  add column order_id        bigint,
  add column customer_id     bigint,
  add column subaccount_id   bigint,
  add column ip_address      text,
  add column location        text,
  -- Of what was paid, what refunds took that have not failed; refunded_minor is what arrived.
  add column refunding_minor bigint not null default 0,
  add constraint transactions_refunds check (
    0 <= refunded_minor and refunded_minor <= refunding_minor
    and refunding_minor <= coalesce(paid_minor, 0));
-- One index serves a filter on status, on channel, and on both: a part for each pair, merged.
create index transactions_listed on transactions
  (business_id, live, status, channel, created_at desc, id desc);

-- What each subaccount gets of a payment, frozen when the payment was begun.
create table transaction_shares (
  business_id    bigint not null,
  live           boolean not null,
  transaction_id bigint not null,
  subaccount_id  bigint not null,
  -- As agreed then: percent or naira.
  share          bigint not null check (share >= 0),
  amount_minor   bigint not null check (amount_minor >= 0),
  -- The part of the payment's fee that it bears.
  fee_minor      bigint not null default 0 check (fee_minor >= 0),
  -- What refunds took of it that have not failed.
  refunded_minor bigint not null default 0 check (refunded_minor >= 0),
  primary key (business_id, live, transaction_id, subaccount_id),
  foreign key (business_id, live, transaction_id) references transactions (business_id, live, id),
  foreign key (business_id, live, subaccount_id) references subaccounts (business_id, live, id),
  constraint transaction_shares_refunds check (refunded_minor <= amount_minor - fee_minor)
);

-- What a subaccount's balance is made of, one row for each movement but settlements themselves. The
-- rows that no settlement has taken yet add up to its balance.
create table subaccount_entries (
  business_id    bigint not null,
  live           boolean not null,
  id             bigint not null,
  subaccount_id  bigint not null,
  -- A share (less its fee), a part of a refund, or that part given back when the refund failed.
  kind           text not null check (kind in ('share', 'refund', 'refund_failed')),
  transaction_id bigint not null,
  refund_id      bigint,
  amount_minor   bigint not null check (amount_minor <> 0),
  currency       char(3) not null,
  settlement_id  bigint,
  created_at     timestamptz not null,
  primary key (business_id, live, id),
  check ((kind = 'share') = (refund_id is null)),
  check ((kind = 'refund') = (amount_minor < 0)),
  foreign key (business_id, live, subaccount_id) references subaccounts (business_id, live, id)
);
create index subaccount_entries_open on subaccount_entries
  (business_id, live, subaccount_id, created_at) where settlement_id is null;
create index subaccount_entries_settled on subaccount_entries
  (business_id, live, settlement_id, id) where settlement_id is not null;

create table refunds (
  business_id    bigint not null,
  live           boolean not null,
  id             bigint not null,
  reference      text not null,
  transaction_id bigint not null,
  status         text not null
    check (status in ('Pending', 'Processing', 'Processed', 'Failed', 'NeedsAttention')),
  amount_minor   bigint not null check (amount_minor > 0),
  -- The part of it that was an overpayment, which was owed back anyway.
  excess_minor   bigint not null default 0 check (excess_minor between 0 and amount_minor),
  currency       char(3) not null,
  reason         text,
  -- For people: what the provider said last.
  message        text,
  provider       text not null,
  -- When the provider was first told; null until then.
  sent_at        timestamptz,
  look_up_at     timestamptz,
  timeline       text not null default '[]',
  event_sequence bigint not null default 0,
  processed_at   timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  foreign key (business_id, live, transaction_id) references transactions (business_id, live, id)
);
create index refunds_created on refunds (business_id, live, created_at desc, id desc);
create index refunds_listed on refunds (business_id, live, status, created_at desc, id desc);
create index refunds_transaction on refunds (business_id, live, transaction_id, id);
create index refunds_look_up on refunds (look_up_at) where look_up_at is not null;

create table refund_shares (
  business_id   bigint not null,
  live          boolean not null,
  refund_id     bigint not null,
  subaccount_id bigint not null,
  amount_minor  bigint not null check (amount_minor > 0),
  primary key (business_id, live, refund_id, subaccount_id),
  foreign key (business_id, live, refund_id) references refunds (business_id, live, id)
);

create table transfers (
  business_id        bigint not null references businesses (id),
  live               boolean not null,
  id                 bigint not null,
  reference          text not null,
  -- The caller's own, else the same as reference.
  transfer_reference text not null,
  status             text not null
    check (status in ('Unverified', 'Pending', 'Successful', 'Failed', 'Blocked', 'Rejected')),
  amount_minor       bigint not null check (amount_minor > 0),
  fee_minor          bigint not null check (fee_minor >= 0),
  currency           char(3) not null,
  bank_code          text not null,
  bank_name          text not null,
  account_number     text not null,
  -- Whose account it is: as the bank said, else as the caller did.
  account_name       text,
  narration          text,
  metadata           text,
  -- Why it waits, was blocked, failed or came back.
  failure_reason     text,
  provider           text not null,
  -- Each retry is an order of its own for the provider: its reference ends in this number.
  attempt            integer not null default 1,
  -- When the provider was first told of this attempt; null until then.
  sent_at            timestamptz,
  look_up_at         timestamptz,
  timeline           text not null default '[]',
  event_sequence     bigint not null default 0,
  completed_at       timestamptz,
  reversed_at        timestamptz,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  constraint transfers_reference unique (business_id, live, transfer_reference),
  check ((reversed_at is null) or status = 'Failed')
);
create index transfers_created on transfers (business_id, live, created_at desc, id desc);
create index transfers_listed on transfers (business_id, live, status, created_at desc, id desc);
create index transfers_look_up on transfers (look_up_at) where look_up_at is not null;

create table settlements (
  business_id    bigint not null,
  live           boolean not null,
  id             bigint not null,
  reference      text not null,
  subaccount_id  bigint not null,
  status         text not null check (status in ('Pending', 'Paid', 'Failed')),
  amount_minor   bigint not null check (amount_minor > 0),
  currency       char(3) not null,
  -- How many entries it pays.
  entry_count    integer not null check (entry_count > 0),
  bank_code      text not null,
  bank_name      text not null,
  account_number text not null,
  account_name   text,
  failure_reason text,
  provider       text not null,
  sent_at        timestamptz,
  look_up_at     timestamptz,
  timeline       text not null default '[]',
  event_sequence bigint not null default 0,
  paid_at        timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  foreign key (business_id, live, subaccount_id) references subaccounts (business_id, live, id)
);
create index settlements_created on settlements (business_id, live, created_at desc, id desc);
create index settlements_listed on settlements (business_id, live, status, created_at desc, id desc);
create index settlements_subaccount on settlements
  (business_id, live, subaccount_id, created_at desc, id desc);
create index settlements_look_up on settlements (look_up_at) where look_up_at is not null;

-- The wallet's ledger, newest first, from either side.
create index ledger_transfers_debit on ledger_transfers
  (business_id, live, debit_account_id, created_at desc, id desc);
create index ledger_transfers_credit on ledger_transfers
  (business_id, live, credit_account_id, created_at desc, id desc);

-- What the simulator was told to pay out or give back: its own memory, as of simulator_charges.
create table simulator_orders (
  business_id    bigint not null,
  live           boolean not null check (not live),
  reference      text not null,
  kind           text not null check (kind in ('PAYOUT', 'REFUND')),
  account_number text,
  amount_minor   bigint not null,
  currency       char(3) not null,
  status         text not null check (status in (
    'Pending', 'Successful', 'Failed', 'Blocked', 'Rejected', 'Returned', 'NeedsAttention')),
  message        text not null,
  -- Until then a look-up gets no answer: a provider that timed out.
  silent_until   timestamptz,
  -- When it goes on by itself, and to what; what follows that, for a payout that is returned.
  due_at         timestamptz,
  due_status     text,
  due_message    text,
  next_status    text,
  next_message   text,
  notify         boolean not null default false,
  created_at     timestamptz not null,
  primary key (business_id, live, reference)
);
create index simulator_orders_due on simulator_orders (due_at) where due_at is not null;
create index simulator_orders_notify on simulator_orders (created_at) where notify;
