-- What keeps money from going to a payout account: a pause after the account was changed, and a
-- holder whose name is not the one that was given.

alter table subaccounts
  -- It had another account before, so that a changed one can be told from the first.
  add column had_account boolean not null default false,
  -- In live mode, 24 hours after its account was changed.
  add column payouts_paused_until timestamptz,
  -- Whether money may go to the account. `unasked`: from before names were compared; `announced`:
  -- will be blocked at payouts_blocked_from; `settled`: the names agree, or somebody confirmed the
  -- account; `waiting`: the bank has not answered yet; `blocked`: somebody has to look at it.
  add column holder_state text not null default 'unasked'
    check (holder_state in ('unasked', 'announced', 'settled', 'waiting', 'blocked')),
  -- Whose account it is, as the bank said; account_name is what the merchant calls it.
  add column holder_name text,
  -- When the bank is asked next.
  add column holder_due_at timestamptz,
  -- When the bank first did not answer.
  add column holder_waiting_since timestamptz,
  add column payouts_blocked_from timestamptz,
  add column payouts_blocked text
    check (payouts_blocked in ('name_mismatch', 'account_unverified'));

update subaccounts set had_account = bank_code is not null,
  holder_state = case when verified then 'settled' else 'unasked' end,
  holder_due_at = case when bank_code is not null and not verified then created_at end;

create index subaccounts_holder on subaccounts (holder_due_at) where holder_due_at is not null;

alter table business_settings
  add column settlement_had_account boolean not null default false,
  add column payouts_paused_until timestamptz;
update business_settings set settlement_had_account = settlement_account_number is not null;
