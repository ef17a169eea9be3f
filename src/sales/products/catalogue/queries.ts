import type { Db } from '../../../db/database.ts'
import { type Found, findPage } from '../../../db/paginate.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { Page } from '../../../lib/paging.ts'
import {
  PRODUCT_COLUMNS,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  type ProductRow,
  type ProductStatus,
  type ProductType,
} from '../core/service.ts'
import { marksOf } from './search.ts'

export function selectProductBySlug(db: Db, { businessId, live }: Tenant, slug: string) {
  return db.maybe<ProductRow>`
    select ${PRODUCT_COLUMNS} from products
    where business_id = ${businessId} and live = ${live} and slug = ${slug}
      and deleted_at is null`
}

/** Which of these slugs products have. */
export async function selectTaken(
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
  kind: string
  status: ProductStatus | undefined
  type: ProductType | undefined
  reference: string | undefined
  /** Part of the name or the SKU. */
  text: string | undefined
  descending: boolean
}

export function findProducts(
  db: Db,
  tenant: Tenant,
  filter: ProductFilter,
  page: Page,
): Promise<Found<ProductRow>> {
  const { kind, text, descending } = filter
  return findPage<ProductRow>(
    db,
    {
      table: sql`products`,
      shown: sql`deleted_at is null`,
      columns: PRODUCT_COLUMNS,
      tenant,
      parts: partsOf(filter),
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: text === undefined ? undefined : { kind, text, marks: marksOf(filter) },
    },
    page,
  )
}

/** One index has both columns, so what is not asked for is every value of it. */
function partsOf({ status, type, reference }: ProductFilter): Sql[] {
  const exact = reference === undefined ? [] : [sql`reference = ${reference}`]
  if (status === undefined && type === undefined) return exact
  const statuses = status === undefined ? PRODUCT_STATUSES : [status]
  const types = type === undefined ? PRODUCT_TYPES : [type]
  return statuses.flatMap((one) =>
    types.map((other) =>
      exact.reduce(
        (all, part) => sql`${all} and ${part}`,
        sql`status = ${one} and type = ${other}`,
      ),
    ),
  )
}
