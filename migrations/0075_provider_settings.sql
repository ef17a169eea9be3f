-- What a business has set for all its connections to providers. Only src/providers writes it.
create table provider_settings (
  business_id         bigint not null references businesses (id),
  live                boolean not null,
  -- Since when transfers and settlements wait and bills are refused, by whose decision and why.
  -- Null if payouts go out.
  payouts_stopped_at  timestamptz,
  payouts_stopped_by  text,
  payouts_stop_reason text,
  updated_at          timestamptz not null,
  primary key (business_id, live),
  constraint provider_settings_stop check (
    num_nulls(payouts_stopped_at, payouts_stopped_by, payouts_stop_reason) in (0, 3))
);
