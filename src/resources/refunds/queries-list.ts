import type { Db } from '../../db/database.ts'
import { type Found, findPage } from '../../db/lists.ts'
import { all, sql } from '../../db/sql.ts'
import type { Page, Range } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, ofPayment, type RefundRow } from './queries.ts'
import type { RefundState } from './states.ts'

export interface RefundFilter {
  status: RefundState | undefined
  transactionId: number | undefined
  range: Range
  descending: boolean
}

/** One page and one row more, newest (or oldest) first, and how many match. */
export async function findRefunds(
  db: Db,
  tenant: Tenant,
  { status, transactionId, range: { from, until }, descending }: RefundFilter,
  page: Page,
): Promise<Found<RefundRow>> {
  const filters = [
    status && sql`status = ${status}`,
    transactionId === undefined ? undefined : sql`transaction_id = ${transactionId}`,
    from && sql`created_at >= ${from}`,
    until && sql`created_at < ${until}`,
  ].filter((filter) => filter !== undefined)
  const found = await findPage<{ id: number }>(
    db,
    {
      table: sql`refunds`,
      columns: sql`id, created_at`,
      tenant,
      parts: filters.length > 0 ? [all(filters)] : [],
      order: descending ? sql`created_at desc, id desc` : sql`created_at, id`,
      search: undefined,
    },
    page,
  )
  const ids = found.rows.map(({ id }) => id)
  const rows = await selectRefunds(db, tenant, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { rows: ids.map((id) => byId.get(id)!), total: found.total }
}

/** With what their payments are called. */
function selectRefunds(db: Db, { businessId, live }: Tenant, ids: number[]) {
  if (ids.length === 0) return []
  return db.many<RefundRow>`
    select ${COLUMNS} from refunds r join transactions t on ${ofPayment}
    where r.business_id = ${businessId} and r.live = ${live} and r.id = any(${ids}::bigint[])`
}
