-- Step by step, so that servers of the version before go on writing to these large tables meanwhile.
-- An index whose build was interrupted is left behind invalid: each is dropped first.

drop index concurrently if exists invoices_number;
create unique index concurrently invoices_number on invoices (business_id, live, number)
  where number is not null;

-- Not of what is Queued, so that creating invoices does not pay for it.
drop index concurrently if exists mails_settled;
create index concurrently mails_settled on mails
  (business_id, live, coalesce(settled_at, created_at) desc, id desc)
  where status <> 'Queued';

drop index concurrently if exists checkouts_of_network;
create index concurrently checkouts_of_network
  on checkouts (business_id, live, page_id, payer_network)
  where status = 'Open' and payer_network is not null;

alter table transfers validate constraint transfers_doubt_check;
alter table transfers validate constraint transfers_created_with_check;
alter table transfers validate constraint transfers_approved_with_check;
alter table checkouts validate constraint checkouts_cancelled_by_check;
alter table stock_reservations validate constraint stock_reservations_held_check;

-- Why transfers from before await approval.
update transfers set doubt = case
    when failure_reason = 'The amount is above the limit that needs approval' then 'limit'
    else 'name' end
  where status = 'Unverified' and doubt is null;
