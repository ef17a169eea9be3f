import { openBatch, perDatabase, readInBatches } from '../db/batch.ts'
import type { Db, Tx } from '../db/database.ts'
import { plainArray, textArray } from '../db/pg-arrays.ts'
import { Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Minor } from '../lib/money.ts'
import type { Outcome, ProviderRefs } from '../providers/connector/types.ts'
import { FIRST_LOOKUP_MS } from './statements.ts'

export type OrderKindName =
  | 'charge'
  | 'transfer'
  | 'settlement'
  | 'refund'
  | 'deposit_return'
  | 'bill'

/** Why a person has to look at an order. */
export type Attention =
  | 'unknown'
  | 'not_found'
  | 'not_sent'
  | 'bad_request'
  | 'different'
  | 'blocked'
  | 'contradiction'

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
  /** The provider's own ids. */
  provider_id: string | null
  provider_session: string | null
  /** Null for orders from before the columns existed. */
  amount_minor: Minor | null
  currency: string | null
  state: string | null
  tries: number
  /** The earliest and latest times at which the order may have been sent; null if it was not. */
  sent_at: Date | null
  last_sent_at: Date | null
  absent_since: Date | null
  is_refused: boolean
  not_now_count: number
  not_now_since: Date | null
  attention: Attention | null
  created_at: Date
  ended_at: Date | null
}

/** An order that was claimed, or written by the request that sends it. */
export type ClaimedOrder = OrderRow & {
  /** Whether an earlier call may have delivered the order. */
  may_be_sent: boolean
}

export const COLUMNS = sql`business_id, live, kind, subject_id, attempt, reference, connection_id,
  sent_reference, provider_id, provider_session, amount_minor, currency, state, tries, sent_at,
  coalesce(last_sent_at, sent_at) as last_sent_at, absent_since, is_refused, not_now_count,
  not_now_since, attention, created_at, ended_at`

export type OrderKey = Pick<OrderRow, 'kind' | 'subject_id' | 'attempt'>

type DueRow = Pick<OrderRow, 'business_id' | 'live' | 'subject_id' | 'attempt' | 'connection_id'>

/**
 * Whether the connection of an order `o` takes orders now. While it is paused, it only sends its
 * payments back.
 */
const isActive = sql`exists (
  select from provider_connections c where c.id = o.connection_id
    and (c.status = 'Active'
      or c.status = 'Paused' and o.kind in ('refund', 'deposit_return')))`

/** Orders that may have been sent are looked up, whatever the connection's status. */
const canBeActedOn = sql`(o.sent_at is not null or ${isActive})`

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
    select business_id, live, subject_id, attempt, connection_id from provider_orders o
    where kind = ${kind} and next_at <= ${now} and ${canBeActedOn}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by next_at limit ${limit}`
}

/** The time between lookups of an order that is blocked or needs a person to act. */
const STUCK_MS: Record<string, number> = { Blocked: 10 * 60_000, NeedsAttention: 60 * 60_000 }

const MOST_MS = 10 * 60_000

/** When a charge is looked up, after the payer can no longer pay. */
const EXPIRED_STEPS = ['0', '5 minutes', '1 hour', '24 hours', '72 hours']

/** Whether the last of these lookups is over. If it gets no response, it is made again each day. */
const isLastLookup = sql`lookup_plan <> 'payout'
  and expires_at + interval '72 hours' <= r.reported_at`

/**
 * When the order is due again, if no report changes that. For an order that is about to be sent,
 * this is how long the process that claimed it has to send it: nobody else claims it before.
 */
const nextLookup = (now: Date): Sql => sql`case
  when state = 'Blocked' then ${addMs(now, STUCK_MS.Blocked!)}::timestamptz
  when state = 'NeedsAttention' then ${addMs(now, STUCK_MS.NeedsAttention!)}::timestamptz
  when o.sent_at is null or lookup_plan = 'payer' and expires_at > ${now}
    then ${addMs(now, FIRST_LOOKUP_MS)}::timestamptz
  when lookup_plan = 'payout' or expires_at is null
    then least(${addMs(now, MOST_MS)}::timestamptz,
      greatest(${addMs(now, FIRST_LOOKUP_MS)}::timestamptz,
        ${now}::timestamptz + (${now}::timestamptz - coalesce(last_sent_at, o.sent_at))))
  else coalesce(
    (select min(expires_at + step) from unnest(${EXPIRED_STEPS}::interval[]) as step
      where expires_at + step > ${now}),
    ${now}::timestamptz + interval '24 hours')
end`

interface Claim {
  kind: OrderKindName
  rows: readonly DueRow[]
  now: Date
}

/** Claims one business's orders that are still due and that no other process is claiming. */
export function claimDue(tx: Tx, { businessId, live }: Tenant, { kind, rows, now }: Claim) {
  return tx.many<ClaimedOrder>`
    with due as (
      select subject_id, attempt, sent_at is not null as may_be_sent from provider_orders o
      where business_id = ${businessId} and live = ${live} and kind = ${kind}
        and (subject_id, attempt) in (select * from unnest(
          ${rows.map(({ subject_id }) => subject_id)}::bigint[],
          ${rows.map(({ attempt }) => attempt)}::integer[]))
        and next_at <= ${now} and ${canBeActedOn}
      for update skip locked
    )
    update provider_orders o
    set sent_at = coalesce(sent_at, ${now}), tries = tries + 1, next_at = ${nextLookup(now)}
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

/** Claims an order that a request sends, if it has not been sent and nobody else is sending it. */
export function claimUnsent(tx: Tx, order: OrderRow, now: Date) {
  return tx.maybe<ClaimedOrder>`
    update provider_orders o
    set sent_at = ${now}, tries = tries + 1, next_at = ${addMs(now, FIRST_LOOKUP_MS)}
    where ${isOrder(order)} and tries = ${order.tries} and sent_at is null and ended_at is null
      and ${isActive}
    returning ${COLUMNS}, false as may_be_sent`
}

/**
 * Lets the process that claimed an order send it once more, as it has never arrived. Returns
 * nothing if another process has claimed the order since.
 */
export function claimAgain(db: Db, order: OrderRow, now: Date) {
  return db.maybe<ClaimedOrder>`
    update provider_orders o
    set last_sent_at = ${now}, absent_since = null, next_at = ${addMs(now, FIRST_LOOKUP_MS)}
    where ${isOrder(order)} and tries = ${order.tries} and ended_at is null and ${isActive}
    returning ${COLUMNS}, true as may_be_sent`
}

const isOrder = ({ business_id, live, kind, subject_id, attempt }: OrderRow): Sql =>
  sql`business_id = ${business_id} and live = ${live} and kind = ${kind}
    and subject_id = ${subject_id} and attempt = ${attempt}`

/** Selects the latest order of a record, without those that another has replaced unsent. */
export function selectCurrentOrder(
  db: Db,
  { businessId, live }: Tenant,
  kind: OrderKindName,
  subjectId: number,
) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and subject_id = ${subjectId} and state is distinct from 'Moved'
    order by attempt desc limit 1`
}

export function selectOrder(db: Db, { businessId, live }: Tenant, key: OrderKey) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${key.kind}
      and subject_id = ${key.subject_id} and attempt = ${key.attempt}`
}

/** Selects the order of a charge through which it was paid. */
export function selectPaidOrder(db: Db, { businessId, live }: Tenant, subjectId: number) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = 'charge'
      and subject_id = ${subjectId} and state is distinct from 'Moved'
    order by coalesce(state in ('Successful', 'Reversed'), false) desc, attempt desc limit 1`
}

/** Selects the earlier orders of a record that the provider may still execute. */
export function selectOpenFormers(
  db: Db,
  { business_id, live, kind, subject_id, attempt }: OrderRow,
) {
  return db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${business_id} and live = ${live} and kind = ${kind}
      and subject_id = ${subject_id} and attempt < ${attempt} and sent_at is not null
      and (state is null or state not in ('Failed', 'Rejected'))
    order by attempt`
}

/** Returns whether another order of the same record is open. */
export async function hasOtherOpen(
  db: Db,
  { business_id, live, kind, subject_id, attempt }: OrderRow,
): Promise<boolean> {
  const found = await db.maybe`
    select from provider_orders
    where business_id = ${business_id} and live = ${live} and kind = ${kind}
      and subject_id = ${subject_id} and attempt <> ${attempt} and ended_at is null limit 1`
  return found !== undefined
}

/** Selects the connections from which the order has moved since then. */
export async function selectLeft(
  db: Db,
  { business_id, live, kind, subject_id }: OrderRow,
  since: Date,
): Promise<number[]> {
  const rows = await db.many<{ connection_id: number }>`
    select distinct connection_id from provider_orders
    where business_id = ${business_id} and live = ${live} and kind = ${kind}
      and subject_id = ${subject_id} and state = 'Moved' and ended_at > ${since}`
  return rows.map(({ connection_id }) => connection_id)
}

interface MovedOrder {
  connectionId: number
  sentReference: string
  now: Date
}

/**
 * Ends an order that has not been sent, and adds one at another connection, which the caller then
 * sends. Returns nothing if the order may have been sent: it never moves while the provider might
 * have it.
 */
export function moveOrder(
  tx: Tx,
  order: OrderRow,
  { connectionId, sentReference, now }: MovedOrder,
) {
  return tx.maybe<ClaimedOrder>`
    with former as (
      update provider_orders set next_at = null, ended_at = ${now}, state = 'Moved'
      where ${isOrder(order)} and sent_at is null and ended_at is null and tries = ${order.tries}
      returning *
    )
    insert into provider_orders
      (business_id, live, kind, subject_id, attempt, reference, connection_id, sent_reference,
       reference_format, amount_minor, currency, expires_at, lookup_plan, not_now_count,
       not_now_since, tries, sent_at, next_at, created_at)
    select business_id, live, kind, subject_id, attempt + 1, reference, ${connectionId}::bigint,
      ${sentReference}::text, 2, amount_minor, currency, expires_at, lookup_plan, not_now_count,
      not_now_since, 1, ${now}, ${addMs(now, FIRST_LOOKUP_MS)}, ${now}
    from former
    returning ${COLUMNS}, false as may_be_sent`
}

/**
 * Adds another order for a charge whose start may have been lost, which the caller then sends. The
 * former one is looked up until the end of its plan. Returns nothing if the former may still be
 * being sent, or if another request was faster.
 */
export function restartOrder(db: Db, order: OrderRow, sentReference: string, now: Date) {
  return db.maybe<ClaimedOrder>`
    insert into provider_orders
      (business_id, live, kind, subject_id, attempt, reference, connection_id, sent_reference,
       reference_format, amount_minor, currency, expires_at, lookup_plan, tries, sent_at, next_at,
       created_at)
    select business_id, live, kind, subject_id, attempt + 1, reference, connection_id,
      ${sentReference}::text, 2, amount_minor, currency, expires_at, lookup_plan, 1, ${now},
      ${addMs(now, FIRST_LOOKUP_MS)}, ${now}
    from provider_orders
    where ${isOrder(order)} and ended_at is null
      and coalesce(last_sent_at, sent_at) <= ${addMs(now, -FIRST_LOOKUP_MS)}
    on conflict (business_id, live, kind, subject_id, attempt) do nothing
    returning ${COLUMNS}, false as may_be_sent`
}

/**
 * Adds another order for a charge that has been started, which the caller then sends. Returns
 * nothing if no order of the charge can be paid any more, if the provider has not responded to the
 * former one yet, or if another request was faster.
 */
export function addOrder(
  tx: Tx,
  order: OrderRow,
  { connectionId, sentReference, now }: MovedOrder,
) {
  const { business_id, live, kind, subject_id } = order
  return tx.maybe<ClaimedOrder>`
    insert into provider_orders
      (business_id, live, kind, subject_id, attempt, reference, connection_id, sent_reference,
       reference_format, amount_minor, currency, expires_at, lookup_plan, tries, sent_at, next_at,
       created_at)
    select business_id, live, kind, subject_id, attempt + 1, reference, ${connectionId}::bigint,
      ${sentReference}::text, 2, amount_minor, currency, expires_at, lookup_plan, 1, ${now},
      ${addMs(now, FIRST_LOOKUP_MS)}, ${now}
    from provider_orders
    where ${isOrder(order)} and (state = 'Pending' or state = 'Failed') and exists (
      select from provider_orders e
      where e.business_id = ${business_id} and e.live = ${live} and e.kind = ${kind}
        and e.subject_id = ${subject_id} and e.ended_at is null)
    on conflict (business_id, live, kind, subject_id, attempt) do nothing
    returning ${COLUMNS}, false as may_be_sent`
}

/**
 * Ends an order that has not been sent, because an earlier one was paid after all. `claimed` is the
 * order as this process claimed it, if it knows that it has not sent it. Returns whether the order
 * was still unsent.
 */
export async function giveUpOrder(
  tx: Tx,
  order: OrderRow,
  now: Date,
  claimed: boolean,
): Promise<boolean> {
  const unsent = claimed
    ? sql`sent_at = ${order.sent_at} and tries = ${order.tries}`
    : sql`sent_at is null`
  const ended = await tx.run`
    update provider_orders
    set sent_at = null, next_at = null, ended_at = ${now}, state = 'Moved', attention = null,
      attention_at = null
    where ${isOrder(order)} and ended_at is null and ${unsent}`
  return ended === 1
}

/** Asks a person to look at an order that another report contradicts. */
export function markContradicted(tx: Tx, order: OrderRow, now: Date) {
  return tx.run`
    update provider_orders
    set attention = 'contradiction', attention_at = coalesce(attention_at, ${now})
    where ${isOrder(order)}`
}

/**
 * Selects the order that a provider has under a reference. Only such references are unique that we
 * derived, and their index has no others.
 */
export const ordersBySent = readInBatches<{ tenant: Tenant; sentReference: string }, OrderRow>(
  (db, items) => db.many`
    select n, ${COLUMNS}
    from unnest(
      ${plainArray(items.map(({ tenant }) => tenant.businessId))}::bigint[],
      ${plainArray(items.map(({ tenant }) => tenant.live))}::boolean[],
      ${textArray(items.map(({ sentReference }) => sentReference))}::text[]
    ) with ordinality as i (business_id, live, sent_reference, n)
    join provider_orders using (business_id, live, sent_reference)
    where reference_format = 2`,
)

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
  claimed_tries integer, reported_at timestamptz, wait_until timestamptz, look_up_at timestamptz`

export type ReportRow = ReturnType<typeof reportRow>

/** Columns that are absent here are null in the statement. */
export function reportRow(order: OrderRow, { outcome, state, refs, now, ...report }: Report) {
  const { business_id, live, kind, subject_id, attempt } = order
  const waitMs = (state === undefined ? undefined : STUCK_MS[state]) ?? report.waitMs
  return {
    ...{ business_id, live, kind, subject_id, attempt, outcome },
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
    wait_until: waitMs === undefined ? undefined : addMs(now, waitMs),
    look_up_at: addMs(now, FIRST_LOOKUP_MS),
  }
}

/** Whether the order is as the process that reports claimed it, so that no other call sent it. */
const isClaimed = sql`o.sent_at = r.claimed_sent_at and o.tries = r.claimed_tries
  and ended_at is null and attention is distinct from 'contradiction'`

/** Whether the order ends with the report. */
const isEnd = sql`(r.is_end or r.outcome = 'done' and ${isLastLookup})`

/** A report that the order is done settles whatever a person had to look at. */
const attention = sql`case
  when attention = 'contradiction' then attention
  when r.new_attention is not null then r.new_attention
  when r.outcome <> 'done' and r.is_end is not true then attention
end`

/**
 * Stores what providers reported about orders, ends those that are final, and schedules the next
 * lookup if the claim could not. An order that has ended stays ended. An order that certainly never
 * arrived becomes unsent again. `reports` has REPORT_ROW, and must have a limit. Without a limit,
 * the planner expects so many rows that it reads the whole table.
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
      when r.outcome = 'done' then null else not_now_since end,
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
  openBatch<ReportRow, void>(async (reports) => {
    await storeReports(db, reports)
    return reports.map(() => undefined)
  }),
)
