import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Channel } from '../../providers/provider.ts'
import type { RefundState } from './states.ts'

export interface RefundRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  transaction_id: number
  transaction_reference: string
  /** The rail that the payment came by, and that it goes back by. */
  channel: Channel
  status: RefundState
  amount_minor: Minor
  excess_minor: Minor
  currency: string
  reason: string | null
  message: string | null
  sent_at: Date | null
  look_up_at: Date | null
  timeline: string
  event_sequence: number
  processed_at: Date | null
  created_at: Date
}

/** As `RefundRow` has them, of `refunds r` and its `transactions t`. */
export const COLUMNS = sql`r.business_id, r.live, r.id, r.reference, r.transaction_id,
  t.reference as transaction_reference, t.channel, r.status, r.amount_minor, r.excess_minor,
  r.currency, r.reason, r.message, r.sent_at, r.look_up_at, r.timeline, r.event_sequence,
  r.processed_at, r.created_at`

/** Each refund with its payment. */
export const ofPayment = sql`(t.business_id, t.live, t.id)
  = (r.business_id, r.live, r.transaction_id)`

export interface NewRefund
  extends Pick<
    RefundRow,
    'id' | 'reference' | 'transaction_id' | 'amount_minor' | 'excess_minor' | 'currency' | 'reason'
  > {
  provider: string
  now: Date
}

/** Nothing comes back when the reference is taken. It is due to be ordered at once. */
export function insertRefund(tx: Tx, { businessId, live }: Tenant, { now, ...row }: NewRefund) {
  return tx.maybe<RefundRow>`
    with r as (
      insert into refunds
        (business_id, live, id, reference, transaction_id, status, amount_minor, excess_minor,
         currency, reason, provider, look_up_at, timeline, event_sequence, created_at, updated_at)
      values
        (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.transaction_id}, 'Pending',
         ${row.amount_minor}, ${row.excess_minor}, ${row.currency}, ${row.reason},
         ${row.provider}, ${now}, ${`[${entryOf('Pending', null, now)}]`}, 1, ${now}, ${now})
      on conflict (business_id, live, reference) do nothing
      returning *
    )
    select ${COLUMNS} from r join transactions t on ${ofPayment}`
}

export function selectRefund(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<RefundRow>`
    select ${COLUMNS} from refunds r join transactions t on ${ofPayment}
    where r.business_id = ${businessId} and r.live = ${live} and r.reference = ${reference}`
}

interface Change {
  from: readonly RefundState[]
  to: RefundState
  message: string | null
  now: Date
  lookUpAt: Date | null
  /**
   * Only if nothing was told of it since: so a late answer to an early question changes nothing.
   */
  ifSequence?: number
  /** Whether the move has an event. */
  isTold: boolean
}

/** Moves a refund, if it is in a state that it may leave. Of two at once one finds it there. */
export function moveRefund(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, message, now, lookUpAt, ifSequence, isTold }: Change,
) {
  return tx.maybe<RefundRow>`
    update refunds r
    set status = ${to}, message = ${message}, look_up_at = ${lookUpAt},
      timeline = ${withEntry(sql`r.timeline`, entryOf(to, message, now))},
      processed_at = case when ${to}::text = 'Processed' then ${now}::timestamptz end,
      event_sequence = r.event_sequence + ${isTold ? 1 : 0}, updated_at = ${now}
    from transactions t
    where r.business_id = ${businessId} and r.live = ${live} and r.id = ${id} and ${ofPayment}
      and r.status = any(${from}::text[])
      and (${ifSequence ?? null}::bigint is null or r.event_sequence = ${ifSequence ?? null})
    returning ${COLUMNS}`
}

const entryOf = (status: RefundState, message: string | null, at: Date) =>
  JSON.stringify({ status, at, message })

/** A JSON list kept as text, with one entry more; it has at least one. */
export const withEntry = (column: Sql, entry: string): Sql =>
  sql`left(${column}, -1) || ',' || ${entry}::text || ']'`

interface Due {
  now: Date
  /** When to ask again, and when where somebody has to do something first. */
  again: Date
  later: Date
  from: readonly RefundState[]
  to: RefundState
}

/**
 * Claims what is to be ordered or asked about; `is_new` is what the provider was not told of. That
 * it is told is stored before it is: a crash in between leaves one that is asked about.
 */
export function claimDue(db: Db, due: Due, only: number | null, limit: number) {
  return claim(
    db,
    due,
    sql`
    select business_id, live, id, sent_at is null as is_new from refunds
    where look_up_at <= ${due.now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by look_up_at limit ${limit} for update skip locked`,
  )
}

/**
 * Claims one that has not ended, due or not. Waits for a sweep that is claiming it, which may
 * have told the provider of it or not: then it is not new.
 */
export async function claimOpen(
  db: Db,
  { businessId, live }: Tenant,
  reference: string,
  due: Due,
): Promise<ClaimedRefund | undefined> {
  const [claimed] = await claim(
    db,
    due,
    sql`
    select business_id, live, id, sent_at is null as is_new from refunds
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and look_up_at is not null
    for update`,
  )
  return claimed
}

export type ClaimedRefund = RefundRow & { is_new: boolean }

function claim(db: Db, { now, again, later, from, to }: Due, due: Sql) {
  const isSent = sql`due.is_new and r.status = any(${from}::text[])`
  return db.many<ClaimedRefund>`
    update refunds r
    set sent_at = coalesce(r.sent_at, ${now}),
      look_up_at = case when r.status = 'NeedsAttention' then ${later}::timestamptz
        else ${again}::timestamptz end,
      status = case when ${isSent} then ${to}::text else r.status end,
      timeline = case when ${isSent}
        then ${withEntry(sql`r.timeline`, entryOf(to, null, now))} else r.timeline end,
      updated_at = case when ${isSent} then ${now}::timestamptz else r.updated_at end
    from (${due}) due, transactions t
    where (r.business_id, r.live, r.id) = (due.business_id, due.live, due.id) and ${ofPayment}
    returning ${COLUMNS}, due.is_new`
}

export interface RefundShareRow {
  refund_id: number
  subaccount_id: number
  subaccount_code: string
  amount_minor: Minor
}

/** What each subaccount gives to several refunds, by refund, each list by subaccount. */
export async function sharesOf(
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, RefundShareRow[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<RefundShareRow>`
    select s.refund_id, s.subaccount_id, a.reference as subaccount_code, s.amount_minor
    from refund_shares s
    join subaccounts a on (a.business_id, a.live, a.id) = (s.business_id, s.live, s.subaccount_id)
    where s.business_id = ${businessId} and s.live = ${live}
      and s.refund_id = any(${ids}::bigint[])
    order by s.refund_id, s.subaccount_id`
  return Map.groupBy(rows, ({ refund_id }) => refund_id)
}

/** Writes down what each subaccount gives. */
export function insertShares(
  tx: Tx,
  { businessId, live }: Tenant,
  refundId: number,
  shares: readonly { subaccountId: number; amount_minor: Minor }[],
): Promise<number> {
  return tx.run`
    insert into refund_shares (business_id, live, refund_id, subaccount_id, amount_minor)
    select ${businessId}, ${live}, ${refundId}, * from unnest(
      ${shares.map(({ subaccountId }) => subaccountId)}::bigint[],
      ${shares.map(({ amount_minor }) => amount_minor)}::bigint[])`
}
