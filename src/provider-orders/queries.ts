import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Outcome, ProviderRefs } from './provider.ts'
import { FIRST_LOOKUP_MS } from './statements.ts'

export type OrderKindName = 'charge' | 'transfer' | 'settlement' | 'refund' | 'bill'

/** One order placed with a provider. */
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
  /** The earliest time it may have been sent; null before that. */
  sent_at: Date | null
}

const COLUMNS = sql`business_id, live, kind, subject_id, attempt, reference, connection_id,
  sent_reference, sent_at`

/** Identifies a record's order. */
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

/** The time between look-ups of an order that is blocked or needs a person to act. */
const STUCK_MS: Record<string, number> = { Blocked: 10 * 60_000, NeedsAttention: 60 * 60_000 }

/** An order that only this process is currently acting on. */
export type ClaimedOrder = OrderRow & {
  /** Whether the provider may already have received it. */
  may_be_sent: boolean
}

interface Claim {
  kind: OrderKindName
  rows: readonly DueRow[]
  now: Date
  /** The longest time between two look-ups. */
  askMostMs: number
}

/**
 * Claims one business's orders that are still due and are not being claimed by another process. The
 * first look-up follows after a minute; after that, the wait before each one equals the time since
 * the order was sent.
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
 * Claims an open order, whether or not it is due. It counts as sent, because another process may
 * have claimed it without having sent it yet.
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

/**
 * Selects the order that a provider knows by the given reference. Callers used to choose the
 * references under which refunds were sent, so another order may have the same one.
 */
export function selectBySent(db: Db, { businessId, live }: Tenant, sentReference: string) {
  return db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where sent_reference = ${sentReference} and business_id = ${businessId} and live = ${live}`
}

interface Heard {
  outcome: Outcome<unknown>['kind']
  /** The state reported by the provider; null if it reported none. */
  state: string | null
  refs: ProviderRefs | undefined
  retryAfterMs: number | undefined
  now: Date
}

/** The states that a provider can still change on its own. */
const OPEN_STATES = ['Pending', 'Blocked', 'NeedsAttention']

/**
 * Stores what the provider reported about an order, ends the order if that is final, and schedules
 * the next look-up if the claim could not. An order that has ended stays that way.
 */
export function updateReported(
  db: Db,
  order: OrderRow,
  { outcome, state, refs, retryAfterMs, now }: Heard,
) {
  const isEnd = state !== null && !OPEN_STATES.includes(state)
  const waitMs = (state === null ? undefined : STUCK_MS[state]) ?? retryAfterMs
  const nextAt = waitMs === undefined ? null : addMs(now, waitMs)
  return db.run`
    update provider_orders
    set last_outcome = ${outcome},
      state = case when ended_at is null or ${isEnd}::boolean
        then coalesce(${state}::text, state) else state end,
      provider_id = coalesce(${refs?.id ?? null}::text, provider_id),
      provider_session = coalesce(${refs?.session ?? null}::text, provider_session),
      ended_at = case when ${isEnd}::boolean
        then coalesce(ended_at, ${now}::timestamptz) else ended_at end,
      next_at = case
        when ended_at is not null or ${isEnd}::boolean then null
        when ${nextAt}::timestamptz is not null then ${nextAt}::timestamptz
        when state in ('Blocked', 'NeedsAttention') and ${state}::text is not null
          then ${addMs(now, FIRST_LOOKUP_MS)}::timestamptz
        else next_at
      end
    where business_id = ${order.business_id} and live = ${order.live} and kind = ${order.kind}
      and subject_id = ${order.subject_id} and attempt = ${order.attempt}`
}
