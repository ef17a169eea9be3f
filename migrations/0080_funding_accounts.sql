-- The permanent accounts into which businesses pay to fund their wallets, and what was paid in.
create table funding_accounts (
  business_id    bigint not null references businesses (id),
  live           boolean not null,
  id             bigint not null,
  -- Also the provider's, so that a repeated request opens no second account.
  reference      text not null,
  connection_id  bigint not null,
  currency       char(3) not null,
  -- Opening: the provider has been asked, or is about to be.
  status         text not null check (status in ('Opening', 'Open')),
  account_number text,
  account_name   text,
  bank_code      text,
  bank_name      text,
  -- The provider's own identifier.
  provider_id    text,
  -- When the provider is asked for payments again, and when it was last asked.
  look_up_at     timestamptz,
  looked_up_at   timestamptz,
  created_at     timestamptz not null,
  primary key (business_id, live, id),
  constraint funding_accounts_one unique (business_id, live, currency),
  constraint funding_accounts_open check ((status = 'Open')
    = (num_nulls(account_number, account_name, bank_name, look_up_at) = 0))
);
create unique index funding_accounts_number on funding_accounts
  (business_id, live, connection_id, account_number);
create index funding_accounts_due on funding_accounts (look_up_at);

create table funding_payments (
  business_id        bigint not null,
  live               boolean not null,
  id                 bigint not null,
  reference          text not null,
  funding_account_id bigint not null,
  connection_id      bigint not null,
  provider_reference text not null,
  amount_minor       bigint not null check (amount_minor > 0),
  currency           char(3) not null,
  provider_fee_minor bigint check (provider_fee_minor >= 0),
  -- As far as the bank reports it.
  sender             jsonb,
  received_at        timestamptz not null,
  created_at         timestamptz not null,
  primary key (business_id, live, id),
  constraint funding_payments_once
    unique (business_id, live, connection_id, provider_reference),
  constraint funding_payments_reference unique (business_id, live, reference)
);
