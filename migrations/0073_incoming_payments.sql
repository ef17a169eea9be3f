-- Which order a deposit was paid for, and what becomes of one that was not accepted and that the
-- provider holds. The checks are not valid for the rows so far, so that nothing is read here; the
-- next migration validates them.
alter table deposits
  -- Our own; so far, it was the provider's.
  add column reference      text,
  -- So far, only the simulator has reported deposits, for first orders.
  add column attempt        integer not null default 1,
  add column event_sequence bigint not null default 0,
  drop constraint deposits_return_status,
  add constraint deposits_return_status
    check (return_status in ('ReturnedByProvider', 'Held', 'Returning', 'Returned')
      and (status = 'Rejected') = (return_status is not null)) not valid;
alter table deposits alter column attempt drop default;
update deposits set reference = provider_reference;
alter table deposits
  add constraint deposits_reference_known check (reference is not null) not valid;

-- The simulator's own memory of what was paid into its accounts.
create table simulator_payments (
  business_id  bigint not null,
  live         boolean not null check (not live),
  id           bigint not null,
  -- Of the simulated order.
  reference    text not null,
  provider_id  text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency     char(3) not null,
  received_at  timestamptz not null,
  primary key (business_id, live, id)
);
create index simulator_payments_order on simulator_payments (business_id, live, reference, id);
