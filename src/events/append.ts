import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { Sql } from '../db/sql.ts'
import type { Tenant } from '../lib/tenant.ts'
import { dataDigest, digested, eventDigest, newSalt } from './digest.ts'
import { QUEUED, TOLD } from './queue.ts'
import { newEventReference } from './reference.ts'

/** Something that happened to an object, to be told to the merchant. */
export interface NewEvent extends Tenant {
  type: string
  objectType: string
  objectId: number
  /**
   * Counts the events of this object, from 1 without gaps; raised in the statement that changes it.
   */
  sequence: number
  /** The record as the API shows it. */
  data: object
  at: Date
}

const TOLD_COLUMNS = new Sql([TOLD], [])
const QUEUED_THEN = new Sql([QUEUED], [])
const DIGESTED = new Sql(
  [digested("select business_id, live, id, decode(digest, 'hex') as digest from incoming")],
  [],
)

/**
 * Writes events in the transaction of their cause, so that neither is ever without the other. Their
 * order here is the order in which they are told.
 */
export async function appendEvents(tx: Tx, ids: Ids, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows: Row[] = []
  for (const event of events) rows.push(rowOf(event, await ids.next(tx)))
  await tx.run`
    with incoming as materialized (
      select * from unnest(
        ${rows.map((row) => row.businessId)}::bigint[],
        ${rows.map((row) => row.live)}::boolean[],
        ${rows.map((row) => row.id)}::bigint[],
        ${rows.map((row) => row.reference)}::text[],
        ${rows.map((row) => row.type)}::text[],
        ${rows.map((row) => row.objectType)}::text[],
        ${rows.map((row) => row.objectId)}::bigint[],
        ${rows.map((row) => row.sequence)}::bigint[],
        ${rows.map((row) => row.text)}::text[],
        ${rows.map((row) => row.at)}::timestamptz[],
        ${rows.map((row) => row.salt)}::text[],
        ${rows.map((row) => row.digest)}::text[])
      as t (business_id, live, id, reference, type, object_type, object_id, sequence, data,
        created_at, salt, digest)
    ), told as (
      insert into events
        (business_id, live, id, reference, type, object_type, object_id, sequence, data,
         created_at, salt)
      select business_id, live, id, reference, type, object_type, object_id, sequence, data,
        created_at, salt
      from incoming
      returning ${TOLD_COLUMNS}
    ), ${QUEUED_THEN}, ${DIGESTED}
    select from told`
}

type Row = ReturnType<typeof rowOf>

function rowOf(event: NewEvent, id: number) {
  const [text, salt, reference] = [
    JSON.stringify(event.data),
    newSalt(),
    newEventReference(event.at),
  ]
  const digest = eventDigest({ ...event, id, reference }, dataDigest(salt, text))
  return { ...event, id, reference, text, salt, digest }
}
