-- Step by step, so that the server goes on writing. The lists of virtual accounts and deposits.

update deposits d set transaction_id = v.transaction_id from virtual_accounts v
where d.transaction_id is null
  and (v.business_id, v.live, v.id) = (d.business_id, d.live, d.virtual_account_id);

drop index concurrently if exists virtual_accounts_listed;
create index concurrently virtual_accounts_listed on virtual_accounts
  (business_id, live, status, created_at desc, id desc);
drop index concurrently if exists deposits_listed;
create index concurrently deposits_listed on deposits
  (business_id, live, status, created_at desc, id desc);
drop index concurrently if exists deposits_by_transaction;
create index concurrently deposits_by_transaction on deposits (business_id, live, transaction_id);
drop index concurrently if exists deposits_by_account;
create index concurrently deposits_by_account on deposits (business_id, live, account_number);
