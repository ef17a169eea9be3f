import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { Page, Range } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type OrderRow } from './queries.ts'
import type { OrderState } from './states.ts'

export interface OrderFilter {
  kind: string
  /** Part of reference, or of the customer's name or e-mail. */
  text: string | undefined
  id: number | undefined
  status: OrderState | undefined
  range: Range
  descending: boolean
}

export function findOrders(
  db: Db,
  tenant: Tenant,
  filter: OrderFilter,
  page: Page,
): Promise<Found<OrderRow>> {
  const { kind, text, descending } = filter
  return findPage<OrderRow>(
    db,
    {
      table: sql`orders`,
      columns: COLUMNS,
      tenant,
      parts: partsOf(filter),
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: text === undefined ? undefined : { kind, text, commonStart: 'ord_' },
    },
    page,
  )
}

function partsOf({ id, status, range: { from, until } }: OrderFilter): Sql[] {
  const wanted = [
    id === undefined ? undefined : sql`id = ${id}`,
    status && sql`status = ${status}`,
    from && sql`created_at >= ${from}`,
    until && sql`created_at < ${until}`,
  ]
  return wanted.every((part) => part === undefined) ? [] : [all(wanted)]
}
