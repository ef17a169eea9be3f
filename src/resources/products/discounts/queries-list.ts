import { plainArray } from '../../../db/arrays.ts'
import type { Db } from '../../../db/database.ts'
import { type Found, findPage } from '../../../db/lists.ts'
import { all, sql } from '../../../db/sql.ts'
import type { Page } from '../../../lib/paging.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import type { DiscountRow } from './queries.ts'

export interface DiscountFilter {
  /** In upper case. */
  code: string | undefined
  productId: number | undefined
  descending: boolean
}

/** As `DiscountRow` has them. */
const LISTED = sql`business_id, live, id, reference, code, type, value_minor, currency,
  product_ids::float8[] as product_ids, min_spend_minor, max_discount_minor, starts_at, ends_at,
  max_uses, max_uses_per_customer, used_count, reserved_count, status, event_sequence, created_at,
  updated_at`

export function findDiscounts(
  db: Db,
  tenant: Tenant,
  { code, productId, descending }: DiscountFilter,
  page: Page,
): Promise<Found<DiscountRow>> {
  const filters = [
    code === undefined ? undefined : sql`code = ${code}`,
    productId === undefined ? undefined : sql`product_ids @> ${plainArray([productId])}::bigint[]`,
  ]
  return findPage<DiscountRow>(
    db,
    {
      table: sql`discounts`,
      columns: LISTED,
      tenant,
      parts: filters.some((filter) => filter !== undefined) ? [all(filters)] : [],
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: undefined,
    },
    page,
  )
}
