-- Which order an account belongs to. So far, only the simulator has opened accounts.
alter table virtual_accounts
  add column connection_id bigint not null default 1,
  add column attempt       integer not null default 1,
  -- The provider's bank may not be in our list.
  alter column bank_code drop not null;
alter table virtual_accounts
  alter column connection_id drop default,
  alter column attempt drop default;
