import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { SettlementState } from './states.ts'

export interface SettlementRow {
  id: number
  reference: string
  subaccount_id: number
  status: SettlementState
  amount_minor: Minor
  currency: string
  /** How many entries it was created for. */
  entry_count: number
  /** Where it goes, as of when it was created. */
  bank_code: string
  bank_name: string
  account_number: string
  account_name: string | null
  /** Why it failed, what holds it up, or what the bank said otherwise after it had ended. */
  failure_reason: string | null
  provider: string
  sent_at: Date | null
  look_up_at: Date | null
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  paid_at: Date | null
  created_at: Date
  updated_at: Date
}

/** As `SettlementRow` has them. */
export const COLUMNS = sql`id, reference, subaccount_id, status, amount_minor, currency,
  entry_count, bank_code, bank_name, account_number, account_name, failure_reason, provider,
  sent_at, look_up_at, timeline, event_sequence, paid_at, created_at, updated_at`

export function selectSettlement(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<SettlementRow>`
    select ${COLUMNS} from settlements
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export interface Change {
  from: readonly SettlementState[]
  to: SettlementState
  message: string | null
  failure_reason: string | null
  /** How many events are told of it. */
  events: 0 | 1
  now: Date
}

/** Ends a settlement, if it has not ended. Of two moves at once exactly one finds it open. */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, message, failure_reason, events, now } = change
  const entry = JSON.stringify({ status: to, at: now, message })
  return tx.maybe<SettlementRow>`
    update settlements
    set status = ${to}, failure_reason = ${failure_reason}, look_up_at = null,
      paid_at = case when ${to}::text = 'Paid' then ${now}::timestamptz end,
      timeline = left(timeline, -1) || ',' || ${entry}::text || ']',
      event_sequence = event_sequence + ${events}::integer, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

/** Says why a settlement waits; the same again changes nothing. */
export function updateReason(
  db: Db,
  { businessId, live }: Tenant,
  id: number,
  reason: string,
  now: Date,
) {
  return db.run`
    update settlements set failure_reason = ${reason}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Pending'
      and failure_reason is distinct from ${reason}`
}

const TO_DO = '; put it right with the subaccount'

/**
 * Says of one that has ended that the bank said otherwise afterwards, for a person to act on. Only
 * the first time: answers how many were marked.
 */
export function markContradicted(
  db: Db,
  { businessId, live }: Tenant,
  id: number,
  status: SettlementState,
  reason: string,
  now: Date,
) {
  return db.run`
    update settlements set failure_reason = ${reason + TO_DO}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = ${status}
      and (failure_reason is null or right(failure_reason, ${TO_DO.length}) <> ${TO_DO})`
}

/** How long one statement may take over the entries of a settlement: a million are some 10 s. */
export const ENTRIES_MS = 5 * 60_000

/** What a settlement was to pay is open again, and goes into the next. */
export function releaseEntries(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.run`
    update subaccount_entries set settlement_id = null
    where business_id = ${businessId} and live = ${live} and settlement_id = ${id}`
}
