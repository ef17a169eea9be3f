import type { Db, Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { ChargeState } from '../provider.ts'

export interface SimulatedCharge {
  reference: string
  kind: 'USSD' | 'BANK_TRANSFER'
  amount_minor: Minor
  currency: string
  status: ChargeState['status']
  message: string
  silent_until: Date | null
  account_number: string | null
  due_at: Date | null
  due_status: 'Successful' | 'Failed' | null
  due_message: string | null
}

/** Asking twice with one reference is one charge, as with any provider worth its name. */
export function insertCharge(
  db: Db,
  { businessId, live }: Tenant,
  charge: SimulatedCharge,
  now: Date,
) {
  return db.run`
    insert into simulator_charges
      (business_id, live, reference, kind, amount_minor, currency, status, message, silent_until,
       account_number, due_at, due_status, due_message, created_at)
    values
      (${businessId}, ${live}, ${charge.reference}, ${charge.kind}, ${charge.amount_minor},
       ${charge.currency}, ${charge.status}, ${charge.message}, ${charge.silent_until},
       ${charge.account_number}, ${charge.due_at}, ${charge.due_status}, ${charge.due_message},
       ${now})
    on conflict do nothing`
}

export function selectCharge(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<SimulatedCharge>`
    select reference, kind, amount_minor, currency, status, message, silent_until, account_number,
      due_at, due_status, due_message
    from simulator_charges
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/** Ends a charge that is still open; answers how many were. */
export function endCharge(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { status, message }: { status: 'Successful' | 'Failed'; message: string },
) {
  return tx.run`
    update simulator_charges
    set status = ${status}, message = ${message}, due_at = null, silent_until = null, notify = true
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = 'Pending'`
}

/** Ends what falls due by itself. */
export function endDueCharges(db: Db, now: Date, only: number | null, limit: number) {
  return db.run`
    update simulator_charges
    set status = due_status, message = due_message, due_at = null, notify = true
    where (business_id, live, reference) in (
      select business_id, live, reference from simulator_charges
      where due_at <= ${now} and (${only}::bigint is null or business_id = ${only})
      order by due_at limit ${limit} for update skip locked)`
}

/** Notices still to be sent. A crash between sending and marking sends one twice, as outside. */
export function selectNotices(db: Db, only: number | null, limit: number) {
  return db.many<{ business_id: number; live: boolean; reference: string }>`
    select business_id, live, reference from simulator_charges
    where notify and (${only}::bigint is null or business_id = ${only})
    order by created_at limit ${limit}`
}

export function markNotified(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.run`
    update simulator_charges set notify = false
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}
