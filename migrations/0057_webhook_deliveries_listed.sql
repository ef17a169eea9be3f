-- Step by step, so that servers of the version before go on writing meanwhile. An index whose build was
-- interrupted is left behind invalid: it is dropped first.
-- Ids do not follow the order of events if several processes record them.
drop index concurrently if exists webhook_deliveries_listed;
create index concurrently webhook_deliveries_listed on webhook_deliveries
  (business_id, live, webhook_id, event_at, event_id);
