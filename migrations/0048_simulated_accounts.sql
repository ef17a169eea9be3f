-- Step by step, so that the server goes on writing. An index whose build was interrupted is left
-- behind invalid: it is dropped first.
drop index concurrently if exists simulator_orders_account;
create unique index concurrently simulator_orders_account on simulator_orders
  (business_id, live, account_number) where kind = 'BANK_TRANSFER';
