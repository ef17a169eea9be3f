import type { Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { UNKNOWN_MS } from './outcomes.ts'
import type { OrderKey, OrderRow } from './queries.ts'

const isOf = ({ businessId, live }: Tenant, { kind, subject_id, attempt }: OrderKey) =>
  sql`business_id = ${businessId} and live = ${live} and kind = ${kind}
    and subject_id = ${subject_id} and attempt = ${attempt}`

/** A person's decision about an order. */
export interface DecisionRow {
  id: number
  decision: string
  reason: string
  provider_id: string | null
  /** Proposed: a second person has to agree. */
  status: 'Proposed' | 'Done'
  decided_by_id: number
  decided_by: string
  decided_at: Date
  agreed_by: string | null
  agreed_at: Date | null
}

const DECISION = sql`id, decision, reason, provider_id, status, decided_by_id, decided_by,
  decided_at, agreed_by, agreed_at`

/** Selects what people have decided about an order, newest first. */
export const selectDecisions = (db: Db, tenant: Tenant, key: OrderKey) =>
  db.many<DecisionRow>`
    select ${DECISION} from provider_order_decisions where ${isOf(tenant, key)}
    order by decided_at desc, id desc limit 100`

/** Selects what a person has proposed about an order since it was last sent. */
export const selectProposed = (tx: Tx, tenant: Tenant, order: OrderRow) =>
  tx.maybe<DecisionRow>`
    select ${DECISION} from provider_order_decisions
    where ${isOf(tenant, order)} and status = 'Proposed' and decided_at >= ${order.last_sent_at}
    order by decided_at desc, id desc limit 1`

/** How long carrying out a decision can take. After that, the process must have died. */
const CARRIED_OUT_MS = 60_000

/** Whether nobody knows whether an order `o` was carried out. */
const isInDoubt = sql`(o.ended_at is null and o.sent_at is not null and o.last_outcome is not null
  and (o.attention is not null or o.last_outcome = 'unknown'))`

/**
 * Locks an order until the transaction ends, so that a person decides about it as it was read.
 * Processes that have claimed it before do not send it any more. Returns 0 if it has changed since,
 * if its outcome is known, or if someone has just decided about it.
 */
export const takeForDecision = (tx: Tx, order: OrderRow, now: Date) =>
  tx.run`
    update provider_orders o set tries = o.tries + 1
    where ${isOf({ businessId: order.business_id, live: order.live }, order)} and ${isInDoubt}
      and o.tries = ${order.tries} and o.absent_since is not distinct from ${order.absent_since}
      and coalesce(o.last_sent_at, o.sent_at) = ${order.last_sent_at}
      and not exists (
        select from provider_order_decisions d
        where d.business_id = o.business_id and d.live = o.live and d.kind = o.kind
          and d.subject_id = o.subject_id and d.attempt = o.attempt and d.status = 'Done'
          and coalesce(d.agreed_at, d.decided_at) > ${addMs(now, -CARRIED_OUT_MS)})`

interface NewDecision {
  id: number
  decision: string
  reason: string
  statement?: string | undefined
  providerId?: string | undefined
  status: DecisionRow['status']
  by: { id: number; name: string }
  now: Date
}

export function insertDecision(
  tx: Tx,
  { business_id, live, kind, subject_id, attempt }: OrderRow,
  { id, decision, reason, statement, providerId, status, by, now }: NewDecision,
) {
  return tx.run`
    insert into provider_order_decisions
      (business_id, live, id, kind, subject_id, attempt, decision, reason, statement, provider_id,
       status, decided_by_id, decided_by, decided_at)
    values (${business_id}, ${live}, ${id}, ${kind}, ${subject_id}, ${attempt}, ${decision},
      ${reason}, ${statement ?? null}, ${providerId ?? null}, ${status}, ${by.id}, ${by.name},
      ${now})`
}

export const updateAgreed = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  by: string,
  now: Date,
) =>
  tx.one`
    update provider_order_decisions set status = 'Done', agreed_by = ${by}, agreed_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Proposed'
    returning id`

/** Lets the job send an order once more, because a person says that it was never paid. */
export const resetUnsent = (tx: Tx, order: OrderRow, now: Date) =>
  tx.run`
    update provider_orders
    set sent_at = null, last_sent_at = null, absent_since = null, is_refused = false,
      attention = null, attention_at = null, next_at = ${now}
    where ${isOf({ businessId: order.business_id, live: order.live }, order)}
      and ended_at is null`

/** Whether nobody knows yet whether an order `o` was carried out, or a person has to look at it. */
export const isUnresolvedAt = (now: Date): Sql => sql`(o.attention is not null
  or o.last_outcome = 'unknown' and o.ended_at is null
    and coalesce(o.last_sent_at, o.sent_at) <= ${addMs(now, -UNKNOWN_MS)})`

/** Notes by which number a provider knows an order. */
export const updateProviderId = (tx: Tx, tenant: Tenant, key: OrderKey, providerId: string) =>
  tx.run`update provider_orders set provider_id = ${providerId} where ${isOf(tenant, key)}`

/** Takes the mark off an order whose contradiction a person has closed. */
export const clearContradiction = (tx: Tx, tenant: Tenant, key: OrderKey) =>
  tx.run`
    update provider_orders set attention = null, attention_at = null
    where ${isOf(tenant, key)} and attention = 'contradiction' and ended_at is not null`

/** When people are asked to look at an order, after it may last have been sent. */
const MAILED_AFTER = ['15 minutes', '2 hours', '24 hours']

const SINCE = sql`coalesce(o.last_sent_at, o.sent_at, o.attention_at)`

/** Whether an email about an order `o` is due. Nobody waits for orders at the simulator. */
const isMailDue = (now: Date) => sql`o.attention is not null and o.connection_id <> 1
  and exists (
    select from unnest(${MAILED_AFTER}::interval[]) as step
    where ${SINCE} + step <= ${now}
      and (o.attention_mailed_at is null or o.attention_mailed_at < ${SINCE} + step))`

/** Selects businesses with orders about which an email is due. */
export const selectMailDue = (db: Db, now: Date, only: number | null, limit: number) =>
  db.many<{ business_id: number; live: boolean }>`
    select distinct business_id, live from provider_orders o
    where ${isMailDue(now)} and (${only}::bigint is null or (business_id = ${only} and not live))
    limit ${limit}`

/** Notes that people have been asked to look at a business's orders. Returns when those began. */
export const updateMailed = (tx: Tx, { businessId, live }: Tenant, now: Date) =>
  tx.many<{ since: Date }>`
    update provider_orders o set attention_mailed_at = ${now}
    where business_id = ${businessId} and live = ${live} and ${isMailDue(now)}
    returning ${SINCE} as since`

/** Marks orders as sent that a restored backup contains as unsent. */
export const updateAssumedSent = (tx: Tx, { businessId, live }: Tenant, madeAt: Date) =>
  tx.run`
    update provider_orders set sent_at = ${madeAt}
    where business_id = ${businessId} and live = ${live} and sent_at is null and ended_at is null`

/**
 * Asks a person about the payouts and bills that a backup has at one of several connections. Those
 * without a route count too, because they may have got one since.
 */
export const updateHeldAfterRestore = (tx: Tx, { businessId, live }: Tenant, now: Date) =>
  tx.run`
    update provider_orders o
    set attention = 'not_found', attention_at = ${now}, last_sent_at = ${now}
    where business_id = ${businessId} and live = ${live} and ended_at is null
      and kind in ('transfer', 'settlement', 'bill')
      and (attention is null or attention not in ('bad_request', 'different', 'contradiction'))
      and exists (
        select from provider_connections c
        where c.business_id = o.business_id and c.live = o.live and c.status <> 'Removed'
          and c.id <> o.connection_id)`
