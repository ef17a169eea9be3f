import { readInBatches } from '../db/batch.ts'
import type { Db, Tx } from '../db/database.ts'
import { findFairly } from '../db/leases.ts'
import { plainArray, textArray } from '../db/pg-arrays.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Minor } from '../lib/money.ts'
import type { ProviderName } from '../providers/connector/types.ts'
import { FIRST_LOOKUP_MS, LEASE_MS } from './statements.ts'

export type OrderKindName =
  | 'charge'
  | 'transfer'
  | 'settlement'
  | 'refund'
  | 'deposit_return'
  | 'bill'
  | 'dispute_response'

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

const COLUMNS = sql`business_id, live, kind, subject_id, attempt, reference, connection_id,
  sent_reference, provider_id, provider_session, amount_minor, currency, state, tries, sent_at,
  coalesce(last_sent_at, sent_at) as last_sent_at, absent_since, is_refused, not_now_count,
  not_now_since, attention, created_at, ended_at`

export type OrderKey = Pick<OrderRow, 'kind' | 'subject_id' | 'attempt'>

type DueRow = Pick<OrderRow, 'business_id' | 'live' | 'subject_id' | 'attempt' | 'connection_id'>

/**
 * Whether the connection of an order `o` takes orders now. While it is paused, it only sends its
 * payments back, and responds to disputes about them.
 */
const isActive = sql`exists (
  select from provider_connections c where c.id = o.connection_id
    and (c.status = 'Active' or c.status = 'Paused'
      and o.kind in ('refund', 'deposit_return', 'dispute_response')))`

/**
 * Whether the business of an order `o` has stopped its payouts. After a restore, refunds wait too.
 */
const isStopped = sql`(o.kind in ('transfer', 'settlement', 'bill', 'refund', 'deposit_return')
  and exists (
    select from provider_settings s
    where s.business_id = o.business_id and s.live = o.live and s.payouts_stopped_at is not null
      and (s.refunds_stopped or o.kind in ('transfer', 'settlement', 'bill'))))`

/** Whether a due order `o` waits for a job, and not until payouts are resumed. */
export const isNotStopped = sql`(o.sent_at is not null or not ${isStopped})`

const canBeSent = sql`(${isActive} and not ${isStopped})`

/** Orders that may have been sent are looked up, whatever the connection's status. */
const canBeActedOn = sql`(o.sent_at is not null or ${canBeSent})`

interface Due {
  kind: OrderKindName
  now: Date
  only: number | null
  /** Connections whose orders are still being sent. */
  without: readonly number[]
  limit: number
}

/**
 * Selects the due orders of one kind, either for all businesses or for one business's test data
 * (`only`). Those include orders that wait for a connection that takes none.
 */
export function selectDue(db: Db, { kind, now, only, without, limit }: Due) {
  const find = (isOther: Sql) => db.many<FoundRow>`
    select business_id, live, subject_id, attempt, connection_id, sent_at is null as is_unsent,
      tries = 0 and attempt = 1 as is_new,
      sent_at is null and not ${isActive} as is_stuck
    from provider_orders o
    where kind = ${kind} and next_at <= ${now} and ${isNotStopped}
      and (${only}::bigint is null or (business_id = ${only} and not live))
      and connection_id <> all(${without}::bigint[]) and ${isOther}
    order by next_at limit ${limit}`
  return findFairly(db, `${kind} orders`, limit, find)
}

type FoundRow = DueRow & { is_stuck: boolean; is_unsent: boolean; is_new: boolean }

/** Selects orders of one business that nobody has sent or is sending. */
export function selectUnsent(db: Db, { businessId, live }: Tenant, { kind, rows }: Rows) {
  return db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and (subject_id, attempt) in ${keysOf(rows)} and sent_at is null and ended_at is null`
}

/**
 * Lets orders wait that no connection takes now. A person has to look at those that have waited for
 * long.
 */
export function postponeUnsent(
  db: Db,
  { businessId, live }: Tenant,
  { kind, rows }: Rows,
  { now, until, longSince }: { now: Date; until: Date; longSince: Date },
) {
  return db.run`
    update provider_orders
    set next_at = ${until}, not_now_since = coalesce(not_now_since, ${now}),
      attention = case when not_now_since <= ${longSince} then coalesce(attention, 'not_sent')
        else attention end,
      attention_at = case when not_now_since <= ${longSince} then coalesce(attention_at, ${now})
        else attention_at end
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and (subject_id, attempt) in ${keysOf(rows)} and sent_at is null and next_at <= ${now}`
}

const keysOf = (rows: readonly DueRow[]): Sql => sql`(select * from unnest(
  ${rows.map(({ subject_id }) => subject_id)}::bigint[],
  ${rows.map(({ attempt }) => attempt)}::integer[]))`

/** The time between lookups of an order that is blocked or needs a person to act. */
export const STUCK_MS: Record<string, number> = {
  Blocked: 10 * 60_000,
  NeedsAttention: 60 * 60_000,
}

const MOST_MS = 10 * 60_000

/** When a charge is looked up, after the payer can no longer pay. */
const EXPIRED_STEPS = ['0', '5 minutes', '1 hour', '24 hours', '72 hours']

/**
 * When the order is due again, if no report changes that. For an order that is about to be sent,
 * this is how long the process that claimed it has to send it: nobody else claims it before.
 */
const nextLookup = (now: Date): Sql => sql`case
  when state = 'Blocked' then ${addMs(now, STUCK_MS.Blocked!)}::timestamptz
  when state = 'NeedsAttention' then ${addMs(now, STUCK_MS.NeedsAttention!)}::timestamptz
  when o.sent_at is null then ${addMs(now, LEASE_MS)}::timestamptz
  when lookup_plan = 'payer' and expires_at > ${now}
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

interface Rows {
  kind: OrderKindName
  rows: readonly DueRow[]
}

/** Claims one business's orders that are still due and that no other process is claiming. */
export function claimDue(
  tx: Tx,
  { businessId, live }: Tenant,
  { kind, rows, now }: Rows & { now: Date },
) {
  return tx.many<ClaimedOrder>`
    with due as (
      select subject_id as id, attempt as nth, sent_at is not null as may_be_sent,
        ${nextLookup(now)} as then_at
      from provider_orders o
      where business_id = ${businessId} and live = ${live} and kind = ${kind}
        and (subject_id, attempt) in ${keysOf(rows)}
        and next_at <= ${now} and ${canBeActedOn}
      for update skip locked
    )
    update provider_orders o
    set sent_at = coalesce(sent_at, ${now}), tries = tries + 1, next_at = due.then_at
    from due
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
    update provider_orders o
    set sent_at = coalesce(sent_at, ${now}), tries = tries + 1,
      next_at = ${addMs(now, LEASE_MS)}
    where business_id = ${businessId} and live = ${live} and kind = ${key.kind}
      and subject_id = ${key.subject_id} and attempt = ${key.attempt} and next_at is not null
      and ${canBeActedOn}
    returning ${COLUMNS}, true as may_be_sent`
}

/** Claims an order that a request sends, if it has not been sent and nobody else is sending it. */
export function claimUnsent(tx: Tx, order: OrderRow, now: Date) {
  return tx.maybe<ClaimedOrder>`
    update provider_orders o
    set sent_at = ${now}, tries = tries + 1, next_at = ${addMs(now, LEASE_MS)}
    where ${isOrder(order)} and tries = ${order.tries} and sent_at is null and ended_at is null
      and ${canBeSent}
    returning ${COLUMNS}, false as may_be_sent`
}

/**
 * Lets the process that claimed an order send it once more, as it has never arrived. Returns
 * nothing if another process has claimed the order since.
 */
export function claimAgain(db: Db, order: OrderRow, now: Date) {
  return db.maybe<ClaimedOrder>`
    update provider_orders o
    set last_sent_at = ${now}, absent_since = null, last_outcome = null,
      next_at = ${addMs(now, LEASE_MS)}
    where ${isOrder(order)} and tries = ${order.tries} and ended_at is null and ${canBeSent}
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

/** Locks an order until the transaction ends, so that no report changes it. */
export const lockOrder = (tx: Tx, { businessId, live }: Tenant, key: OrderKey) =>
  tx.maybe<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${key.kind}
      and subject_id = ${key.subject_id} and attempt = ${key.attempt}
    for no key update`

/** Selects the orders of a record that a provider has or had, latest first. */
export function selectOrders(
  db: Db,
  { businessId, live }: Tenant,
  kind: OrderKindName,
  subjectId: number,
) {
  return db.many<OrderRow & { fee_minor: Minor | null; last_message: string | null }>`
    select ${COLUMNS}, fee_minor, last_message from provider_orders
    where business_id = ${businessId} and live = ${live} and kind = ${kind}
      and subject_id = ${subjectId} and state is distinct from 'Moved'
    order by attempt desc`
}

/** Selects the order of a charge through which it was paid. */
export async function selectPaidOrder(
  db: Db,
  { businessId, live }: Tenant,
  id: number,
): Promise<OrderRow | undefined> {
  return (await selectPaidOrders(db, [{ businessId, live, id }]))[0]
}

/**
 * Selects the orders of charges, of any tenants, through which they were paid, each with its
 * provider.
 */
export const selectPaidOrders = (db: Db, charges: readonly (Tenant & { id: number })[]) =>
  db.many<OrderRow & { provider: ProviderName }>`
    select o.*, c.provider from unnest(
      ${plainArray(charges.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(charges.map(({ live }) => live))}::boolean[],
      ${plainArray(charges.map(({ id }) => id))}::bigint[]
    ) as w (w_business_id, w_live, w_id)
    cross join lateral (
      select ${COLUMNS} from provider_orders
      where business_id = w_business_id and live = w_live and kind = 'charge'
        and subject_id = w_id and state is distinct from 'Moved'
      order by coalesce(state in ('Successful', 'Reversed'), false) desc, attempt desc limit 1
    ) o
    join provider_connections c on c.id = o.connection_id`

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

/** Counts the orders that a person has to look at. */
export function countUnresolved(db: Db) {
  return db.many<{ kind: OrderKindName; attention: Attention; count: number }>`
    select kind, attention, count(*)::integer as count from provider_orders
    where attention is not null group by kind, attention`
}

export async function hasEnded(db: Db, order: OrderRow): Promise<boolean> {
  const open = await db.maybe`
    select from provider_orders where ${isOrder(order)} and ended_at is null`
  return open === undefined
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

/** Selects the connections that could not take the order since then. */
export async function selectLeft(
  db: Db,
  { business_id, live, kind, subject_id }: OrderRow,
  since: Date,
): Promise<number[]> {
  const rows = await db.many<{ connection_id: number }>`
    select distinct connection_id from provider_orders
    where business_id = ${business_id} and live = ${live} and kind = ${kind}
      and subject_id = ${subject_id} and state in ('Moved', 'Failed') and ended_at > ${since}`
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
 * have it. People who were asked to look at an order that no connection takes are not asked again
 * because it has moved.
 */
export function moveOrder(
  tx: Tx,
  order: OrderRow,
  { connectionId, sentReference, now }: MovedOrder,
) {
  return tx.maybe<ClaimedOrder>`
    with former as (
      update provider_orders o set next_at = null, ended_at = ${now}, state = 'Moved',
        attention = case when ${IS_CONTRADICTED} then attention end,
        attention_at = case when ${IS_CONTRADICTED} then attention_at end
      where ${isOrder(order)} and sent_at is null and ended_at is null and tries = ${order.tries}
        and not ${isStopped}
      returning *
    ), unsent as (
      select attention, attention_at, attention_mailed_at from provider_orders
      where ${isOrder(order)} and attention = 'not_sent'
    )
    insert into provider_orders
      (business_id, live, kind, subject_id, attempt, reference, connection_id, sent_reference,
       reference_format, amount_minor, currency, expires_at, lookup_plan, not_now_count,
       not_now_since, attention, attention_at, attention_mailed_at, tries, sent_at, next_at,
       created_at)
    select business_id, live, kind, subject_id, attempt + 1, reference, ${connectionId}::bigint,
      ${sentReference}::text, 2, amount_minor, currency, expires_at, lookup_plan, not_now_count,
      not_now_since, unsent.attention, unsent.attention_at, unsent.attention_mailed_at, 1, ${now},
      ${addMs(now, LEASE_MS)}, ${now}
    from former left join unsent on true
    returning ${COLUMNS}, false as may_be_sent`
}

const IS_CONTRADICTED = sql`attention = 'contradiction'`

/** The time, if a record was ordered for the first time before a restore: a backup had it. */
const ifRestored = (order: OrderRow, now: Date): Sql => sql`case when exists (
  select from provider_orders join restores on created_at <= restored_at
  where ${isOrder({ ...order, attempt: 1 })}) then ${now}::timestamptz end`

interface NextOrder extends MovedOrder {
  nextAt: Date
  /** Why a person has to look at the new order. */
  attention: Attention | null
  /** Since when. */
  attentionAt: Date | null
}

/**
 * Ends a payout that failed for a reason that is its connection's, and adds one with another
 * reference that has not been sent. If the backup of a restored database contains the payout, the
 * new order may have been sent before the restore, and is looked up first. Returns nothing if
 * another process has acted on the order.
 */
export function replaceFailed(
  tx: Tx,
  order: OrderRow,
  { connectionId, sentReference, now, nextAt, attention, attentionAt }: NextOrder,
) {
  return tx.maybe<{ attempt: number }>`
    with former as (
      update provider_orders set next_at = null, ended_at = ${now}, state = 'Failed'
      where ${isOrder(order)} and ended_at is null and tries = ${order.tries}
        and attention is distinct from 'contradiction'
      returning *
    )
    insert into provider_orders
      (business_id, live, kind, subject_id, attempt, reference, connection_id, sent_reference,
       reference_format, amount_minor, currency, lookup_plan, not_now_count, not_now_since,
       attention, attention_at, attention_mailed_at, sent_at, next_at, created_at)
    select business_id, live, kind, subject_id, attempt + 1, reference, ${connectionId}::bigint,
      ${sentReference}::text, 2, amount_minor, currency, lookup_plan, not_now_count + 1,
      coalesce(not_now_since, ${now}), ${attention}::text, ${attentionAt}::timestamptz,
      attention_mailed_at, ${ifRestored(order, now)}, ${nextAt}, ${now}
    from former
    returning attempt`
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
      ${addMs(now, LEASE_MS)}, ${now}
    from provider_orders
    where ${isOrder(order)} and ended_at is null
      and coalesce(last_sent_at, sent_at) <= ${addMs(now, -LEASE_MS)}
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
  ({ tenant }) => tenant.businessId,
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

const ORDERS_MAX = 20

/** Selects the orders that a connection has under a number of the provider's. */
export const selectByProviderId = (
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  providerId: string,
) =>
  db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_id = ${providerId}
    order by created_at desc limit ${ORDERS_MAX}`

/** Selects the latest payments that a connection has not finished sending back. */
export const selectOpenRefunds = (db: Db, { businessId, live }: Tenant, connectionId: number) =>
  db.many<OrderRow>`
    select ${COLUMNS} from provider_orders
    where business_id = ${businessId} and live = ${live}
      and kind in ('refund', 'deposit_return')
      and connection_id = ${connectionId} and next_at is not null
    order by created_at desc limit ${ORDERS_MAX}`

/** What a lookup can change about an order. */
export const selectOutcome = (db: Db, order: OrderRow) =>
  db.maybe<Pick<OrderRow, 'state' | 'ended_at'> & { last_outcome: string | null }>`
    select state, ended_at, last_outcome from provider_orders
    where business_id = ${order.business_id} and live = ${order.live} and kind = ${order.kind}
      and subject_id = ${order.subject_id} and attempt = ${order.attempt}`
