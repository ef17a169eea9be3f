import type { Db, Tx } from '../../db/database.ts'

export interface HoldRow {
  business_id: number
  id: number
  /** An email address in lower case; null for the whole business. */
  customer: string | null
  reason: string
  created_at: Date
}

/**
 * Makes an erasure wait for a new hold, and a new hold for an erasure. Otherwise, records could be
 * erased just after they were put on hold.
 */
export const lockHolds = (tx: Tx, businessId: number) =>
  tx.one`select pg_advisory_xact_lock(hashtextextended(${`holds ${businessId}`}, 0))`

/** Returns undefined if there is such a hold already. */
export const insertHold = (tx: Tx, row: HoldRow) =>
  tx.maybe<HoldRow>`
    insert into legal_holds (business_id, id, customer, reason, created_at)
    values (${row.business_id}, ${row.id}, ${row.customer}, ${row.reason}, ${row.created_at})
    on conflict (business_id, customer) do nothing
    returning business_id, id, customer, reason, created_at`

/** Returns undefined if there is no such hold. */
export const deleteHold = (tx: Tx, businessId: number, customer: string | null) =>
  tx.maybe<HoldRow>`
    delete from legal_holds
    where business_id = ${businessId} and customer is not distinct from ${customer}::text
    returning business_id, id, customer, reason, created_at`

/** Selects the holds of one business, or of all, oldest first. */
export const selectHolds = (db: Db, businessId: number | undefined) =>
  db.many<HoldRow>`
    select business_id, id, customer, reason, created_at from legal_holds
    where ${businessId ?? null}::bigint is null or business_id = ${businessId ?? null}
    order by created_at, id`
