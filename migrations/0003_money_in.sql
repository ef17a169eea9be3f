-- Money that comes in: transactions, the accounts made for them, what arrives there, and the
-- simulator that plays the outside world in test mode.

create table transactions (
  business_id       bigint not null,
  live              boolean not null,
  id                bigint not null,
  reference         text not null,
  -- What it pays for: the table of purposes in src/app.ts knows how to settle each.
  purpose           text not null,
  purpose_id        bigint not null,
  status            text not null
    check (status in ('Pending', 'Successful', 'Failed', 'Abandoned',
                      'PartiallyRefunded', 'Refunded', 'Reversed')),
  channel           text not null
    check (channel in ('USSD', 'BANK_TRANSFER', 'CARD', 'WALLET', 'OFFLINE')),
  amount_minor      bigint not null check (amount_minor > 0),
  fee_minor         bigint not null check (fee_minor >= 0),
  fee_bearer        text not null check (fee_bearer in ('business', 'customer', 'subaccounts')),
  -- What the payer is asked for: the amount, with the fee on top where the customer bears it.
  payable_minor     bigint not null check (payable_minor > 0),
  -- What was received, fee and all.
  paid_minor        bigint check (paid_minor > 0),
  -- Of what was received, the part owed back to the payer: an overpayment.
  excess_minor      bigint not null default 0 check (excess_minor >= 0),
  refunded_minor    bigint not null default 0 check (refunded_minor >= 0),
  currency          char(3) not null,
  customer_email    text,
  customer_name     text,
  customer_phone    text,
  invoice_reference text,
  provider          text not null,
  bank_code         text,
  -- Codes to dial, as JSON text: [{bankCode, bankName, ussdCode}].
  ussd_codes        text,
  gateway_response  text,
  message           text,
  late              boolean not null default false,
  -- The payer chose another way; the account or code stays good until it expires.
  dismissed_at      timestamptz,
  paid_at           timestamptz,
  expires_at        timestamptz not null,
  -- When the provider is asked again what became of it.
  look_up_at        timestamptz,
  timeline          text not null default '[]',
  metadata          text,
  event_sequence    bigint not null default 0,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference)
);
create index transactions_created on transactions (business_id, live, created_at desc, id desc);
create index transactions_purpose on transactions (business_id, live, purpose, purpose_id, id desc);
-- One open attempt for each way of paying one thing.
create unique index transactions_open on transactions
  (business_id, live, purpose, purpose_id, channel) where status = 'Pending';
create index transactions_expiring on transactions (expires_at) where status = 'Pending';
create index transactions_look_up on transactions (look_up_at) where look_up_at is not null;

create table virtual_accounts (
  business_id    bigint not null,
  live           boolean not null,
  id             bigint not null,
  transaction_id bigint not null,
  status         text not null check (status in ('Open', 'Paid', 'Expired')),
  account_number text not null,
  account_name   text not null,
  bank_code      text not null,
  bank_name      text not null,
  amount_minor   bigint not null check (amount_minor > 0),
  currency       char(3) not null,
  event_sequence bigint not null default 0,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, transaction_id),
  foreign key (business_id, live, transaction_id)
    references transactions (business_id, live, id)
);
create index virtual_accounts_number on virtual_accounts (business_id, live, account_number);

-- What arrived on virtual accounts, kept or sent back: nothing disappears.
create table deposits (
  business_id        bigint not null,
  live               boolean not null,
  id                 bigint not null,
  provider_reference text not null,
  virtual_account_id bigint,
  account_number     text not null,
  amount_minor       bigint not null check (amount_minor > 0),
  currency           char(3) not null,
  status             text not null check (status in ('Accepted', 'Rejected')),
  reason             text,
  created_at         timestamptz not null,
  primary key (business_id, live, id),
  -- A notice that comes twice counts once.
  unique (business_id, live, provider_reference)
);

-- The simulator's own memory. It plays a party outside, so nothing of ours refers to it.
create table simulator_charges (
  business_id    bigint not null,
  live           boolean not null check (not live),
  reference      text not null,
  kind           text not null check (kind in ('USSD', 'BANK_TRANSFER')),
  amount_minor   bigint not null,
  currency       char(3) not null,
  status         text not null check (status in ('Pending', 'Successful', 'Failed')),
  message        text not null,
  -- Until then a look-up gets no answer: a provider that timed out.
  silent_until   timestamptz,
  account_number text,
  -- When it settles by itself, and how.
  due_at         timestamptz,
  due_status     text check (due_status in ('Successful', 'Failed')),
  due_message    text,
  -- Its notice is still to be sent.
  notify         boolean not null default false,
  created_at     timestamptz not null,
  primary key (business_id, live, reference),
  unique (business_id, live, account_number)
);
create index simulator_charges_due on simulator_charges (due_at) where due_at is not null;
create index simulator_charges_notify on simulator_charges (created_at) where notify;
