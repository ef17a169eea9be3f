import type { Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'

/** Inserts a manual top-up of a test wallet, to which its journal refers. */
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
