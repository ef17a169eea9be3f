-- Step by step, so that the server goes on writing. The simulator has nearly all orders, and its
-- orders are found without an index.
drop index concurrently if exists provider_orders_paid;
create index concurrently provider_orders_paid on provider_orders
  (business_id, live, connection_id, ended_at) where state = 'Successful' and connection_id <> 1;
drop index concurrently if exists provider_differences_listed;
create index concurrently provider_differences_listed on provider_differences
  (business_id, live, first_seen_at desc, id desc);
drop index concurrently if exists provider_differences_reference;
create unique index concurrently provider_differences_reference on provider_differences
  (business_id, live, reference);
drop index concurrently if exists provider_orders_unknown;
create index concurrently provider_orders_unknown on provider_orders (business_id, live)
  where last_outcome = 'unknown' and ended_at is null;
