import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type PageRow, read, type Stored } from './queries.ts'

/** A page as a payer meets it, deleted ones too: `deleted_at` says so. */
export interface PayingPage extends PageRow {
  /** In their order; without those that were deleted. Archived and Draft ones are among them. */
  product_ids: number[]
  payments: number
  /** With `payments`, what `max_payments` limits. */
  open_checkouts: number
}

type StoredPaying = Stored & { products: string[]; payments: number; open_checkouts: number }

const select = (wanted: Sql) => sql`
  select ${COLUMNS}, counts.payments, counts.open_checkouts, array(
    select pp.product_id::text
    from payment_page_products pp join products p
      on (p.business_id, p.live, p.id) = (pp.business_id, pp.live, pp.product_id)
    where pp.business_id = page.business_id and pp.live = page.live and pp.page_id = page.id
      and p.deleted_at is null
    order by pp.position, pp.product_id
  ) as products
  from payment_pages page join (
    select business_id, live, page_id as id, payments, open_checkouts from payment_page_counts
  ) counts using (business_id, live, id)
  where ${wanted}`

function paying(row: StoredPaying | undefined): PayingPage | undefined {
  if (!row) return undefined
  const { products, ...page } = row
  return { ...read(page), product_ids: products.map(Number) }
}

export async function selectPaying(db: Db, { businessId, live }: Tenant, id: number) {
  const own = sql`business_id = ${businessId} and live = ${live} and id = ${id}`
  return paying(await db.maybe<StoredPaying>`${select(own)}`)
}

/** The link names the tenant. */
export async function selectPayingByLink(db: Db, link: string) {
  const linked = sql`(business_id, live, id) = (
    select business_id, live, page_id from page_links where link = ${link})`
  return paying(await db.maybe<StoredPaying>`${select(linked)}`)
}
