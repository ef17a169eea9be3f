-- Who cancelled a checkout: what the payer cancelled, the payer can start again.
alter table checkouts add column cancelled_by text check (cancelled_by in ('payer', 'business'));

-- Where the payer of a payment page came from, as a keyed hash of the network: no address is
-- stored. It limits how many open checkouts of one page hold stock for one network.
alter table checkouts add column payer_network text;
create index checkouts_of_network on checkouts (business_id, live, page_id, payer_network)
  where status = 'Open' and payer_network is not null;

-- How much of the quantity is held while it is Reserved; null is all of it. An anonymous payer holds
-- a part of a large order, and the rest is taken from stock when it is paid.
alter table stock_reservations add column held bigint check (held between 0 and quantity);
