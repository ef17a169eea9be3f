import type { Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'

/** Lets time pass for the test data of a business; answers how far it is ahead now. */
export function advanceClock(tx: Tx, businessId: number, seconds: number) {
  return tx.one<{ test_clock_offset_ms: number; reference: string }>`
    update businesses
    set test_clock_offset_ms = test_clock_offset_ms + ${seconds * 1000}::bigint
    where id = ${businessId}
    returning test_clock_offset_ms, reference`
}

/** Money that is put into a test wallet by hand: what its journal refers to. */
export function insertFunding(
  tx: Tx,
  { businessId, live }: Tenant,
  row: { id: number; reference: string; amount_minor: Minor; currency: string; now: Date },
) {
  return tx.run`
    insert into simulated_fundings
      (business_id, live, id, reference, amount_minor, currency, created_at)
    values (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.amount_minor},
      ${row.currency}, ${row.now})`
}
