import type pg from 'pg'
import type { Db, Statement, Tx } from '../../db/database.ts'
import { isLeaseFree, keyCondition, takeDue } from '../../db/leases.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { TOLD_SEQUENCE } from '../../events/append.ts'
import { canDelete, isNotHeld, type Search } from '../../jobs/retention.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { ATTEMPT, COLUMNS, DELIVERY, type DeliveryRow, EVENT, type WebhookRow } from './queries.ts'
import type { Outcome } from './send.ts'

/**
 * A delivery that belongs to this process until the lease ends, with everything that an attempt
 * needs.
 */
export interface ClaimedRow {
  business_id: number
  live: boolean
  webhook_id: number
  event_id: number
  object_id: number
  /**
   * The number of attempts since the delivery was last queued. Together with the lease, shows
   * whether the delivery still belongs to this process.
   */
  round_count: number
  /** When it would be due if it had not been brought forward. */
  planned_at: Date | null
  lease_until: Date
  url: string
  /** When the URL first responded with 2xx. */
  url_proved_at: Date | null
  secret_encrypted: Buffer | null
  previous_secret_encrypted: Buffer | null
  /** Secrets from before they were encrypted. */
  secret_plain: string | null
  previous_secret_plain: string | null
  previous_until: Date | null
  /** The number of consecutive failed attempts at the endpoint. */
  failure_count: number
  /** Since when all attempts at the endpoint have failed. */
  failing_since: Date | null
  reference: string
  type: string
  sequence: number
  data: string
  created_at: Date
  /** How far the clock of the business is ahead of the server's. */
  ahead_ms: number
}

interface DueFilter {
  /**
   * Which deliveries are due: by the server's clock or, for the business `only`, by its test clock.
   */
  now: Date
  /** The server's clock, which determines when leases end. */
  serverNow: Date
  leaseUntil: Date
  only: number | undefined
  /** How many to claim in total, and per endpoint. */
  limit: number
  room: number
  /** Endpoints with a different limit. */
  rooms: ReadonlyMap<number, number>
  /** The endpoint after which to start, so that each endpoint gets its turn. */
  after: number
}

const ENDPOINTS_MAX = 1_000

/**
 * Claims due deliveries for active endpoints, starting with those that have waited longest at each
 * endpoint. Several processes never claim the same delivery.
 */
export function claimDue(db: Db, filter: DueFilter) {
  const { now, serverNow, leaseUntil, limit, room, rooms, after } = filter
  const dueOf = (endpoint: Sql) => sql`
    d.business_id = ${endpoint}.business_id and d.live = ${endpoint}.live
    and d.webhook_id = ${endpoint}.webhook_id and d.status = 'Pending' and d.due_at <= ${now}
    and ${isLeaseFree(sql`d.lease_until`, serverNow)}`
  const roomOf = sql`unnest(${[...rooms.keys()]}::bigint[], ${[...rooms.values()]}::int[])
      as other (webhook_id, room) using (webhook_id)`
  // On several machines, each looks among its own endpoints.
  const findEach = () => db.many<EndpointKey & { room: number }>`
    select e.business_id, e.live, e.webhook_id, coalesce(other.room, ${room}::int) as room
    from (select business_id, live, id as webhook_id from webhooks where status = 'Active') e
    left join ${roomOf}
    where coalesce(other.room, ${room}::int) > 0 and ${isOnly(filter.only)}
      and exists (select from webhook_deliveries d where ${dueOf(sql`e`)})
    order by e.webhook_id <= ${after}, e.webhook_id limit ${ENDPOINTS_MAX}`
  const find = () => db.many<EndpointKey & { room: number }>`
    with recursive ${waiting(filter.only)}
    select e.*, coalesce(other.room, ${room}::int) as room
    from waiting e
    join webhooks w
      on w.business_id = e.business_id and w.live = e.live and w.id = e.webhook_id
        and w.status = 'Active'
    left join ${roomOf}
    where coalesce(other.room, ${room}::int) > 0
      and exists (select from webhook_deliveries d where ${dueOf(sql`e`)} offset 0)
    order by e.webhook_id <= ${after}, e.webhook_id limit ${ENDPOINTS_MAX}`
  // Takes whatever is due by then, because other claims for an endpoint run at the same time.
  const claim = (endpoints: (EndpointKey & { room: number })[]) => db.many<ClaimedRow>`
    with due as materialized (
      select due.*
      from unnest(
        ${endpoints.map(({ business_id }) => business_id)}::bigint[],
        ${endpoints.map(({ live }) => live)}::boolean[],
        ${endpoints.map(({ webhook_id }) => webhook_id)}::bigint[],
        ${endpoints.map((one) => one.room)}::int[]
      ) as o (business_id, live, webhook_id, room)
      join webhooks w
        on w.business_id = o.business_id and w.live = o.live and w.id = o.webhook_id
          and w.status = 'Active'
      cross join lateral (
        select d.business_id, d.live, d.webhook_id, d.event_id
        from webhook_deliveries d where ${dueOf(sql`o`)}
        order by d.due_at, d.event_id limit o.room for update skip locked
      ) due
      limit ${limit}
    ), ${taken(leaseUntil)}
    order by taken.due_at, taken.event_id`
  return takeDue(db, db.isDivided ? findEach : find, claim)
}

const isOnly = (only: number | undefined): Sql =>
  only === undefined ? sql`true` : sql`business_id = ${only} and live = false`

/**
 * Selects the endpoints with pending deliveries. Finds each endpoint from the previous one in the
 * index, so the number of steps depends on the number of endpoints, not on how many deliveries are
 * waiting.
 */
function waiting(only: number | undefined): Sql {
  const of = isOnly(only)
  return sql`waiting as (
      (select business_id, live, webhook_id from webhook_deliveries
        where status = 'Pending' and ${of}
        order by business_id, live, webhook_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select business_id, live, webhook_id from webhook_deliveries
        where status = 'Pending' and ${of}
          and (business_id, live, webhook_id) > (w.business_id, w.live, w.webhook_id)
        order by business_id, live, webhook_id limit 1
      ) next
    )`
}

/** Marks the rows in `due` as claimed, and returns what an attempt needs. */
const taken = (leaseUntil: Date): Sql => sql`taken as (
      update webhook_deliveries d set lease_until = ${leaseUntil}
      from due
      where d.business_id = due.business_id and d.live = due.live
        and d.webhook_id = due.webhook_id and d.event_id = due.event_id
      returning d.*
    )
    select taken.business_id, taken.live, taken.webhook_id, taken.event_id, taken.object_id,
      taken.round_count, taken.planned_at, taken.lease_until, w.url, w.url_proved_at,
      w.secret_encrypted, w.previous_secret_encrypted, w.secret_plain, w.previous_secret_plain,
      w.previous_until, w.failure_count, w.failing_since,
      e.reference, e.type, e.sequence, e.data, e.created_at,
      case when taken.live then 0 else b.test_clock_offset_ms end as ahead_ms
    from taken
    join webhooks w on w.business_id = taken.business_id and w.live = taken.live
      and w.id = taken.webhook_id
    join businesses b on b.id = taken.business_id
    -- From the key of events and never by reading many of them, whatever their number.
    cross join lateral (
      select reference, type, ${TOLD_SEQUENCE}, data, created_at from events
      where business_id = taken.business_id and live = taken.live
        and created_at = taken.event_at and id = taken.event_id
      offset 0
    ) e`

export function claimMore(
  db: Db,
  { business_id, live, webhook_id }: ClaimedRow,
  {
    now,
    serverNow,
    leaseUntil,
    limit,
  }: Pick<DueFilter, 'now' | 'serverNow' | 'leaseUntil' | 'limit'>,
) {
  return db.many<ClaimedRow>`
    with due as materialized (
      select d.business_id, d.live, d.webhook_id, d.event_id from webhook_deliveries d
      where d.business_id = ${business_id} and d.live = ${live} and d.webhook_id = ${webhook_id}
        and d.status = 'Pending' and d.due_at <= ${now}
        and ${isLeaseFree(sql`d.lease_until`, serverNow)}
        and exists (
          select from webhooks w
          where w.business_id = ${business_id} and w.live = ${live} and w.id = ${webhook_id}
            and w.status = 'Active')
      order by d.due_at, d.event_id limit ${limit} for update skip locked
    ), ${taken(leaseUntil)}
    order by taken.due_at, taken.event_id`
}

export interface DeliveryKey extends Tenant {
  webhookId: number
  eventId: number
}

/** Claims a pending delivery, due or not, for an endpoint that has not been deleted. */
export function claimOne(
  db: Db,
  { businessId, live, webhookId, eventId }: DeliveryKey,
  { serverNow, leaseUntil }: Pick<DueFilter, 'serverNow' | 'leaseUntil'>,
) {
  return db.maybe<ClaimedRow>`
    with due as materialized (
      select d.business_id, d.live, d.webhook_id, d.event_id from webhook_deliveries d
      join webhooks w on w.business_id = d.business_id and w.live = d.live
        and w.id = d.webhook_id and w.status <> 'Deleted'
      where d.business_id = ${businessId} and d.live = ${live} and d.webhook_id = ${webhookId}
        and d.event_id = ${eventId} and d.status = 'Pending'
        and ${isLeaseFree(sql`d.lease_until`, serverNow)}
      for update of d
    ), ${taken(leaseUntil)}`
}

/** An attempt as stored in webhook_attempts. */
export interface AttemptRow {
  number: number
  url: string
  /** The request headers, as JSON. */
  headers: string
  /** Null if there was no response. */
  status: number | null
  error: string | null
  response: string | null
  duration_ms: number
  at: Date
}

/** An attempt as returned by `send`. */
export interface Attempt extends Outcome {
  url: string
  /** As JSON. */
  headers: string
  durationMs: number
  /** By the server's clock. */
  at: Date
}

/** The outcome of a claim. Without an attempt, the delivery is released unchanged. */
export interface Result {
  claim: ClaimedRow
  attempt?: Attempt
  status: 'Delivered' | 'Failed' | 'Pending'
  /** When to try again, if the delivery is still Pending after an attempt. */
  dueAt: Date | null
  /** Whether the attempt came before its time, and so is not one of the schedule. */
  isEarly?: boolean
  /** By the business's clock. */
  now: Date
  /**
   * A previous attempt to record the result may have succeeded. In that case, there is nothing left
   * to do.
   */
  isRepeated: boolean
}

/**
 * Undefined if the delivery no longer exists, or if a repeated result had already been recorded.
 */
export type RecordedResult = RecordedRow | undefined

interface RecordedRow {
  number: number
  /** The value for the endpoint, including all results recorded so far. */
  failing_since: Date | null
  failure_count: number
}

type Run = (statement: Statement) => Promise<pg.QueryResult>

/**
 * Uses as few statements as possible. Only a second result for the same delivery, which is possible
 * after its lease has run out, needs another statement.
 */
export async function recordResults(
  run: Run,
  results: readonly Result[],
): Promise<RecordedResult[]> {
  const recorded = new Map<Result, RecordedResult>()
  for (let left = [...results]; left.length > 0; left = left.filter((one) => !recorded.has(one))) {
    const byDelivery = Map.groupBy(left, ({ claim }) => `${claim.webhook_id} ${claim.event_id}`)
    const firsts = [...byDelivery.values()].map(([first]) => first!)
    const values = [JSON.stringify(firsts.map(resultRow)), JSON.stringify(endpointRows(firsts))]
    const { rows } = await run({ name: 'record_webhook_results', text: RECORD, values })
    for (const one of firsts) recorded.set(one, undefined)
    for (const row of rows) recorded.set(firsts[row.place]!, row)
  }
  return results.map((one) => recorded.get(one))
}

function resultRow(
  { claim, attempt, isRepeated, isEarly = false, status, dueAt, now }: Result,
  place: number,
) {
  const { business_id, live, webhook_id, event_id, round_count: round, lease_until: lease } = claim
  return {
    place,
    business_id,
    live,
    webhook_id,
    event_id,
    round,
    lease,
    status,
    now,
    is_tried: attempt !== undefined,
    is_repeated: isRepeated,
    is_early: isEarly,
    due_at: dueAt,
    url: attempt?.url,
    headers: attempt?.headers,
    response_status: attempt?.status,
    error: attempt?.error,
    response: attempt?.response,
    duration_ms: attempt?.durationMs,
    at: attempt?.at,
  }
}

/**
 * Groups the results by endpoint. Keeps their order, because a success resets the count of
 * failures.
 */
function endpointRows(results: readonly Result[]) {
  const tried = results.filter(({ attempt }) => attempt)
  const rows = [...Map.groupBy(tried, ({ claim }) => claim.webhook_id).values()].map((own) => {
    const last = own.findLastIndex(({ status }) => status === 'Delivered')
    const { business_id, live, webhook_id } = own[0]!.claim
    return {
      business_id,
      live,
      webhook_id,
      succeeded_at: own[last]?.now,
      succeeded_url: own[last]?.attempt?.url,
      failures: own.length - last - 1,
      failed_at: own[last + 1]?.now,
    }
  })
  // Every process locks endpoints in this order, to prevent deadlocks.
  return rows.sort((a, b) => a.webhook_id - b.webhook_id)
}

/** True if the process still has the lease, and the delivery has not been queued again since. */
const IS_OURS = `d.status = 'Pending' and d.lease_until = r.lease and d.round_count = r.round`
const COUNTS = `(r.status = 'Delivered' or ${IS_OURS})`

/**
 * Records many results in one statement, at most one per delivery.
 *
 * If a process has lost its lease, or the delivery has been queued again, the attempt is still
 * recorded. In that case, a success counts, but a failure does not decide what happens next.
 */
const RECORD = `
with results as materialized (
  select * from json_to_recordset($1) as r (
    place integer, business_id bigint, live boolean, webhook_id bigint, event_id bigint,
    round integer, lease timestamptz, is_tried boolean, is_repeated boolean,
    is_early boolean, status text,
    due_at timestamptz, now timestamptz, url text, headers text, response_status smallint,
    error text, response text, duration_ms integer, at timestamptz)
), recorded as (
  update webhook_deliveries d set
    attempt_count = d.attempt_count + r.is_tried::int,
    round_count = d.round_count + (r.is_tried and not r.is_early and ${IS_OURS})::int,
    planned_at = case when r.is_tried and ${IS_OURS} then null else d.planned_at end,
    status = case when ${COUNTS} then r.status else d.status end,
    due_at = case when ${IS_OURS} then coalesce(r.due_at, d.due_at) else d.due_at end,
    finished_at = case when ${COUNTS} and r.status <> 'Pending' then r.now
      else d.finished_at end,
    last_status = case when r.is_tried and ${COUNTS} then r.response_status
      else d.last_status end,
    last_error = case when r.is_tried and ${COUNTS} then r.error else d.last_error end,
    lease_until = case when d.lease_until = r.lease or r.status = 'Delivered' then null
      else d.lease_until end
  from results r
  where d.business_id = r.business_id and d.live = r.live and d.webhook_id = r.webhook_id
    and d.event_id = r.event_id and (not r.is_repeated or (${IS_OURS}))
  returning d.business_id, d.live, d.webhook_id, d.event_id, r.place, d.attempt_count as number
), attempts as (
  insert into webhook_attempts
    (business_id, live, webhook_id, event_id, number, url, headers, status, error, response,
     duration_ms, at)
  select business_id, live, webhook_id, event_id, d.number, r.url, r.headers, r.response_status,
    r.error, r.response, r.duration_ms, r.at
  from recorded d join results r using (business_id, live, webhook_id, event_id, place)
  where r.is_tried
), endpoints as (
  update webhooks w set
    last_success_at = greatest(w.last_success_at, e.succeeded_at),
    url_proved_at = case when w.url = e.succeeded_url
      then coalesce(w.url_proved_at, e.succeeded_at) else w.url_proved_at end,
    failure_count = e.failures + case when e.succeeded_at is null then w.failure_count else 0 end,
    failing_since = case
      when e.failures = 0 then null
      when e.succeeded_at is null then coalesce(w.failing_since, e.failed_at)
      else e.failed_at end
  from json_to_recordset($2) as e (
    business_id bigint, live boolean, webhook_id bigint, succeeded_at timestamptz,
    succeeded_url text, failures integer, failed_at timestamptz)
  where w.business_id = e.business_id and w.live = e.live and w.id = e.webhook_id
    and w.status <> 'Deleted'
  returning w.id, w.failing_since, w.failure_count
)
select d.place, d.number, e.failing_since, coalesce(e.failure_count, 0) as failure_count
from recorded d left join endpoints e on e.id = d.webhook_id`

/** Deliveries are claimed in the order in which they are due, so each has its own microsecond. */
const HURRIED_WITHIN_MS = 1_000

/**
 * Makes waiting deliveries of one endpoint due now, those of the oldest events first, and keeps
 * when they were planned. Leaves those that are being sent, and those that the receiver asked to be
 * sent later with 429. Returns how many; if that is `limit`, there can be more.
 */
export function bringForward(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  {
    now,
    serverNow,
    limit,
    before,
  }: Pick<DueFilter, 'now' | 'serverNow' | 'limit'> & {
    /** How many have been made due already. */
    before: number
  },
) {
  const from = addMs(now, -HURRIED_WITHIN_MS)
  return db.run`
    with waiting as materialized (
      select event_id, event_at from webhook_deliveries
      where business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
        and status = 'Pending' and due_at > ${now} and last_status is distinct from 429
        and ${isLeaseFree(sql`lease_until`, serverNow)}
      order by event_at, event_id limit ${limit} for update skip locked
    ), placed as (
      select event_id, least(${now}::timestamptz, ${from}::timestamptz + interval '1 microsecond'
        * (${before}::bigint + row_number() over (order by event_at, event_id))) as due_at
      from waiting
    )
    update webhook_deliveries d set planned_at = d.due_at, due_at = placed.due_at
    from placed
    where d.business_id = ${businessId} and d.live = ${live} and d.webhook_id = ${webhookId}
      and d.event_id = placed.event_id`
}

/** Selects the last attempt at a delivery, unless the next one is in progress. */
export function selectLast(
  db: Db,
  { businessId, live, webhookId, eventId }: DeliveryKey,
  serverNow: Date,
) {
  return db.maybe<AttemptRow>`
    select a.number, a.url, a.headers, a.status, a.error, a.response, a.duration_ms, a.at
    from webhook_deliveries d
    join webhook_attempts a on a.business_id = d.business_id and a.live = d.live
      and a.webhook_id = d.webhook_id and a.event_id = d.event_id and a.number = d.attempt_count
    where d.business_id = ${businessId} and d.live = ${live} and d.webhook_id = ${webhookId}
      and d.event_id = ${eventId}
      and (${isLeaseFree(sql`d.lease_until`, serverNow)} or d.status <> 'Pending')`
}

export interface Disabling {
  id: number
  url: string
  reason: string
  now: Date
}

/** Disables an active endpoint that still has this URL. Returns the endpoint and its owner. */
export function updateDisabled(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, url, reason, now }: Disabling,
) {
  return tx.maybe<WebhookRow & { owner: string | null }>`
    update webhooks
    set status = 'Disabled', disabled_at = ${now}, disabled_reason = ${reason},
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and url = ${url}
      and status = 'Active'
    returning ${COLUMNS}, (select email from businesses b where b.id = business_id) as owner`
}

/** Whether a delivery is old, and no longer to be sent. */
const isPast = (before: Date) => sql`
  created_at < ${before} and coalesce(finished_at, due_at) < ${before}`

const isOld = (before: Date) => sql`
  ${isPast(before)} and ${isNotHeld(sql`webhook_deliveries.business_id`)}`

/** Finds old deliveries; with `only`, those of one business in test mode. */
export function selectOldDeliveries(db: Db, search: Search, only: number | undefined) {
  const of = only === undefined ? sql`true` : sql`business_id = ${only} and live = false`
  return db.many<StoredKey>`
    select business_id, live, webhook_id, event_id from webhook_deliveries
    where ${isPast(search.before)} and ${canDelete(sql`webhook_deliveries.business_id`, search)}
      and ${of}
    order by created_at limit ${search.limit}`
}

export interface WholeDelivery extends DeliveryRow, EndpointKey {
  webhook_reference: string
  attempts: AttemptRow[]
}

/** Locks old deliveries, and returns them with their attempts. */
export async function lockOldDeliveries(
  tx: Tx,
  keys: readonly StoredKey[],
  before: Date,
): Promise<WholeDelivery[]> {
  const rows = await tx.many<Omit<WholeDelivery, 'attempts'>>`
    select d.business_id, d.live, d.webhook_id, w.reference as webhook_reference, ${DELIVERY}
    from (
      select * from webhook_deliveries where ${isDelivery(keys)} and ${isOld(before)}
      for update skip locked
    ) d
    join webhooks w on w.business_id = d.business_id and w.live = d.live and w.id = d.webhook_id
    ${EVENT}`
  if (rows.length === 0) return []
  const attempts = await tx.many<AttemptRow & StoredKey>`
    select webhook_id, event_id, ${ATTEMPT} from webhook_attempts
    where ${isDelivery(rows)} order by number`
  const name = ({ webhook_id, event_id }: Omit<StoredKey, 'business_id' | 'live'>) =>
    `${webhook_id} ${event_id}`
  const byDelivery = Map.groupBy(attempts, name)
  return rows.map((row) => ({ ...row, attempts: byDelivery.get(name(row)) ?? [] }))
}

/** Deletes old deliveries with their attempts. */
export const deleteOldDeliveries = (db: Db, keys: readonly StoredKey[], before: Date) =>
  db.many`
    with old as materialized (
      select business_id, live, webhook_id, event_id from webhook_deliveries
      where ${isDelivery(keys)} and ${isOld(before)} for update skip locked
    ), attempts as (
      delete from webhook_attempts a using old
      where a.business_id = old.business_id and a.live = old.live
        and a.webhook_id = old.webhook_id and a.event_id = old.event_id
    )
    delete from webhook_deliveries d using old
    where d.business_id = old.business_id and d.live = old.live
      and d.webhook_id = old.webhook_id and d.event_id = old.event_id
    returning d.event_id`

interface EndpointKey {
  business_id: number
  live: boolean
  webhook_id: number
}

interface StoredKey extends EndpointKey {
  event_id: number
}

const isDelivery = keyCondition<StoredKey>({ webhook_id: 'bigint', event_id: 'bigint' })

/** Selects the data for the email to the owner of a disabled endpoint. */
export function selectDisabled(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<{
    url: string
    reference: string
    status: string
    failing_since: Date | null
    disabled_at: Date | null
    last_success_at: Date | null
  }>`
    select url, reference, status, failing_since, disabled_at, last_success_at from webhooks
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}
