import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Cursor } from '../lib/cursor.ts'
import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'

export interface MoveRow {
  id: number
  kind: string
  amount_minor: Minor
  currency: string
  debit_kind: string
  debit_subject: number
  credit_kind: string
  credit_subject: number
  cause_type: string
  cause_id: number
  created_at: Date
}

/**
 * Every movement of the ledger by its key, newest first, or from a cursor back to what is newer.
 * Ids follow time but for the moment that a transaction takes.
 */
export function selectMoves(
  db: Db,
  { businessId, live }: Tenant,
  cursor: Cursor | undefined,
  take: number,
) {
  const beyond = cursor && (cursor.back ? sql`and id > ${cursor.id}` : sql`and id < ${cursor.id}`)
  const order = cursor?.back ? sql`id` : sql`id desc`
  return db.many<MoveRow>`
    select t.id, t.kind, t.amount_minor, t.currency, t.created_at,
      d.kind as debit_kind, d.subject_id as debit_subject,
      c.kind as credit_kind, c.subject_id as credit_subject, j.cause_type, j.cause_id
    from (
      select * from ledger_transfers
      where business_id = ${businessId} and live = ${live} ${beyond ?? sql``}
      order by ${order} limit ${take}
    ) t
    join ledger_accounts d
      on d.business_id = ${businessId} and d.live = ${live} and d.id = t.debit_account_id
    join ledger_accounts c
      on c.business_id = ${businessId} and c.live = ${live} and c.id = t.credit_account_id
    join ledger_journals j
      on j.business_id = ${businessId} and j.live = ${live} and j.id = t.journal_id
    order by ${cursor?.back ? sql`t.id` : sql`t.id desc`}`
}

/** What subaccounts are called, by id. */
export function selectSubaccounts(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<{ id: number; reference: string; business_name: string }>`
    select id, reference, business_name from subaccounts
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
}
