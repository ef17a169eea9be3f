import { plainArray } from '../../db/arrays.ts'
import type { Db } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

/** A product that somebody wants to buy, with the variant that was named, if it is its own. */
export interface WantedRow {
  product_id: number
  name: string
  price_minor: Minor
  currency: string
  type: 'physical' | 'digital' | 'service'
  status: 'Draft' | 'Active' | 'Archived'
  has_variants: boolean
  has_delivery_fees: boolean
  variant_id: number | null
  /** Null follows the product. */
  variant_price_minor: Minor | null
  variant_active: boolean | null
  /** In the order of the options. */
  values: string[]
}

interface Asked {
  productId: number
  variantId: number | null
}

/** One row for each that is asked for and exists, in the order of asking by `place`, from 1. */
export function selectWanted(db: Db, { businessId, live }: Tenant, asked: readonly Asked[]) {
  return db.many<WantedRow & { place: number }>`
    select w.place, p.id as product_id, p.name, p.price_minor, p.currency, p.type, p.status,
      exists (
        select from product_variants o
        where o.business_id = ${businessId} and o.live = ${live} and o.product_id = p.id
          and o.deleted_at is null
      ) as has_variants,
      p.type = 'physical' and exists (
        select from delivery_fees d
        where d.business_id = ${businessId} and d.live = ${live} and d.product_id = p.id
      ) as has_delivery_fees,
      v.id as variant_id, v.price_minor as variant_price_minor, v.active as variant_active,
      array(
        select o.value
        from unnest(v.value_ids) with ordinality u (id, place)
          join product_option_values o on o.business_id = ${businessId} and o.live = ${live}
            and o.id = u.id
        order by u.place
      ) as values
    from unnest(${plainArray(asked.map(({ productId }) => productId))}::bigint[],
      ${plainArray(asked.map(({ variantId }) => variantId))}::bigint[])
      with ordinality w (product_id, variant_id, place)
    join products p on p.business_id = ${businessId} and p.live = ${live} and p.id = w.product_id
      and p.deleted_at is null
    left join product_variants v on v.business_id = ${businessId} and v.live = ${live}
      and v.id = w.variant_id and v.product_id = p.id and v.deleted_at is null
    order by w.place`
}
