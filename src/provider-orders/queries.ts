import { openBatch, perDatabase, readInBatches } from '../db/batch.ts'
import type { Db, Tx } from '../db/database.ts'
import { plainArray, textArray } from '../db/pg-arrays.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Outcome, ProviderRefs } from '../providers/connector/types.ts'
import { FIRST_LOOKUP_MS } from './statements.ts'

export type OrderKindName = 'charge' | 'transfer' | 'settlement' | 'refund' | 'bill'

export interface OrderRow {
  business_id: number
  live: boolean
  kind: OrderKindName
  /** The record's id. */
  subject_id: number
  attempt: number
  /** The record's reference. */
  reference: string
  connection_id: number
  sent_reference: string
  /** The earliest time at which the order may have been sent; null if it has not been sent. */
  sent_at: Date | null
}

const COLUMNS = sql`business_id, live, kind, subject_id, attempt, reference, connection_id,
  sent_reference, sent_at`

export type OrderKey = Pick<OrderRow, 'kind' | 'subject_id' | 'attempt'>

type DueRow = Pick<OrderRow, 'business_id' | 'live' | 'subject_id' | 'attempt'>

/**
 * Selects the due orders of one kind, either for all businesses or for one business's test data
 * (`only`).
 */
export function selectDue(
  db: Db,
  {
    kind,
    now,
    only,
    limit,
  }: { kind: OrderKindName; now: Date; only: number | null; limit: number },
) {
  return db.many<DueRow>`
    select business_id, live, subject_id, attempt from provider_orders
    where kind = ${kind} and next_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by next_at limit ${limit}`
}

/** The time between lookups of an order that is blocked or needs a person to act. */
const STUCK_MS: Record<string, number> = { Blocked: 10 * 60_000, NeedsAttention: 60 * 60_000 }

/** An order that no other process is acting on. */
export type ClaimedOrder = OrderRow & {
  /** Whether the provider may already have received the order. */
  may_be_sent: boolean
}

interface Claim {
  kind: OrderKindName
  rows: readonly DueRow[]
  now: Date
  /** The longest time between two lookups. */
  askMostMs: number
}

/**
 * Claims one business's orders that are still due and that no other process is claiming. The first
 * lookup follows after a minute. After that, the wait before each one equals the time since the
 * order was sent.
 */
export function claimDue(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, rows, now, askMostMs }: Claim,
) {
  return tx.many<ClaimedOrder>`
    with due as (
      select subject_id, attempt, sent_at is not null as may_be_sent from provider_orders
      where business_id = ${businessId} and live = ${live} and kind = ${kind}
        and (subject_id, attempt) in (select * from unnest(
          ${rows.map(({ subject_id }) => subject_id)}::bigint[],
          ${rows.map(({ attempt }) => attempt)}::integer[]))
        and next_at <= ${now}
      for update skip locked
    )
    update provider_orders o
    set sent_at = coalesce(sent_at, ${now}), tries = tries + 1,
      next_at = case state
        when 'Blocked' then ${addMs(now, STUCK_MS.Blocked!)}::timestamptz
        when 'NeedsAttention' then ${addMs(now, STUCK_MS.NeedsAttention!)}::timestamptz
        else least(${addMs(now, askMostMs)}::timestamptz,
          greatest(${addMs(now, FIRST_LOOKUP_MS)}::timestamptz,
            ${now}::timestamptz + (${now}::timestamptz - sent_at)))
      end
    from (select subject_id as id, attempt as nth, may_be_sent from due) due
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and (subject_id, attempt) = (due.id, due.nth)
    returning ${COLUMNS}, may_be_sent`
}

/**
 * Claims an open order, even if it is not due. The order counts as sent, because another process
 * may have claimed it without having sent it yet.
 */
export function claimOpen(tx: Tx, { businessId, live }: Tenant, key: OrderKey, now: Date) {
  return tx.maybe<ClaimedOrder>`
    update provider_orders
    set sent_at = coalesce(sent_at, ${now}), tries = tries + 1,
      next_at = ${addMs(now, FIRST_LOOKUP_MS)}
    where business_id = ${businessId} and live = ${live} and kind = ${key.kind}
      and subject_id = ${key.subject_id} and attempt = ${key.attempt} and next_at is not null
    returning ${COLUMNS}, true as may_be_sent`
}

export function selectOrder(db: Db, { businessId, live }: Tenant, key: OrderKey) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${key.kind}
      and subject_id = ${key.subject_id} and attempt = ${key.attempt}`
}

/** Selects the latest order of a record. */
export function selectCurrentOrder(
  db: Db,
  { businessId, live }: Tenant,
  kind: OrderKindName,
  subjectId: number,
) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and subject_id = ${subjectId}
    order by attempt desc limit 1`
}

/**
 * Selects the orders that a provider has under a reference. There can be several, because callers
 * used to choose the references under which refunds were sent.
 */
export const ordersBySent = readInBatches<{ tenant: Tenant; sentReference: string }, OrderRow>(
  (db, items) => db.many`
    select n, ${COLUMNS}
    from unnest(
      ${plainArray(items.map(({ tenant }) => tenant.businessId))}::bigint[],
      ${plainArray(items.map(({ tenant }) => tenant.live))}::boolean[],
      ${textArray(items.map(({ sentReference }) => sentReference))}::text[]
    ) with ordinality as i (business_id, live, sent_reference, n)
    join provider_orders using (business_id, live, sent_reference)`,
)

interface Report {
  outcome: Outcome<unknown>['kind']
  /** The state that the provider reported; null if it reported none. */
  state: string | null
  refs: ProviderRefs | undefined
  retryAfterMs: number | undefined
  now: Date
}

/** The states that a provider can still change by itself. */
const OPEN_STATES = ['Pending', 'Blocked', 'NeedsAttention']

/** The columns of a `reportRow`, for reading it from JSON. */
export const REPORT_ROW = `business_id bigint, live boolean, kind text, subject_id bigint,
  attempt integer, outcome text, new_state text, is_end boolean, new_id text, new_session text,
  reported_at timestamptz, wait_until timestamptz, look_up_at timestamptz`

export type ReportRow = ReturnType<typeof reportRow>

export function reportRow(
  { business_id, live, kind, subject_id, attempt }: OrderRow,
  { outcome, state, refs, retryAfterMs, now }: Report,
) {
  const waitMs = (state === null ? undefined : STUCK_MS[state]) ?? retryAfterMs
  return {
    ...{ business_id, live, kind, subject_id, attempt, outcome },
    new_state: state,
    is_end: state !== null && !OPEN_STATES.includes(state),
    new_id: refs?.id,
    new_session: refs?.session,
    reported_at: now,
    wait_until: waitMs === undefined ? undefined : addMs(now, waitMs),
    look_up_at: addMs(now, FIRST_LOOKUP_MS),
  }
}

/**
 * Stores what providers reported about orders, ends those that are final, and schedules the next
 * lookup if the claim could not. An order that has ended stays ended. `reports` has REPORT_ROW, and
 * must have a limit. Without a limit, the planner expects so many rows that it reads the whole
 * table.
 */
export const updateReported = (reports: Sql): Sql => sql`
  update provider_orders o
  set last_outcome = r.outcome,
    state = case when ended_at is null or r.is_end then coalesce(r.new_state, state)
      else state end,
    provider_id = coalesce(r.new_id, provider_id),
    provider_session = coalesce(r.new_session, provider_session),
    ended_at = case when r.is_end then coalesce(ended_at, r.reported_at) else ended_at end,
    next_at = case
      when ended_at is not null or r.is_end then null
      when r.wait_until is not null then r.wait_until
      when state in ('Blocked', 'NeedsAttention') and r.new_state is not null then r.look_up_at
      else next_at
    end
  from ${reports} r
  where o.business_id = r.business_id and o.live = r.live and o.kind = r.kind
    and o.subject_id = r.subject_id and o.attempt = r.attempt`

export const storeReports = (db: Db, reports: readonly ReportRow[]) => db.run`
  with reports as (
    select * from json_to_recordset(${JSON.stringify(reports)}::json)
      as t (${new Sql([REPORT_ROW], [])}) limit ${reports.length}
  )
  ${updateReported(sql`reports`)}`

/** Stores reports that do not change their records. */
export const reportBatch = perDatabase((db) =>
  openBatch<ReportRow, void>(async (reports) => {
    await storeReports(db, reports)
    return reports.map(() => undefined)
  }),
)
