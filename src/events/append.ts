import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { Sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { BASE62, randomText } from '../lib/tokens.ts'
import { countEvents } from './counts.ts'
import { dataDigest, eventDigest, newSalt } from './digest.ts'

/** An event about an object, to be sent to the merchant. */
export interface NewEvent extends Tenant {
  type: string
  objectType: string
  objectId: number
  /**
   * The event's position among this object's events, starting at 1 and with no gaps. The statement
   * that changes the object also increments this number.
   */
  sequence: number
  /** The record as the API shows it. */
  data: object
  at: Date
}

/**
 * Returns the parts of a `with` clause that insert events, queue a delivery for each subscribed
 * endpoint, and pass the events' digests to the job that seals them. Every statement that inserts
 * events includes these parts, so that no delivery exists without its event, or the reverse.
 * Without endpoints, they cost only one lookup in an empty index.
 *
 * `events` selects `business_id, live, id, reference, type, object_type, object_id, sequence, data,
 * created_at, salt`; `digests` selects `business_id, live, id, digest` for the same events.
 */
export const insertingEvents = (events: string, digests: string): string => `inserted_events as (
    insert into events
      (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at,
       salt)
    ${events}
    returning business_id, live, id, type, object_type, object_id, created_at
  ), queued_deliveries as (
    insert into webhook_deliveries
      (business_id, live, webhook_id, event_id, event_at, event_type, object_id, due_at,
       created_at)
    select e.business_id, e.live, w.id, e.id, e.created_at, e.type, e.object_id, e.created_at,
      e.created_at
    from inserted_events e
    join webhooks w on w.business_id = e.business_id and w.live = e.live
    where w.status = 'Active'
      and (w.events is null or w.events && array[e.type, split_part(e.type, '.', 1) || '.*'])
      -- A test event goes only to the endpoint being tested.
      and e.object_type <> 'webhook_test'
  ), unsealed_digests as (
    insert into digests_unsealed (business_id, live, kind, ids, digests)
    select business_id, live, 'event', array_agg(id), array_agg(digest)
    from (${digests}) as d
    group by business_id, live
  )`

/** The columns of an `eventRow` in a JSON record. */
export const EVENT_ROW = `business_id bigint, live boolean, id bigint, reference text, type text,
  object_type text, object_id bigint, sequence bigint, data text, created_at timestamptz, salt text,
  digest bytea`

/** Returns `insertingEvents` for the rows of a table with the columns EVENT_ROW. */
export const insertingEventRows = (rows: string): string =>
  insertingEvents(
    `select business_id, live, id, reference, type, object_type, object_id, sequence, data,
      created_at, salt
    from ${rows}`,
    `select business_id, live, id, digest from ${rows}`,
  )

const INSERTING = [
  'incoming as materialized (select * from json_to_recordset(',
  `::json) as t (${EVENT_ROW})), ${insertingEventRows('incoming')}`,
]

const insertingIncoming = (rows: readonly EventRow[]) => new Sql(INSERTING, [JSON.stringify(rows)])

/**
 * Writes events in the same transaction as the change they report, so that neither exists without
 * the other. They are delivered in the given order.
 */
export async function appendEvents(tx: Tx, ids: Ids, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows: EventRow[] = []
  for (const event of events) rows.push(eventRow(event, await ids.next(tx)))
  await tx.run`with ${insertingIncoming(rows)} select from inserted_events`
  countEvents(tx, ids, events)
}

export type EventRow = ReturnType<typeof eventRow>

/** Returns an event as a JSON record with the columns EVENT_ROW, including its digest. */
export function eventRow({ businessId, live, data, at, ...event }: NewEvent, id: number) {
  const [text, salt, reference] = [JSON.stringify(data), newSalt(), newEventReference(at)]
  const digested = { ...event, businessId, live, at, id, reference }
  return {
    business_id: businessId,
    live,
    id,
    reference,
    type: event.type,
    object_type: event.objectType,
    object_id: event.objectId,
    sequence: event.sequence,
    data: text,
    created_at: at,
    salt,
    digest: `\\x${eventDigest(digested, dataDigest(salt, text))}`,
  }
}

/** Eight base-62 digits can represent the milliseconds of the next 6,800 years. */
const TIME_LENGTH = 8

/**
 * Returns `evt_` followed by the event's time and 95 random bits. Standard Webhooks allows no dot
 * in an id. Because the reference contains the time, the table's primary key finds the event, so
 * references don't need their own index.
 */
export function newEventReference(at: Date): string {
  let [digits, rest] = ['', at.getTime()]
  while (digits.length < TIME_LENGTH) {
    digits = BASE62[rest % 62] + digits
    rest = Math.trunc(rest / 62)
  }
  return `evt_${digits}${randomText(16)}`
}

const FORMAT = /^evt_([0-9A-Za-z]{8})[0-9A-Za-z]{16}$/

/**
 * Returns the time of the event with a given reference; undefined if the string is not an event
 * reference.
 */
export function timeIn(reference: string): Date | undefined {
  const [, digits] = FORMAT.exec(reference) ?? []
  if (!digits) return undefined
  return new Date([...digits].reduce((time, digit) => time * 62 + BASE62.indexOf(digit), 0))
}
