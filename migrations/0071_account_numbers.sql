-- The numbers of accounts that money is paid out to are encrypted. `account_hash` finds them, and
-- people see the last four digits. The plain columns have another name, so that a server of the
-- version before fails instead of paying to nothing. A job encrypts their values and empties them.
-- The checks are validated by the next migration.
alter table transfers rename column account_number to account_number_plain;
alter table transfers
  add column account_encrypted bytea,
  add column account_hash      bytea,
  add column account_last4     text,
  alter column account_number_plain drop not null,
  add constraint transfers_account_number check (
    (account_number_plain is null) <> (account_encrypted is null)
    and (account_encrypted is null) = (account_hash is null)
    and (account_encrypted is null) = (account_last4 is null)) not valid;

alter table settlements rename column account_number to account_number_plain;
alter table settlements
  add column account_encrypted bytea,
  add column account_hash      bytea,
  add column account_last4     text,
  alter column account_number_plain drop not null,
  add constraint settlements_account_number check (
    (account_number_plain is null) <> (account_encrypted is null)
    and (account_encrypted is null) = (account_hash is null)
    and (account_encrypted is null) = (account_last4 is null)) not valid;

alter table subaccounts rename column account_number to account_number_plain;
alter table subaccounts
  add column account_encrypted bytea,
  add column account_hash      bytea,
  add column account_last4     text,
  alter column account_number_plain drop not null,
  add constraint subaccounts_account_number check (
    (account_number_plain is null) <> (account_encrypted is null)
    and (account_encrypted is null) = (account_hash is null)
    and (account_encrypted is null) = (account_last4 is null)) not valid;

-- The settlement account's.
alter table business_settings rename column settlement_account_number to account_number_plain;
alter table business_settings
  add column account_encrypted bytea,
  add column account_hash      bytea,
  add column account_last4     text,
  add constraint business_settings_account_number check (
    (account_number_plain is null or account_encrypted is null)
    and (account_encrypted is null) = (account_hash is null)
    and (account_encrypted is null) = (account_last4 is null)) not valid;

-- The simulated bank did not need them.
update simulator_orders set account_number = null where kind = 'PAYOUT';
