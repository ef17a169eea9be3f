-- Charges are orders like all others. Open ones keep the time of their next look-up. Abandoned ones
-- can still be paid, so a notice has to find them too.
insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
  sent_reference, sent_at, next_at, ended_at, created_at)
select business_id, live, 'charge', id, reference, 1, reference, created_at,
  case when status = 'Pending' then look_up_at end,
  case when status = 'Abandoned' then updated_at end, created_at
from transactions
where status in ('Pending', 'Abandoned') and channel in ('USSD', 'BANK_TRANSFER')
  and provider <> 'none';

-- A server of the version before must not start a charge that nobody would look up: from here on
-- its statements fail, and it stores nothing.
alter table transactions drop column look_up_at;

-- The simulator has one table of orders as well. A refund could be ordered under the reference of
-- its payment, which has then ended and is not asked about again.
alter table simulator_orders
  drop constraint simulator_orders_kind_check,
  add constraint simulator_orders_kind_check
    check (kind in ('USSD', 'BANK_TRANSFER', 'PAYOUT', 'REFUND', 'VEND'));
insert into simulator_orders (business_id, live, reference, kind, account_number, amount_minor,
  currency, status, message, silent_until, due_at, due_status, due_message, notify, created_at)
select business_id, live, reference, kind, account_number, amount_minor, currency, status, message,
  silent_until, due_at, due_status, due_message, notify, created_at
from simulator_charges
on conflict do nothing;
drop table simulator_charges;
