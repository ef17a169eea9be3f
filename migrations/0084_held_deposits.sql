-- Step by step, so that the server goes on writing. The list of deposits that a provider holds, and
-- the simulator's memory of payments that it keeps.

alter table simulator_payments add column if not exists is_kept boolean not null default false;
drop index concurrently if exists deposits_by_return;
create index concurrently deposits_by_return on deposits
  (business_id, live, return_status, created_at desc, id desc) where return_status is not null;
