-- Where a deposit came in, which payment it was for, and what becomes of one that was not accepted.
-- So far, providers have sent these back by themselves. The checks are not valid for the rows so
-- far, so that nothing is read here; the next migration validates them.
alter table deposits
  -- So far, only the simulator has reported deposits.
  add column connection_id      bigint not null default 1,
  add column transaction_id     bigint,
  -- What the provider keeps; null until it says.
  add column provider_fee_minor bigint,
  -- Null if the deposit was accepted.
  add column return_status      text,
  -- As far as the bank reports it.
  add column sender             jsonb,
  alter column account_number drop not null;
alter table deposits alter column connection_id drop default;
alter table deposits
  add constraint deposits_provider_fee check (provider_fee_minor >= 0) not valid,
  add constraint deposits_return_status
    check (return_status in ('ReturnedByProvider', 'Held')
      and (status = 'Rejected') = (return_status is not null)) not valid;
update deposits set return_status = 'ReturnedByProvider' where status = 'Rejected';
