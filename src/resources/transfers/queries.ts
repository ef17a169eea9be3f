import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransferState } from './states.ts'

export interface TransferRow {
  id: number
  reference: string
  transfer_reference: string
  status: TransferState
  amount_minor: Minor
  fee_minor: Minor
  currency: string
  bank_code: string
  bank_name: string
  account_number: string
  account_name: string | null
  narration: string | null
  /** JSON text. */
  metadata: string | null
  failure_reason: string | null
  provider: string
  attempt: number
  sent_at: Date | null
  look_up_at: Date | null
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  /** The person who made it by hand, and the one who approved it; null where a key did. */
  created_by: number | null
  approved_by: number | null
  completed_at: Date | null
  reversed_at: Date | null
  created_at: Date
  updated_at: Date
}

/** As `TransferRow` has them. */
export const COLUMNS = sql`id, reference, transfer_reference, status, amount_minor, fee_minor,
  currency, bank_code, bank_name, account_number, account_name, narration, metadata,
  failure_reason, provider, attempt, sent_at, look_up_at, timeline, event_sequence, created_by,
  approved_by, completed_at, reversed_at, created_at, updated_at`

export type NewTransferRow = Pick<
  TransferRow,
  | 'id'
  | 'reference'
  | 'transfer_reference'
  | 'status'
  | 'amount_minor'
  | 'fee_minor'
  | 'currency'
  | 'bank_code'
  | 'bank_name'
  | 'account_number'
  | 'account_name'
  | 'narration'
  | 'metadata'
  | 'failure_reason'
  | 'provider'
  | 'look_up_at'
  | 'created_by'
> & { now: Date }

/** Nothing comes back when its `transfer_reference` was used before. */
export function insertTransfer(tx: Tx, { businessId, live }: Tenant, row: NewTransferRow) {
  const { status, failure_reason, now } = row
  const timeline = JSON.stringify([{ status, at: now, message: failure_reason }])
  return tx.maybe<TransferRow>`
    insert into transfers
      (business_id, live, id, reference, transfer_reference, status, amount_minor, fee_minor,
       currency, bank_code, bank_name, account_number, account_name, narration, metadata,
       failure_reason, provider, look_up_at, timeline, event_sequence, created_by, created_at,
       updated_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.transfer_reference}, ${status},
       ${row.amount_minor}, ${row.fee_minor}, ${row.currency}, ${row.bank_code}, ${row.bank_name},
       ${row.account_number}, ${row.account_name}, ${row.narration}, ${row.metadata},
       ${failure_reason}, ${row.provider}, ${row.look_up_at}, ${timeline}, 1, ${row.created_by},
       ${now}, ${now})
    on conflict on constraint transfers_reference do nothing
    returning ${COLUMNS}`
}

/** By our reference, else by the caller's own. */
export function selectTransfer(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<TransferRow>`
    select ${COLUMNS} from transfers
    where business_id = ${businessId} and live = ${live}
      and (reference = ${reference} or transfer_reference = ${reference})
    order by (reference = ${reference}) desc limit 1`
}

/** By the caller's own reference alone. */
export function selectOfCaller(db: Db, { businessId, live }: Tenant, transferReference: string) {
  return db.one<Pick<TransferRow, 'reference' | 'status'>>`
    select reference, status from transfers
    where business_id = ${businessId} and live = ${live}
      and transfer_reference = ${transferReference}`
}

/** By our reference alone, which is what the provider knows. */
export function selectByReference(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<TransferRow>`
    select ${COLUMNS} from transfers
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export interface Change {
  from: readonly TransferState[]
  to: TransferState
  /** Only while this is the attempt; null for any. */
  attempt: number | null
  /** The attempt that it is from now on; null for the same. */
  paid_by: number | null
  /** Orders it anew, under a reference of its own. */
  isRetry: boolean
  isReturn: boolean
  message: string | null
  failure_reason: string | null
  look_up_at: Date | null
  /** The person who approves it; null for every other move, and for keys. */
  approved_by: number | null
  now: Date
}

/**
 * Moves a transfer, if it is in one of the states it may leave. Of two moves at once exactly one
 * finds it there.
 */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, attempt, isRetry, isReturn, message, now } = change
  const entry = JSON.stringify({ status: to, at: now, message })
  return tx.maybe<TransferRow>`
    update transfers
    set status = ${to}, failure_reason = ${change.failure_reason},
      attempt = coalesce(${change.paid_by}::integer, attempt + ${isRetry ? 1 : 0}::integer),
      sent_at = case when ${isRetry}::boolean then null else sent_at end,
      look_up_at = ${change.look_up_at},
      approved_by = coalesce(${change.approved_by}::bigint, approved_by),
      completed_at = case when ${to}::text in ('Successful', 'Failed', 'Rejected')
        then coalesce(completed_at, ${now}::timestamptz) end,
      reversed_at = case when ${isReturn}::boolean then ${now}::timestamptz end,
      timeline = left(timeline, -1) || ',' || ${entry}::text || ']',
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
      and (${attempt}::integer is null or attempt = ${attempt}::integer)
    returning ${COLUMNS}`
}
