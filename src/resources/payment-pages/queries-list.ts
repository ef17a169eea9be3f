import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { Page, Range } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type PageRow, read, type Stored } from './queries.ts'

export interface PageFilter {
  kind: string
  status: PageRow['status'] | undefined
  /** Part of the title or description. */
  text: string | undefined
  range: Range
  descending: boolean
}

export async function findPages(
  db: Db,
  tenant: Tenant,
  filter: PageFilter,
  page: Page,
): Promise<Found<PageRow>> {
  const { kind, text, descending } = filter
  const { rows, total } = await findPage<Stored>(
    db,
    {
      table: sql`payment_pages`,
      shown: sql`deleted_at is null`,
      columns: COLUMNS,
      tenant,
      parts: partsOf(filter),
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: text === undefined ? undefined : { kind, text },
    },
    page,
  )
  return { rows: rows.map(read), total }
}

/** There is an index in the order of the list for all of them, and one for each status. */
function partsOf({ status, range: { from, until } }: PageFilter): Sql[] {
  const parts = [
    status && sql`status = ${status}`,
    from && sql`created_at >= ${from}`,
    until && sql`created_at < ${until}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? [] : [all(parts)]
}
