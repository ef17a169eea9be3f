import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { all, sql } from '../../db/sql.ts'
import type { Page, Range } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type SettlementRow } from './queries.ts'
import type { SettlementState } from './states.ts'

export interface SettlementFilter {
  status: SettlementState | undefined
  subaccountId: number | undefined
  range: Range
  descending: boolean
}

/** One page and one row more, by the time of creation, and how many match. */
export function findSettlements(
  db: Db,
  tenant: Tenant,
  { status, subaccountId, range: { from, until }, descending }: SettlementFilter,
  page: Page,
): Promise<Found<SettlementRow>> {
  const filters = [
    status && sql`status = ${status}`,
    subaccountId === undefined ? undefined : sql`subaccount_id = ${subaccountId}`,
    from && sql`created_at >= ${from}`,
    until && sql`created_at < ${until}`,
  ].filter((filter) => filter !== undefined)
  return findPage<SettlementRow>(
    db,
    {
      table: sql`settlements`,
      columns: COLUMNS,
      tenant,
      parts: filters.length > 0 ? [all(filters)] : [],
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: undefined,
    },
    page,
  )
}
