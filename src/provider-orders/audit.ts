import { type Sql, sql } from '../db/sql.ts'
import type { AuditCheck } from '../ledger/audit.ts'
import type { OrderKindName } from './queries.ts'

interface Records {
  kind: OrderKindName
  /** The noun shown to people for one of these records. */
  noun: string
  table: string
  records: Sql
  /** Whether the order for a record `r` must still be sent or looked up. */
  isOpen: Sql
  /** Whether the order must already have been sent. */
  isSent?: Sql
  /** The reference that the provider should have for order `o`, if the record contains one. */
  sentReference?: Sql
}

/**
 * Checks that orders are not lost, duplicated or sent under a different reference. Each open record
 * must have exactly one order that a job will find, and other records must have none.
 */
export const orderCheck = ({
  kind,
  noun,
  table,
  records,
  isOpen,
  isSent = sql`false`,
  sentReference = sql`o.sent_reference`,
}: Records): AuditCheck => ({
  name: `${kind}-orders`,
  what: `each open ${noun} has one order to send or look up; no other ${noun} has one`,
  table,
  sql: sql`
    select business_id, live, id, format(
      'it is %s, and %s of its orders are due to be sent or looked up (sent as: %s)',
      r.status, count(o.next_at), coalesce(string_agg(o.sent_reference, ', '), 'none'))
      as problem
    from ${records} r
    left join (
      select business_id, live, subject_id as id, attempt, sent_reference, sent_at, next_at
      from provider_orders where kind = ${kind}
    ) o using (business_id, live, id)
    group by business_id, live, id, r.reference, r.status
    having count(o.next_at) <> case when ${isOpen} then 1 else 0 end
      or (${isSent} and count(o.sent_at) = 0)
      or bool_or(o.sent_reference <> ${sentReference})`,
})
