-- Step by step
-- An item that has left the catalogue: a deleted variant, or a product that has variants. Checkouts
-- can still list it, but no more of it is sold than they have reserved.
alter table stock_items add column if not exists retired boolean not null default false;

update stock_items s
set retired = true
from product_variants v
where v.business_id = s.business_id and v.live = s.live and v.deleted_at is not null
  and v.id = s.id and not s.retired;

update stock_items s
set retired = true
where s.id = s.product_id and not s.retired
  and exists (
    select from product_variants v
    where v.business_id = s.business_id and v.live = s.live and v.product_id = s.product_id
      and v.deleted_at is null
  );
