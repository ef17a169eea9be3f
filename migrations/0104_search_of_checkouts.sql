-- Step by step
-- A search counts and sorts what it finds without reading its rows. PostgreSQL only does so if the
-- index also contains the column that the expression is of. A change of the status already changes
-- other indexes, so having the status here costs no heap-only update.
drop index concurrently if exists checkouts_found;
create index concurrently checkouts_found on checkouts
  (business_id, live, lower(customer_email) text_pattern_ops)
  include (customer_email, created_at, id, status);
drop index concurrently if exists checkouts_email;
