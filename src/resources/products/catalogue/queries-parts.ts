import { plainArray } from '../../../db/arrays.ts'
import type { Db } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/tenant.ts'

/** What there is of a product, its variants added up, and what else it has at all. */
export interface Overview {
  id: number
  tracked: boolean
  on_hand: number
  reserved: number
  sold: number
  low_stock_threshold: number | null
  has_options: boolean
  has_media: boolean
  has_files: boolean
  has_fees: boolean
}

/**
 * Of products that exist, in no order. What a product has not is not asked for afterwards, and most
 * have no options, files or fees.
 */
export function selectOverviews(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
) {
  return db.many<Overview>`
    select p.id, s.*,
      exists (select from product_options o where o.business_id = ${businessId}
        and o.live = ${live} and o.product_id = p.id) as has_options,
      exists (select from product_media m where m.business_id = ${businessId}
        and m.live = ${live} and m.product_id = p.id) as has_media,
      exists (select from digital_files f where f.business_id = ${businessId}
        and f.live = ${live} and f.product_id = p.id) as has_files,
      exists (select from delivery_fees d where d.business_id = ${businessId}
        and d.live = ${live} and d.product_id = p.id) as has_fees
    from unnest(${plainArray(productIds)}::bigint[]) as p (id)
      cross join lateral (
        select bool_or(tracked) as tracked, sum(on_hand)::bigint as on_hand,
          sum(reserved)::bigint as reserved, sum(sold)::bigint as sold,
          max(low_stock_threshold) filter (where id = p.id) as low_stock_threshold
        from stock_items
        where business_id = ${businessId} and live = ${live} and product_id = p.id
      ) s`
}
