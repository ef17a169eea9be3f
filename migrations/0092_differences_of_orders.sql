-- Step by step. Each report about an order looks for differences about it.
drop index concurrently if exists provider_differences_subject;
create index concurrently provider_differences_subject on provider_differences
  (business_id, live, subject_kind, subject_id, attempt) where subject_id is not null;
