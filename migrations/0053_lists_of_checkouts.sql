-- Step by step, so that servers of the version before go on writing meanwhile. An index whose build was
-- interrupted is left behind invalid: each is dropped first.
drop index concurrently if exists checkouts_created;
create index concurrently checkouts_created on checkouts
  (business_id, live, created_at desc, id desc);
drop index concurrently if exists checkouts_listed;
create index concurrently checkouts_listed on checkouts
  (business_id, live, status, created_at desc, id desc);
-- By how the email address begins, in whatever language the database sorts.
drop index concurrently if exists checkouts_email;
create index concurrently checkouts_email on checkouts
  (business_id, live, lower(customer_email) text_pattern_ops);
