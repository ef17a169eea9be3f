import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/tenant.ts'
import { FORGOTTEN_DIGEST } from './digest.ts'

/** The numbers of all events, also of those that were forgotten. */
export const EVERY_NUMBER = sql`
  select business_id, live, id, object_type, object_id, sequence from events
  union all
  select business_id, live, id, object_type, object_id, sequence from forgotten_events`

/**
 * Deletes events with their personal data and their salts, for retention and erasure. Their digests
 * stay in the chain, and what is not personal stays in `forgotten_events`, so that the audit does
 * not take this for tampering. Answers how many were deleted. Only the owner of the tables may
 * delete events.
 */
export async function forgetEvents(
  tx: Tx,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<number> {
  const forgotten = await tx.many`
    with gone as (
      delete from events
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
      returning business_id, live, id, object_type, object_id, sequence
    ), kept as (
      insert into forgotten_events (business_id, live, id, object_type, object_id, sequence)
      select business_id, live, id, object_type, object_id, sequence from gone
      returning *
    ), digested as (
      insert into digests_unsealed (business_id, live, kind, ids, digests)
      select business_id, live, 'forgotten', array_agg(id), array_agg(${FORGOTTEN_DIGEST})
      from kept e group by business_id, live
    )
    select id from gone`
  return forgotten.length
}
