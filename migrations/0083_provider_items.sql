-- What each provider sells for billers. Only src/providers writes this table.

create table provider_items (
  provider     text not null,
  environment  text not null,
  biller_code  text not null,
  item_code    text not null,
  biller_name  text not null,
  name         text not null,
  category     text not null,
  -- The price; null if the customer chooses the amount.
  amount_minor bigint check (amount_minor > 0),
  -- What the provider takes in addition; null if it does not say.
  fee_minor    bigint check (fee_minor >= 0),
  -- Our package; null if the item matches none of ours.
  package_slug text,
  is_active    boolean not null,
  seen_at      timestamptz not null,
  primary key (provider, environment, biller_code, item_code)
);
