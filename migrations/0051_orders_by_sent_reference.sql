-- Step by step, so that the server goes on writing. A notification names an order of one business.
-- Without the business in this index, PostgreSQL combined it with the key, and read every order of
-- the business as long as the table had not been analysed.
drop index concurrently if exists provider_orders_by_sent;
create index concurrently provider_orders_by_sent on provider_orders
  (business_id, live, sent_reference);
drop index concurrently if exists provider_orders_sent;
