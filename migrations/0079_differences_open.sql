-- Step by step, so that the server goes on writing.
drop index concurrently if exists provider_differences_open;
create index concurrently provider_differences_open on provider_differences
  (business_id, live, connection_id, day) where status = 'Open';
