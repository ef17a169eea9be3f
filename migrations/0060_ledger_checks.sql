-- Step by step, so that servers go on writing to the accounts meanwhile.
alter table ledger_accounts validate constraint ledger_accounts_kind_check;
alter table ledger_accounts validate constraint ledger_accounts_subject;
alter table ledger_accounts validate constraint ledger_accounts_balance;

-- Finds what wallets owe. Only the kind is a condition: an index over the balances would make every
-- movement of every account write to it.
drop index concurrently if exists ledger_accounts_owed;
create index concurrently ledger_accounts_owed on ledger_accounts (business_id, live, currency)
  where kind in ('provider_fees', 'receivable');
