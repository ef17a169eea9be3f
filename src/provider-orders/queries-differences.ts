import type { Tx } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { EntryKind } from '../providers/connector/types.ts'
import type { OrderRow } from './queries.ts'

type DifferenceKind = EntryKind | 'balance'

/**
 * `missing_here`: the provider reports something that we do not have. `missing_there`: we have
 * something that the provider does not report. `different`: both have it, but not the same.
 */
type DifferenceClass = 'missing_here' | 'missing_there' | 'different'

export type DifferenceSource = 'look_up' | 'notice' | 'reconciliation'

/** How a difference was closed. `arrived_late` and `rounding`: without a person. */
export type Resolution =
  | 'arrived_late'
  | 'booked'
  | 'allocated'
  | 'sent_back'
  | 'accepted'
  | 'rounding'
  | 'not_ours'

/** A difference to store. */
export interface DifferenceValues {
  id: number
  reference: string
  connection_id: number
  kind: DifferenceKind
  class: DifferenceClass
  /** Empty unless the class is `different`. */
  field: string
  source: DifferenceSource
  provider_id: string | null
  subject_kind: string | null
  subject_id: number | null
  attempt: number | null
  ours_minor: Minor | null
  theirs_minor: Minor | null
  currency: string | null
  evidence: object
  /** `YYYY-MM-DD`, if it was found in the provider's records of a day. */
  day: string | null
}

const COLUMNS = sql`reference, connection_id, kind, class, field, source, provider_id,
  subject_kind, subject_id, attempt, ours_minor, theirs_minor, currency, evidence, day`

const TYPED = new Sql(
  [
    `(id bigint, reference text, connection_id bigint, kind text, class text, field text,
      source text, provider_id text, subject_kind text, subject_id bigint, attempt integer,
      ours_minor bigint, theirs_minor bigint, currency text, evidence jsonb,
      day date)`,
  ],
  [],
)

/** A difference is found again by the provider's number, or else by the order that it is about. */
const KEYS = {
  theirs: sql`(business_id, live, connection_id, kind, provider_id, field)
    where provider_id is not null`,
  ours: sql`(business_id, live, subject_kind, subject_id, attempt, kind, field)
    where provider_id is null`,
}

const isSame = sql`d.subject_kind = r.subject_kind and d.subject_id = r.subject_id
  and d.attempt = r.attempt and d.kind = r.kind and d.field = r.field`

type Named = Pick<
  DifferenceValues,
  'connection_id' | 'kind' | 'field' | 'provider_id' | 'subject_kind' | 'subject_id' | 'attempt'
>

const NAMED = `connection_id bigint, kind text, field text, provider_id text, subject_kind text,
  subject_id bigint, attempt integer`

function namedRows(rows: readonly Named[]): Sql {
  const values = rows.map(({ connection_id, kind, field, provider_id, ...of }, n) => {
    const { subject_kind, subject_id, attempt } = of
    return { n, connection_id, kind, field, provider_id, subject_kind, subject_id, attempt }
  })
  return sql`json_to_recordset(${JSON.stringify(values)}::json)
    as r (n integer, ${new Sql([NAMED], [])})`
}

/**
 * Gives differences about orders the provider's numbers that were not known when they were found,
 * so that none of them is stored twice.
 */
export const nameKnown = (tx: Tx, { businessId, live }: Tenant, rows: readonly Named[]) =>
  tx.run`
    update provider_differences d set provider_id = r.provider_id
    from ${namedRows(rows)}
    where d.business_id = ${businessId} and d.live = ${live} and d.provider_id is null
      and ${isSame} and not exists (
        select from provider_differences o
        where o.business_id = ${businessId} and o.live = ${live}
          and o.connection_id = r.connection_id and o.kind = r.kind
          and o.provider_id = r.provider_id and o.field = r.field)`

/** Selects under which of the provider's numbers differences about orders are stored. */
export const selectNames = (tx: Tx, { businessId, live }: Tenant, rows: readonly Named[]) =>
  tx.many<{ n: number; provider_id: string }>`
    select r.n, d.provider_id
    from ${namedRows(rows)}
    join provider_differences d on d.business_id = ${businessId} and d.live = ${live}
      and d.provider_id is not null and ${isSame}
    order by d.first_seen_at`

/** A difference that closed by itself, and has come back. */
const CAME_BACK = sql`d.resolution = 'arrived_late'`

/** What has been booked for a difference keeps the figures that were booked. */
const IS_BOOKED = sql`d.closed_with_journal is not null`

/**
 * Stores differences. If one is known, only what was last seen is new: a difference that a person
 * has closed stays closed. No two of `rows` may have the same key.
 */
export function upsertDifferences(
  tx: Tx,
  { businessId, live }: Tenant,
  by: keyof typeof KEYS,
  rows: readonly DifferenceValues[],
  now: Date,
) {
  const values = rows.map((row) => ({
    ...row,
    ours_minor: row.ours_minor?.toString(),
    theirs_minor: row.theirs_minor?.toString(),
  }))
  return tx.many<{ id: number; status: string }>`
    insert into provider_differences as d
      (business_id, live, id, ${COLUMNS}, status, first_seen_at, last_seen_at)
    select ${businessId}::bigint, ${live}::boolean, id, ${COLUMNS}, 'Open', ${now}::timestamptz,
      ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(values)}::json) as t ${TYPED}
    on conflict ${KEYS[by]} do update set last_seen_at = ${now},
      ours_minor = case when ${IS_BOOKED} then d.ours_minor
        else coalesce(excluded.ours_minor, d.ours_minor) end,
      theirs_minor = case when ${IS_BOOKED} then d.theirs_minor
        else coalesce(excluded.theirs_minor, d.theirs_minor) end,
      currency = coalesce(excluded.currency, d.currency),
      evidence = case when ${IS_BOOKED} then d.evidence else excluded.evidence end,
      day = coalesce(d.day, excluded.day),
      status = case when ${CAME_BACK} then 'Open' else d.status end,
      closed_at = case when ${CAME_BACK} then null else d.closed_at end,
      resolution = case when ${CAME_BACK} then null else d.resolution end
    returning id, status`
}

/** What the provider and we agree about now. */
export interface Agreed {
  kind: DifferenceKind
  provider_id: string | null
  subject_kind: string | null
  subject_id: number | null
  attempt: number | null
}

/**
 * Closes what has arrived late: open differences about what a connection and we agree about now.
 * `fields` are those that were compared. Returns how many.
 */
export function closeAgreed(
  tx: Tx,
  { businessId, live }: Tenant,
  connectionId: number,
  { agreed, fields, now }: { agreed: readonly Agreed[]; fields: readonly string[]; now: Date },
) {
  return tx.run`
    update provider_differences d
    set status = 'Closed', resolution = 'arrived_late', closed_at = ${now}
    from json_to_recordset(${JSON.stringify(agreed)}::json)
      as a (kind text, provider_id text, subject_kind text, subject_id bigint, attempt integer)
    where d.business_id = ${businessId} and d.live = ${live}
      and d.connection_id = ${connectionId} and d.status = 'Open'
      and d.field = any(${fields}::text[]) and d.kind = a.kind
      and (d.provider_id = a.provider_id
        or (d.subject_kind, d.subject_id, d.attempt)
          = (a.subject_kind, a.subject_id, a.attempt))`
}

export interface DifferenceRow extends DifferenceValues {
  status: 'Open' | 'Closed'
  resolution: Resolution | null
  reason: string | null
  closed_by: string | null
  closed_with_journal: number | null
  proposed_resolution: Resolution | null
  proposed_reason: string | null
  proposed_by: string | null
  proposed_by_id: number | null
  proposed_at: Date | null
  first_seen_at: Date
  last_seen_at: Date
  closed_at: Date | null
}

const DIFFERENCE = sql`id, reference, connection_id, kind, class, field, source,
  provider_id, subject_kind, subject_id, attempt, ours_minor, theirs_minor, currency, evidence,
  day, status, resolution, reason, closed_by,
  closed_with_journal, proposed_resolution, proposed_reason, proposed_by, proposed_by_id,
  proposed_at, first_seen_at, last_seen_at, closed_at`

/** Locks a difference, so that one person closes it. */
export const lockDifference = (tx: Tx, { businessId, live }: Tenant, reference: string) =>
  tx.maybe<DifferenceRow>`
    select ${DIFFERENCE} from provider_differences
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
    for no key update`

export interface Closing {
  resolution: Resolution
  reason: string
  /** The name of the person. */
  by: string
  /** Who asks. */
  byId: number | null
  now: Date
}

export const updateClosed = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { resolution, reason, by, now }: Closing,
  journalId: number | null,
) =>
  tx.one<DifferenceRow>`
    update provider_differences
    set status = 'Closed', resolution = ${resolution}, reason = ${reason}, closed_by = ${by},
      closed_with_journal = ${journalId}, closed_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Open'
    returning ${DIFFERENCE}`

/**
 * Lets an open difference about the amount of an order say what it is about since the order ended
 * unpaid: nothing of what the provider reports is booked. Returns 0 if that is a difference
 * already.
 */
export const updateToUnpaid = (tx: Tx, { businessId, live }: Tenant, id: number) =>
  tx.run`
    update provider_differences d
    set field = 'status', ours_minor = 0, proposed_resolution = null, proposed_reason = null,
      proposed_by = null, proposed_by_id = null, proposed_at = null
    where d.business_id = ${businessId} and d.live = ${live} and d.id = ${id}
      and d.status = 'Open' and d.field = 'amount'
      and not exists (
        select from provider_differences o
        where o.business_id = ${businessId} and o.live = ${live} and o.field = 'status'
          and o.connection_id = d.connection_id and o.kind = d.kind
          and (o.provider_id = d.provider_id
            or (o.subject_kind, o.subject_id, o.attempt)
              = (d.subject_kind, d.subject_id, d.attempt)))`

/** What a provider reports: under which of its numbers, and about which of our orders. */
interface ReportedMoney {
  kind: DifferenceKind
  providerIds: readonly string[]
  order?: Pick<OrderRow, 'kind' | 'subject_id' | 'attempt'>
}

/**
 * Whether a person has booked what a provider reports, when they closed a difference about it.
 * Locks the differences until the transaction ends, so that nobody closes one meanwhile. Everything
 * that books a report calls this first: closing locks the difference before anything else, too.
 */
export async function lockBooked(
  tx: Tx,
  { businessId, live }: Tenant,
  connectionId: number,
  { kind, providerIds, order }: ReportedMoney,
): Promise<boolean> {
  const isOfOrder = order
    ? sql`subject_kind = ${order.kind} and subject_id = ${order.subject_id}
        and attempt = ${order.attempt}`
    : sql`false`
  const rows = await tx.many<{ is_booked: boolean }>`
    select closed_with_journal is not null or resolution = 'allocated' as is_booked
    from provider_differences
    where business_id = ${businessId} and live = ${live} and field in ('', 'status') and (
      connection_id = ${connectionId} and kind = ${kind}
        and provider_id = any(${providerIds}::text[])
      or ${isOfOrder})
    order by id
    for no key update`
  return rows.some((row) => row.is_booked)
}

export const updateProposed = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { resolution, reason, by, byId, now }: Closing,
) =>
  tx.one<DifferenceRow>`
    update provider_differences
    set proposed_resolution = ${resolution}, proposed_reason = ${reason}, proposed_by = ${by},
      proposed_by_id = ${byId}, proposed_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Open'
    returning ${DIFFERENCE}`
