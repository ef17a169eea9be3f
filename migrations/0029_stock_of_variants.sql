-- Stock is counted for a product or not at all: where it is counted for one variant, it is counted
-- for all. What buyers have already reserved of a variant stays theirs, and no more of it is sold.
update stock_items s
set tracked = true, on_hand = greatest(s.on_hand, s.reserved)
from product_variants v
where v.business_id = s.business_id and v.live = s.live and v.id = s.id and v.deleted_at is null
  and not s.tracked
  and exists (
    select from stock_items o
      join product_variants w on w.business_id = o.business_id and w.live = o.live and w.id = o.id
    where o.business_id = s.business_id and o.live = s.live and o.product_id = s.product_id
      and o.tracked and w.deleted_at is null
  );
