import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { BASE62, randomText } from '../lib/tokens.ts'
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
  const text = JSON.stringify(data)
  const salt = newSalt()
  const reference = newEventReference(at)
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

/** How often an event was committed by this process, and the sum of the amounts in its data. */
interface EventCount {
  type: string
  live: boolean
  currency: string
  /** Empty if the data has none. */
  channel: string
  count: number
  /** The sum of `amountMinor`, as a number for metrics. */
  sumMinor: number
}

type Amount = { amountMinor?: unknown; currency?: unknown; channel?: unknown }

// Each database has its own counts, found by its source of ids. Only tests use several databases in
// one process.
const counts = new WeakMap<Ids, Map<string, EventCount>>()

/** Sample events report nothing that happened, and merchants choose what is in them. */
const SAMPLES = ['simulated_event', 'webhook_test']

/**
 * Counts events that have an amount, once they are committed. There is one count for each
 * combination of the labels, whatever the number of businesses.
 */
export function countEvents(tx: Tx, ids: Ids, events: readonly NewEvent[]): void {
  const counted = events.filter(
    ({ objectType, data }) =>
      !SAMPLES.includes(objectType) && (data as Amount).amountMinor !== undefined,
  )
  if (counted.length > 0) tx.after(() => countAll(ids, counted))
}

function countAll(ids: Ids, events: readonly NewEvent[]): void {
  for (const event of events) count(ids, event)
}

function count(ids: Ids, { type, live, data }: NewEvent): void {
  const { amountMinor, currency, channel } = data as Amount
  const labels = { type, live, currency: String(currency), channel: String(channel ?? '') }
  const known = countsOf(ids)
  const key = `${type} ${live} ${labels.currency} ${labels.channel}`
  const one = known.get(key) ?? { ...labels, count: 0, sumMinor: 0 }
  one.count++
  one.sumMinor += Number(amountMinor ?? 0)
  known.set(key, one)
}

/** Returns the counts of the events that were written with these ids. */
export const eventCounts = (ids: Ids): EventCount[] => [...countsOf(ids).values()]

function countsOf(ids: Ids): Map<string, EventCount> {
  let known = counts.get(ids)
  if (!known) {
    known = new Map()
    counts.set(ids, known)
  }
  return known
}

/**
 * The sequence number of an event that is told to others; for the columns of a statement on
 * `events`. After a restore, it is higher than the stored one, because the numbers after the last
 * one in the backup may have been told already. `events_skipped` is the number of ids that were
 * left out, and each event has one.
 */
export const TOLD_SEQUENCE = sql`(sequence + (
  select coalesce(sum(events_skipped), 0) from restores where first_id <= id
))::bigint as sequence`
