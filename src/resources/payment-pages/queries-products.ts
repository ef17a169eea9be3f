import type { Db, Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

/** A product of a page, as the page shows it. */
export interface PartRow {
  page_id: number
  product_id: number
  reference: string
  name: string
  slug: string
  price_minor: Minor
  currency: string
  type: string
  status: string
}

/** By page, each in its order; without products that were deleted. */
export function selectParts(db: Db, { businessId, live }: Tenant, pageIds: readonly number[]) {
  return db.many<PartRow>`
    select page_id, product_id, reference, name, slug, price_minor, currency, type, status
    from payment_page_products pp join products p
      on (p.business_id, p.live, p.id) = (pp.business_id, pp.live, product_id)
    where pp.business_id = ${businessId} and pp.live = ${live}
      and page_id = any(${pageIds}::bigint[]) and deleted_at is null
    order by page_id, position, product_id`
}

/** Behind those that the page has, in their order. */
export function insertParts(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  productIds: readonly number[],
) {
  return tx.run`
    insert into payment_page_products (business_id, live, page_id, product_id, position)
    select ${businessId}::bigint, ${live}::boolean, ${pageId}::bigint, product_id, nth + (
      select coalesce(max(position), 0) from payment_page_products
      where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
    )
    from unnest(${productIds}::bigint[]) with ordinality as new (product_id, nth)`
}

export function deleteParts(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  productIds: readonly number[],
) {
  return tx.run`
    delete from payment_page_products
    where business_id = ${businessId} and live = ${live} and page_id = ${pageId}
      and product_id = any(${productIds}::bigint[])`
}
