-- Step by step, so that the server goes on writing.
alter table transfers validate constraint transfers_account_number;
alter table settlements validate constraint settlements_account_number;
alter table subaccounts validate constraint subaccounts_account_number;
alter table business_settings validate constraint business_settings_account_number;

drop index concurrently if exists transfers_by_account;
create index concurrently transfers_by_account on transfers
  (business_id, live, account_hash, created_at desc, id desc);
-- The old index of plain numbers stays until all of them are encrypted.
drop index concurrently if exists subaccounts_account_hash;
create unique index concurrently subaccounts_account_hash on subaccounts
  (business_id, live, bank_code, account_hash) where bank_code is not null;
drop index concurrently if exists subaccounts_by_account;
create index concurrently subaccounts_by_account on subaccounts (business_id, live, account_hash);

-- For the job that encrypts them. They are empty afterwards.
drop index concurrently if exists transfers_plain;
create index concurrently transfers_plain on transfers (business_id, live, account_number_plain)
  where account_number_plain is not null;
drop index concurrently if exists settlements_plain;
create index concurrently settlements_plain on settlements (business_id, live, id)
  where account_number_plain is not null;
