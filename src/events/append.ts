import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { Sql } from '../db/sql.ts'
import type { Tenant } from '../lib/tenant.ts'
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

/**
 * Writes events in the transaction of their cause, so that neither is ever without the other. Their
 * order here is the order in which they are told.
 */
export async function appendEvents(tx: Tx, ids: Ids, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows: (NewEvent & { id: number })[] = []
  for (const event of events) rows.push({ ...event, id: await ids.next(tx) })
  await tx.run`
    with told as (
      insert into events
        (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at)
      select * from unnest(
        ${rows.map((row) => row.businessId)}::bigint[],
        ${rows.map((row) => row.live)}::boolean[],
        ${rows.map((row) => row.id)}::bigint[],
        ${rows.map((row) => newEventReference(row.at))}::text[],
        ${rows.map((row) => row.type)}::text[],
        ${rows.map((row) => row.objectType)}::text[],
        ${rows.map((row) => row.objectId)}::bigint[],
        ${rows.map((row) => row.sequence)}::bigint[],
        ${rows.map((row) => JSON.stringify(row.data))}::text[],
        ${rows.map((row) => row.at)}::timestamptz[])
      returning ${TOLD_COLUMNS}
    ), ${QUEUED_THEN}
    select from told`
}
