-- Step by step, so that the server goes on writing. These rows are few, and `tradepost stuck list`
-- looks for them in all businesses.
drop index concurrently if exists mails_failed;
create index concurrently mails_failed on mails (business_id, live, id) where status = 'Failed';
drop index concurrently if exists provider_notices_failed;
create index concurrently provider_notices_failed on provider_notices (business_id, live, id)
  where status = 'Failed';
