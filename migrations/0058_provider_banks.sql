-- The banks as each provider lists them. Only src/providers writes this table.

create table provider_banks (
  provider         text not null,
  environment      text not null,
  code             text not null,
  -- The provider's own number for the bank.
  provider_bank_id text,
  name             text not null,
  nip_code         text,
  -- Our code; null if the bank matches none of ours.
  bank_code        text,
  is_active        boolean not null,
  seen_at          timestamptz not null,
  primary key (provider, environment, code)
);
