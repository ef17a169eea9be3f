import type { Db } from '../../../db/database.ts'
import { type Found, findPage } from '../../../db/lists.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Page } from '../../../lib/paging.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import {
  COLUMNS,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  type ProductRow,
  type ProductStatus,
  type ProductType,
} from './queries.ts'
import { marksOf } from './search.ts'

export interface ProductFilter {
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
      columns: COLUMNS,
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
