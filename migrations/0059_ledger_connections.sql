-- Money at a provider is booked for each connection: so far, all of it is with the simulator, which
-- has the number 1. The ids of accounts stay the same, so the seals do too.
--
-- A server of the version before goes on with the accounts whose ids it knows. It fails instead of
-- creating an account that belongs to no connection, and stores nothing.
alter table ledger_accounts drop constraint ledger_accounts_subject;
update ledger_accounts set subject_id = 1 where kind = 'provider_clearing';
alter table ledger_accounts
  drop constraint ledger_accounts_kind_check,
  drop constraint ledger_accounts_balance,
  add constraint ledger_accounts_kind_check check (kind in ('wallet_available', 'wallet_pending',
    'held', 'fees', 'subaccount', 'refunds', 'unallocated', 'provider_clearing', 'provider_fees',
    'bank', 'receivable')) not valid,
  -- The id of the subaccount or connection; 0 for kinds that exist once.
  add constraint ledger_accounts_subject check (
    (kind in ('subaccount', 'provider_clearing', 'provider_fees', 'bank')) = (subject_id <> 0))
    not valid,
  -- What the business has outside, and what it has cost, can be on either side.
  add constraint ledger_accounts_balance check (kind in ('provider_clearing', 'provider_fees',
    'bank', 'receivable') or credits_minor >= debits_minor) not valid;
