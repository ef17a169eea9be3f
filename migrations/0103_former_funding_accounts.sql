-- The removed connections at which a business had its funding account before.
alter table funding_accounts add column former_connection_ids bigint[] not null default '{}';
