-- What the operator has paused: a business, a payment channel, or all writes of the server.
create table pauses (
  id          bigint primary key,
  -- Null for all businesses.
  business_id bigint references businesses (id),
  -- Null for both modes.
  live        boolean,
  -- writes: all changes; only for the whole server.
  what        text not null check (what in ('business', 'BANK_TRANSFER', 'USSD', 'CARD', 'writes')),
  reason      text not null,
  paused_by   text not null,
  paused_at   timestamptz not null,
  unique nulls not distinct (business_id, live, what),
  check (what <> 'writes' or business_id is null and live is null)
);
