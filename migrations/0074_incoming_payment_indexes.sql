-- Step by step, so that the server goes on writing.
alter table deposits validate constraint deposits_return_status;
alter table deposits validate constraint deposits_reference_known;
drop index concurrently if exists deposits_reference;
create unique index concurrently deposits_reference on deposits (business_id, live, reference);
