import type { Db } from '../../../db/database.ts'
import { paginate } from '../../../db/paginate.ts'
import { sql } from '../../../db/sql.ts'
import type { SearchQuery } from '../../../db/text-search.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { Page } from '../../../lib/paging.ts'
import {
  LIST_COLUMNS,
  type ListedRow,
  overviewsOfPage,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  type ProductStatus,
  type ProductType,
} from '../record/service.ts'

/** Returns the slugs that are taken. */
export async function selectTakenSlugs(
  db: Db,
  { businessId, live }: Tenant,
  slugs: readonly string[],
): Promise<Set<string>> {
  const rows = await db.many<{ slug: string }>`
    select slug from products
    where business_id = ${businessId} and live = ${live} and slug = any(${slugs}::text[])
      and deleted_at is null`
  return new Set(rows.map(({ slug }) => slug))
}

interface ProductFilter {
  status: ProductStatus | undefined
  type: ProductType | undefined
  reference: string | undefined
  search: SearchQuery | undefined
  isDescending: boolean
}

export const findProducts = (
  db: Db,
  tenant: Tenant,
  { status, type, reference, ...filter }: ProductFilter,
  page: Page,
) =>
  paginate<ListedRow>(
    db,
    {
      ...filter,
      table: sql`products`,
      shown: sql`deleted_at is null`,
      columns: LIST_COLUMNS,
      joined: overviewsOfPage(tenant),
      tenant,
      filters: [reference === undefined ? undefined : sql`reference = ${reference}`],
      indexed: [
        [sql`status`, status, PRODUCT_STATUSES],
        [sql`type`, type, PRODUCT_TYPES],
      ],
    },
    page,
  )
