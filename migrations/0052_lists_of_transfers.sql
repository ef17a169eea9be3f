-- Step by step, so that servers of the version before go on writing meanwhile. An index whose build was
-- interrupted is left behind invalid: each is dropped first.
drop index concurrently if exists transfers_by_bank;
create index concurrently transfers_by_bank on transfers
  (business_id, live, bank_code, status, created_at desc, id desc);
drop index concurrently if exists transfers_by_account;
create index concurrently transfers_by_account on transfers
  (business_id, live, account_number, created_at desc, id desc);
