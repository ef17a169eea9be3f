-- Step by step, so that the server goes on writing. A database that is divided by business can only
-- check a unique key that contains business_id. These keys are random, so they do not meet.
drop index concurrently if exists blobs_storage_key;
create unique index concurrently blobs_storage_key on blobs (business_id, live, storage_key);
alter table blobs drop constraint if exists blobs_storage_key_key;
drop index concurrently if exists business_branding_logo_key;
create index concurrently business_branding_logo_key on business_branding (logo_key);
drop index concurrently if exists business_branding_logo;
