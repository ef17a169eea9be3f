-- What files need beyond 0012; docs/decisions/0031-files.md says why.

-- When to look whether anything refers to it still: whoever lets go of a blob sets it.
alter table blobs add column release_at timestamptz;
create index blobs_released on blobs (release_at) where release_at is not null;
-- Nothing walks through all of them in the order of their age any more.
drop index blobs_created;

alter table product_media add column reference text not null;
alter table product_media add unique (business_id, live, reference);

-- What was revoked is for nobody, so its content goes.
alter table digital_files alter column sha256 drop not null;
alter table digital_files add check (sha256 is not null or status = 'Revoked');

-- Downloads whose connection broke were given back to the buyer; only so often, since whoever breaks
-- it off himself has most of the file by then.
alter table download_grants
  add column given_back integer not null default 0 check (given_back between 0 and 10);
-- What a refund revokes.
create index download_grants_cause on download_grants (business_id, live, cause_id);
