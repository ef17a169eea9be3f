import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Page } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type SplitPageRow, type SplitType } from './queries.ts'

export interface SplitPageFilter {
  kind: string
  /** Part of name, slug or reference. */
  text: string | undefined
  active: boolean | undefined
  splitType: SplitType | undefined
  category: boolean | undefined
  descending: boolean
}

export function findSplitPages(
  db: Db,
  tenant: Tenant,
  filter: SplitPageFilter,
  page: Page,
): Promise<Found<SplitPageRow>> {
  const { kind, text, descending } = filter
  return findPage<SplitPageRow>(
    db,
    {
      table: sql`split_pages`,
      columns: COLUMNS,
      tenant,
      parts: partsOf(filter),
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: text === undefined ? undefined : { kind, text, commonStart: 'spl_' },
    },
    page,
  )
}

/** The index begins with all three: one that is not asked for is each of its values. */
function partsOf({ active, splitType, category }: SplitPageFilter): Sql[] {
  if (active === undefined && splitType === undefined && category === undefined) return []
  const parts: Sql[] = []
  for (const one of active === undefined ? [true, false] : [active]) {
    for (const type of splitType === undefined ? ['percentage', 'fixed'] : [splitType]) {
      for (const group of category === undefined ? [true, false] : [category]) {
        parts.push(sql`active = ${one} and split_type = ${type} and category = ${group}`)
      }
    }
  }
  return parts
}
