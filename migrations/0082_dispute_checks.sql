-- Step by step, so that the server goes on writing.
alter table transactions validate constraint transactions_disputes;
alter table provider_orders validate constraint provider_orders_kind_check;
