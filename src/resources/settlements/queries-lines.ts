import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import { type Page, windowOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'

/** One movement that a settlement pays. */
export interface LineRow {
  id: number
  kind: 'share' | 'refund' | 'refund_failed'
  transaction_id: number
  transaction_reference: string
  refund_reference: string | null
  /** Below 0 for a refund. */
  amount_minor: Minor
  currency: string
  created_at: Date
}

/** One page and one line more, oldest first. */
export function selectLines(db: Db, tenant: Tenant, settlementId: number, page: Page) {
  const { offset, take } = windowOf(page)
  return linesOf(db, tenant, settlementId, sql`order by id limit ${take} offset ${offset}`)
}

/** So many, from after one of them on. */
export function selectLinesAfter(
  db: Db,
  tenant: Tenant,
  settlementId: number,
  after: number,
  limit: number,
) {
  return linesOf(db, tenant, settlementId, sql`and id > ${after} order by id limit ${limit}`)
}

// The page is cut in the index of settlements alone, and its lines are looked up then.
const linesOf = (db: Db, { businessId, live }: Tenant, settlementId: number, page: Sql) =>
  db.many<LineRow>`
    select e.id, e.kind, e.transaction_id, t.reference as transaction_reference,
      r.reference as refund_reference, e.amount_minor, e.currency, e.created_at
    from (
      select id from subaccount_entries
      where business_id = ${businessId} and live = ${live} and settlement_id = ${settlementId}
      ${page}
    ) page
    join subaccount_entries e
      on e.business_id = ${businessId} and e.live = ${live} and e.id = page.id
    left join transactions t
      on t.business_id = ${businessId} and t.live = ${live} and t.id = e.transaction_id
    left join refunds r
      on r.business_id = ${businessId} and r.live = ${live} and r.id = e.refund_id
    order by e.id`
