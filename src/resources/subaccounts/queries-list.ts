import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Page } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type SubaccountRow } from './queries.ts'

/** Each has an index. */
const ORDERS = {
  createdAt: [sql`created_at, id`, sql`created_at desc, id desc`],
  business_name: [sql`lower(business_name), id`, sql`lower(business_name) desc, id desc`],
  percentage_charge: [sql`charge_basis_points, id`, sql`charge_basis_points desc, id desc`],
  id: [sql`id`, sql`id desc`],
} as const satisfies Record<string, readonly [Sql, Sql]>

export interface SubaccountFilter {
  kind: string
  /** Part of name, number or code. */
  text: string | undefined
  sortKey: keyof typeof ORDERS
  descending: boolean
}

export function findSubaccounts(
  db: Db,
  tenant: Tenant,
  { kind, text, sortKey, descending }: SubaccountFilter,
  page: Page,
): Promise<Found<SubaccountRow>> {
  const [ascending, downwards] = ORDERS[sortKey]
  return findPage<SubaccountRow>(
    db,
    {
      table: sql`subaccounts`,
      columns: COLUMNS,
      tenant,
      parts: [],
      order: descending ? downwards : ascending,
      search: text === undefined ? undefined : { kind, text, commonStart: 'acct_' },
    },
    page,
  )
}
