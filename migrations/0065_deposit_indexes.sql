-- Step by step, so that the server goes on writing. Providers number their payments by themselves,
-- so two of them can use the same number.
alter table deposits validate constraint deposits_provider_fee;
alter table deposits validate constraint deposits_return_status;
drop index concurrently if exists deposits_by_provider;
create unique index concurrently deposits_by_provider on deposits
  (business_id, live, connection_id, provider_reference);
alter table deposits drop constraint if exists deposits_business_id_live_provider_reference_key;
