import { hash } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { randomText } from '../lib/tokens.ts'

/** The parts of an event, other than its data, that a digest covers. */
interface DigestedEvent {
  businessId: number
  live: boolean
  id: number
  reference: string
  type: string
  objectType: string
  objectId: number
  sequence: number
  at: Date
}

/** 131 random bits, stored with the event and deleted with it. */
export const newSalt = (): string => randomText(22)

/** Covers only the data, so that it is computed only once for several events with the same data. */
export const dataDigest = (salt: string, data: string): string => hash('sha256', salt + data, 'hex')

/**
 * Returns an event's digest, in hex. `EVENT_DIGEST` computes the same digest from the event's row.
 */
export const eventDigest = (event: DigestedEvent, ofData: string): string =>
  hash('sha256', eventHead(event) + ofData, 'hex')

export function eventHead(event: DigestedEvent): string {
  const { businessId, live, id, reference, type, objectType, objectId, sequence, at } = event
  // PostgreSQL prints microseconds, so this does too.
  const time = `${at.toISOString().slice(0, -1)}000Z`
  return `${businessId}\n${live}\n${id}\n${reference}\n${type}\n${objectType}\n${objectId}\n${sequence}\n${time}\n`
}

/** `dataDigest` as an SQL expression. */
export const dataDigestIn = (salt: string, data: string): string =>
  `encode(sha256(convert_to(${salt} || ${data}, 'UTF8')), 'hex')`

/**
 * `eventDigest` as an SQL expression that returns bytes. It takes `eventHead`, because formatting
 * the parts in SQL would cost more than the digest.
 */
export const eventDigestIn = (head: string, ofData: string): string =>
  `sha256(convert_to(${head} || ${ofData}, 'UTF8'))`

/** The digest of row `e` in `events`. */
export const EVENT_DIGEST: Sql = sql`sha256(convert_to(concat_ws(E'\\n', e.business_id,
  e.live::text, e.id, e.reference, e.type, e.object_type, e.object_id, e.sequence,
  to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  ${new Sql([dataDigestIn('e.salt', 'e.data')], [])}), 'UTF8'))`

/** The digest of row `e` in `forgotten_events`. */
export const FORGOTTEN_DIGEST: Sql = sql`sha256(convert_to(concat_ws(E'\\n', e.business_id,
  e.live::text, e.id, e.object_type, e.object_id, e.sequence), 'UTF8'))`

/** The sequence numbers of all events, including forgotten ones. */
export const ALL_EVENT_NUMBERS = sql`
  select business_id, live, id, object_type, object_id, sequence from events
  union all
  select business_id, live, id, object_type, object_id, sequence from forgotten_events`

/**
 * Deletes events, including their personal data and salts, for retention and erasure. Their digests
 * stay in the chain, and their other fields stay in `forgotten_events`, so that the audit does not
 * report tampering. `condition` limits it to some of the events `e`. Returns the ids of those that
 * were deleted. Only the owner of the tables can delete events.
 */
export async function forgetEvents(
  tx: Tx,
  { businessId, live }: Tenant,
  ids: readonly number[],
  condition: Sql = sql`true`,
): Promise<number[]> {
  const forgotten = await tx.many<{ id: number }>`
    with gone as (
      delete from events e
      where e.business_id = ${businessId} and e.live = ${live} and e.id = any(${ids}::bigint[])
        and ${condition}
      returning e.business_id, e.live, e.id, e.object_type, e.object_id, e.sequence
    ), remaining as (
      insert into forgotten_events (business_id, live, id, object_type, object_id, sequence)
      select business_id, live, id, object_type, object_id, sequence from gone
      returning *
    ), digested as (
      insert into digests_unsealed (business_id, live, kind, ids, digests)
      select business_id, live, 'forgotten', array_agg(id), array_agg(${FORGOTTEN_DIGEST})
      from remaining e group by business_id, live
    )
    select id from gone`
  return forgotten.map(({ id }) => id)
}
