import { hash } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { randomText } from '../lib/tokens.ts'

/** What a digest covers of an event beside its data. */
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

/** Of the data alone, so that several events with the same data need it once. */
export const dataDigest = (salt: string, data: string): string => hash('sha256', salt + data, 'hex')

/** The digest of an event, in hex. `EVENT_DIGEST` computes the same from its row. */
export const eventDigest = (event: DigestedEvent, ofData: string): string =>
  hash('sha256', eventHead(event) + ofData, 'hex')

/** What the digest of an event covers before the digest of its data. */
export function eventHead(event: DigestedEvent): string {
  const { businessId, live, id, reference, type, objectType, objectId, sequence, at } = event
  // PostgreSQL prints microseconds.
  const time = `${at.toISOString().slice(0, -1)}000Z`
  return `${businessId}\n${live}\n${id}\n${reference}\n${type}\n${objectType}\n${objectId}\n${sequence}\n${time}\n`
}

/** `dataDigest` as an expression of SQL. */
export const dataDigestIn = (salt: string, data: string): string =>
  `encode(sha256(convert_to(${salt} || ${data}, 'UTF8')), 'hex')`

/**
 * `eventDigest` as an expression of SQL, as bytes, given `eventHead`: to print its parts in SQL
 * costs more than the digest.
 */
export const eventDigestIn = (head: string, ofData: string): string =>
  `sha256(convert_to(${head} || ${ofData}, 'UTF8'))`

/** Of the row `e` of `events`. */
export const EVENT_DIGEST: Sql = sql`sha256(convert_to(concat_ws(E'\\n', e.business_id,
  e.live::text, e.id, e.reference, e.type, e.object_type, e.object_id, e.sequence,
  to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  ${new Sql([dataDigestIn('e.salt', 'e.data')], [])}), 'UTF8'))`

/** Of the row `e` of `forgotten_events`. */
export const FORGOTTEN_DIGEST: Sql = sql`sha256(convert_to(concat_ws(E'\\n', e.business_id,
  e.live::text, e.id, e.object_type, e.object_id, e.sequence), 'UTF8'))`

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
  return forgotten.length
}
