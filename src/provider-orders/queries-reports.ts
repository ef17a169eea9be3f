import { openBatch, perDatabase } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { Sql, sql } from '../db/sql.ts'
import { addMs } from '../lib/clock.ts'
import type { Minor } from '../lib/money.ts'
import type { Outcome, ProviderRefs } from '../providers/connector/types.ts'
import { type Attention, type OrderRow, STUCK_MS } from './queries.ts'
import { FIRST_LOOKUP_MS } from './statements.ts'

export interface Report {
  outcome: Outcome<unknown>['kind']
  /** Why the outcome is not `done`. */
  code?: string | undefined
  message?: string | undefined
  /** The state that the provider reported, if it is applied. */
  state?: string
  refs?: ProviderRefs | undefined
  fee_minor?: Minor | undefined
  /** When to act on the order again; if it is absent, the claim has decided. */
  waitMs?: number | undefined
  attention?: Attention | undefined
  /** The provider could not take the order now. */
  isNotNow?: boolean
  /** Nothing has happened, so the order has not been sent, unless another process acts on it. */
  isNotSent?: boolean
  /** Like `isNotSent`, but a lookup has to confirm it. */
  isRefused?: boolean
  /** The provider does not know the order. */
  isAbsent?: boolean
  now: Date
}

/** The states that a provider can still change by itself. */
const OPEN_STATES = ['Pending', 'Blocked', 'NeedsAttention']

/** The columns of a `reportRow`, for reading it from JSON. */
export const REPORT_ROW = `business_id bigint, live boolean, kind text, subject_id bigint,
  attempt integer, outcome text, code text, said text, new_state text, is_end boolean, new_id text,
  new_session text, new_fee_minor bigint, new_attention text, is_not_now boolean,
  is_not_sent boolean, is_refused_now boolean, is_absent boolean, claimed_sent_at timestamptz,
  claimed_tries integer, reported_at timestamptz, last_lookup_of timestamptz,
  wait_until timestamptz, look_up_at timestamptz`

export type ReportRow = ReturnType<typeof reportRow>

/** Columns that are absent here are null in the statement. */
export function reportRow(order: OrderRow, { outcome, state, refs, now, ...report }: Report) {
  const { business_id, live, kind, subject_id, attempt } = order
  const waitMs = (state === undefined ? undefined : STUCK_MS[state]) ?? report.waitMs
  return {
    business_id,
    live,
    kind,
    subject_id,
    attempt,
    outcome,
    code: report.code,
    said: report.message,
    new_state: state,
    is_end: state !== undefined && !OPEN_STATES.includes(state),
    new_id: refs?.id,
    new_session: refs?.session,
    new_fee_minor: report.fee_minor === undefined ? undefined : `${report.fee_minor}`,
    new_attention: report.attention,
    is_not_now: report.isNotNow,
    is_absent: report.isAbsent,
    ...((report.isNotSent || report.isRefused) && {
      is_not_sent: report.isNotSent,
      is_refused_now: report.isRefused,
      claimed_sent_at: order.sent_at,
      claimed_tries: order.tries,
    }),
    reported_at: now,
    last_lookup_of: addMs(now, -LAST_LOOKUP_MS),
    wait_until: waitMs === undefined ? undefined : addMs(now, waitMs),
    look_up_at: addMs(now, FIRST_LOOKUP_MS),
  }
}

/** Whether the order is as the process that reports claimed it, so that no other call sent it. */
const isClaimed = sql`o.sent_at = r.claimed_sent_at and o.tries = r.claimed_tries
  and ended_at is null and attention is distinct from 'contradiction'`

/** How long after a charge has expired it is looked up for the last time. */
const LAST_LOOKUP_MS = 72 * 3_600_000

/** Whether the last lookup of a charge is over. Without a response, it is made again each day. */
const isLastLookup = sql`lookup_plan <> 'payout'
  and expires_at <= r.last_lookup_of`

/** Whether the order ends with the report. */
const isEnd = sql`(r.is_end or r.outcome = 'done' and ${isLastLookup})`

/**
 * A report that the order is done settles whatever a person had to look at. Nobody can decide about
 * an order that has ended.
 */
const attention = sql`case
  when 'contradiction' in (attention, r.new_attention) then 'contradiction'
  when ended_at is not null or ${isEnd} then null
  when r.new_attention is not null then r.new_attention
  when r.outcome <> 'done' then attention
end`

/**
 * Stores what providers reported about orders, ends those that are final, and schedules the next
 * lookup if the claim could not. An order that has ended stays ended. An order that certainly never
 * arrived becomes unsent again. One that was accepted can still fail because of its
 * connection, so `not_now_since` stays. `reports` has REPORT_ROW, and must have a limit. Without a
 * limit, the planner expects so many rows that it reads the whole table.
 */
export const updateReported = (reports: Sql): Sql => sql`
  update provider_orders o
  set last_outcome = r.outcome, last_code = r.code, last_message = r.said,
    state = case when ended_at is null or r.is_end then coalesce(r.new_state, state)
      else state end,
    provider_id = coalesce(r.new_id, provider_id),
    provider_session = coalesce(r.new_session, provider_session),
    fee_minor = coalesce(r.new_fee_minor, fee_minor),
    sent_at = case when r.is_not_sent and ${isClaimed} then null else sent_at end,
    last_sent_at = case when r.is_not_sent and ${isClaimed} then null else last_sent_at end,
    is_refused = case when r.is_refused_now and ${isClaimed} then true
      when r.is_not_sent and ${isClaimed} or r.outcome = 'done' then false
      else is_refused end,
    absent_since = case when r.is_absent then coalesce(absent_since, r.reported_at) end,
    not_now_count = not_now_count + case when r.is_not_now then 1 else 0 end,
    not_now_since = case when r.is_not_now then coalesce(not_now_since, r.reported_at)
      else not_now_since end,
    attention = ${attention},
    attention_at = case when ${attention} is not null
      then coalesce(attention_at, r.reported_at) end,
    ended_at = case when ${isEnd} then coalesce(ended_at, r.reported_at) else ended_at end,
    next_at = case
      when ended_at is not null or ${isEnd} then null
      when r.is_not_sent
        then case when ${isClaimed} then coalesce(r.wait_until, r.reported_at) else next_at end
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
  openBatch<ReportRow, void>({
    db,
    businessOf: ({ business_id }) => business_id,
    async write(reports) {
      await storeReports(db, reports)
      return reports.map(() => undefined)
    },
  }),
)
