-- Who cancelled a checkout: what the payer cancelled, the payer can start again.
-- 0044 validates this check and the one below, and has the index.
alter table checkouts
  add column cancelled_by text,
  add constraint checkouts_cancelled_by_check
    check (cancelled_by in ('payer', 'business')) not valid;

-- Where the payer of a payment page came from, as a keyed hash of the network: no address is
-- stored. It limits how many open checkouts of one page reserve something for one network.
alter table checkouts
  add column payer_network text,
  -- Whether it reserved stock, a place of the page and a use of a code when the payer began it; null
  -- for one that no payer of a page began.
  add column payer_reserves boolean;

-- How much of the quantity is held while it is Reserved; null is all of it. An anonymous payer holds
-- a part of a large order, and the rest is taken from stock when it is paid.
alter table stock_reservations
  add column held bigint,
  add constraint stock_reservations_held_check check (held between 0 and quantity) not valid;
