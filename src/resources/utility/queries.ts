import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { UtilityState } from './states.ts'

export interface UtilityRow {
  id: number
  reference: string
  payment_reference: string
  fingerprint: Buffer
  status: UtilityState
  amount_minor: Minor
  fee_minor: Minor
  currency: string
  customer_id: string
  customer_name: string
  package_slug: string
  package_name: string
  biller_slug: string
  biller_name: string
  category: string
  channel: string | null
  phone_number: string | null
  email: string | null
  account_number: string | null
  provider: string
  message: string | null
  token_value: string | null
  token_units: string | null
  pins: string[]
  look_up_at: Date | null
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  completed_at: Date | null
  created_at: Date
  updated_at: Date
}

/** As `UtilityRow` has them. */
export const COLUMNS = sql`id, reference, payment_reference, fingerprint, status, amount_minor,
  fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
  biller_name, category, channel, phone_number, email, account_number, provider, message,
  token_value, token_units, pins, look_up_at, timeline, event_sequence, completed_at, created_at,
  updated_at`

export type NewUtilityRow = Omit<
  UtilityRow,
  | 'status'
  | 'message'
  | 'token_value'
  | 'token_units'
  | 'pins'
  | 'timeline'
  | 'event_sequence'
  | 'completed_at'
  | 'created_at'
  | 'updated_at'
> & { now: Date }

/** Nothing comes back when a payment that did not fail has its `payment_reference`. */
export function insertPayment(tx: Tx, { businessId, live }: Tenant, row: NewUtilityRow) {
  const { now } = row
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  return tx.maybe<UtilityRow>`
    insert into utility_payments
      (business_id, live, id, reference, payment_reference, fingerprint, status, amount_minor,
       fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
       biller_name, category, channel, phone_number, email, account_number, provider, look_up_at,
       timeline, event_sequence, created_at, updated_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.payment_reference},
       ${row.fingerprint}, 'Pending', ${row.amount_minor}, ${row.fee_minor}, ${row.currency},
       ${row.customer_id}, ${row.customer_name}, ${row.package_slug}, ${row.package_name},
       ${row.biller_slug}, ${row.biller_name}, ${row.category}, ${row.channel},
       ${row.phone_number}, ${row.email}, ${row.account_number}, ${row.provider},
       ${row.look_up_at}, ${timeline}, 1, ${now}, ${now})
    on conflict (business_id, live, payment_reference) where status <> 'Failed' do nothing
    returning ${COLUMNS}`
}

/** The one that did not fail. */
export function selectStanding(db: Db, { businessId, live }: Tenant, paymentReference: string) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live}
      and payment_reference = ${paymentReference} and status <> 'Failed'`
}

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.one<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** As `selectById`, where the transaction that wrote it may not have been committed. */
export function selectIfStored(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** By our reference alone, which is what the provider knows. */
export function selectByReference(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/** Of the attempts under a reference of the caller's, or ours, the one that counts: the newest. */
export function selectNewest(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live}
      and (reference = ${reference} or payment_reference = ${reference})
    order by status = 'Failed', created_at desc, id desc limit 1`
}

export interface Change {
  from: readonly UtilityState[]
  to: UtilityState
  message: string
  token: { value: string; units: string } | null
  pins: string[]
  now: Date
}

/**
 * Ends a payment, if it is in one of the states that it may leave. Of two ends at once exactly one
 * finds it there.
 */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, message, token, pins, now } = change
  const entry = JSON.stringify({ status: to, at: now, message })
  return tx.maybe<UtilityRow>`
    update utility_payments
    set status = ${to}, message = ${message}, token_value = ${token?.value ?? null},
      token_units = ${token?.units ?? null}, pins = ${pins}::text[], look_up_at = null,
      completed_at = ${now}, timeline = left(timeline, -1) || ',' || ${entry}::text || ']',
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

export type ClaimedRow = UtilityRow & { business_id: number; live: boolean }

/**
 * Claims payments that are due to be asked about, and says when to ask again: after a minute at
 * first, then after as long as it has taken so far, and at most every ten minutes.
 */
export function claimDue(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<ClaimedRow>`
    with due as (
      select business_id, live, id from utility_payments
      where look_up_at <= ${now}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by look_up_at limit ${limit} for update skip locked)
    update utility_payments p
    set look_up_at = ${now}::timestamptz + least(interval '10 minutes',
      greatest(interval '1 minute', ${now}::timestamptz - p.created_at))
    from (select business_id, live, id as due_id from due) due
    where (p.business_id, p.live, p.id) = (due.business_id, due.live, due.due_id)
    returning p.business_id, p.live, ${COLUMNS}`
}
