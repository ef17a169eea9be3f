-- Step by step, so that the server goes on writing. The index of the references that providers send
-- back is unique from now on. It leaves out the orders so far, because callers could choose the
-- references of some.
alter table provider_orders validate constraint provider_orders_lookup_plan;
alter table provider_orders validate constraint provider_orders_fee;
alter table provider_orders validate constraint provider_orders_attention;
alter table provider_orders validate constraint provider_orders_connection;
alter table provider_orders validate constraint provider_orders_kind_check;
drop index concurrently if exists provider_orders_sent;
create unique index concurrently provider_orders_sent on provider_orders
  (business_id, live, sent_reference) where reference_format = 2;
drop index concurrently if exists provider_orders_provider_id;
create index concurrently provider_orders_provider_id on provider_orders
  (business_id, live, connection_id, provider_id) where provider_id is not null;
drop index concurrently if exists provider_orders_unresolved;
create index concurrently provider_orders_unresolved on provider_orders
  (business_id, live, attention_at) where attention is not null;
drop index concurrently if exists provider_orders_by_sent;
