import type { Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { OrderRow } from '../provider-orders/orders.ts'
import type { EntryKind, ProviderEntry, Range } from '../providers/connector/types.ts'
import { SIMULATOR_CONNECTION } from '../providers/providers.ts'
import type { DepositRow, DisputeRow, EntryClass } from './match.ts'

/** A connection of one business. */
export interface Account {
  tenant: Tenant
  connectionId: number
}

const ORDER = sql`o.business_id, o.live, o.kind, o.subject_id, o.attempt, o.reference,
  o.connection_id, o.sent_reference, o.provider_id, o.provider_session, o.amount_minor, o.currency,
  o.state, o.tries, o.sent_at, coalesce(o.last_sent_at, o.sent_at) as last_sent_at, o.absent_since,
  o.is_refused, o.not_now_count, o.not_now_since, o.attention, o.created_at, o.ended_at`

/** The kinds of orders whose entries are of another kind. */
const entryKindOf = (kind: Sql) =>
  sql`case when ${kind} in ('transfer', 'settlement') then 'payout'
    when ${kind} = 'deposit_return' then 'refund' else ${kind} end`

/** The order of an entry. */
export interface OrderOfEntry extends OrderRow {
  /** The number of the entry. */
  n: number
  /** Whether the record's money is booked with a later order. Any order of a charge can be paid. */
  is_replaced: boolean
}

const IS_REPLACED = sql`(o.kind <> 'charge' and exists (
  select from provider_orders l
  where l.business_id = o.business_id and l.live = o.live and l.kind = o.kind
    and l.subject_id = o.subject_id and l.attempt > o.attempt
    and l.state is distinct from 'Moved')) as is_replaced`

/** Selects the orders of entries, by the reference that we sent or by the provider's number. */
export function selectOrders(
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  entries: readonly ProviderEntry[],
) {
  const kinds = entries.map(({ kind }) => kind)
  const at = entries.map((_, n) => n)
  const isOurs = sql`o.business_id = ${businessId} and o.live = ${live}
    and o.connection_id = ${connectionId} and ${entryKindOf(sql`o.kind`)} = e.kind`
  return db.many<OrderOfEntry>`
    select e.n, ${ORDER}, ${IS_REPLACED}
    from unnest(${at}::integer[], ${kinds}::text[],
      ${entries.map(({ reference }) => reference)}::text[]) as e (n, kind, sent_reference)
    join provider_orders o on ${isOurs} and o.sent_reference = e.sent_reference
      and o.reference_format = 2
    union all
    select e.n, ${ORDER}, ${IS_REPLACED}
    from unnest(${at}::integer[], ${kinds}::text[],
      ${entries.map(({ providerId }) => providerId)}::text[]) as e (n, kind, provider_id)
    join provider_orders o on ${isOurs} and o.provider_id = e.provider_id`
}

/**
 * Selects deposits, and payments into accounts that fund wallets, by the provider's numbers of
 * their payments.
 */
export const selectDeposits = (
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  providerIds: readonly string[],
) =>
  db.many<DepositRow>`
    select provider_reference, 'deposit' as cause, id, transaction_id, amount_minor, currency,
      status, return_status
    from deposits
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_reference = any(${providerIds}::text[])
    union all
    select provider_reference, 'funding', id, null, amount_minor, currency, 'Accepted', null
    from funding_payments
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_reference = any(${providerIds}::text[])`

export const selectDisputes = (
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  providerIds: readonly string[],
) =>
  db.many<DisputeRow>`
    select provider_id, reference, status, lost_minor, currency from disputes
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_id = any(${providerIds}::text[])`

/** Selects which transactions have been given back to their payers. */
export const selectRefunded = (
  db: Db,
  { businessId, live }: Tenant,
  transactionIds: readonly number[],
) =>
  db.many<{ id: number }>`
    select id from transactions
    where business_id = ${businessId} and live = ${live} and id = any(${transactionIds}::bigint[])
      and status in ('Refunded', 'Reversed')`

interface EntryValues {
  entry: ProviderEntry
  class: EntryClass
  order: Pick<OrderRow, 'kind' | 'subject_id' | 'attempt'> | undefined
}

/** Stores entries as they were last read. */
export function upsertEntries(
  tx: Tx,
  { tenant: { businessId, live }, connectionId }: Account,
  values: readonly EntryValues[],
  now: Date,
) {
  const rows = values.map(({ entry, class: name, order }) => ({
    kind: entry.kind,
    provider_id: entry.providerId,
    reference: entry.reference,
    status: entry.status,
    amount_minor: `${entry.amount_minor}`,
    fee_minor: entry.fee_minor?.toString(),
    currency: entry.currency,
    at: entry.at,
    settlement_id: entry.settlementId,
    order_kind: order?.kind,
    subject_id: order?.subject_id,
    attempt: order?.attempt,
    class: name,
  }))
  return tx.run`
    insert into provider_entries as e
      (business_id, live, connection_id, kind, provider_id, reference, status, amount_minor,
       fee_minor, currency, at, settlement_id, order_kind, subject_id, attempt, class, seen_at)
    select ${businessId}::bigint, ${live}::boolean, ${connectionId}::bigint, kind, provider_id,
      reference, status, amount_minor, fee_minor, currency, at, settlement_id, order_kind,
      subject_id, attempt, class, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json) as t (kind text, provider_id text,
      reference text, status text, amount_minor bigint, fee_minor bigint, currency text,
      at timestamptz, settlement_id text, order_kind text, subject_id bigint, attempt integer,
      class text)
    on conflict (business_id, live, connection_id, kind, provider_id) do update
    set reference = coalesce(excluded.reference, e.reference), status = excluded.status,
      amount_minor = excluded.amount_minor, fee_minor = coalesce(excluded.fee_minor, e.fee_minor),
      currency = excluded.currency, at = excluded.at,
      settlement_id = coalesce(excluded.settlement_id, e.settlement_id),
      order_kind = excluded.order_kind, subject_id = excluded.subject_id,
      attempt = excluded.attempt, class = excluded.class, seen_at = excluded.seen_at`
}

/** Stores in which settlement payments are. Returns how many of them are known. */
export const updateSettled = (
  tx: Tx,
  { tenant: { businessId, live }, connectionId }: Account,
  settlementId: string,
  providerIds: readonly string[],
) =>
  tx.run`
    update provider_entries set settlement_id = ${settlementId}
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and kind = 'charge' and provider_id = any(${providerIds}::text[])`

/** The most orders of a day for which differences are opened. */
const UNREPORTED_MAX = 1_000

/**
 * Selects orders that we ended as paid within a time, and that none of the provider's entries is.
 * The simulator does not remember payments into accounts.
 */
export function selectUnreported(
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  kinds: readonly EntryKind[],
  { from, until }: Range,
) {
  const isIndexed =
    connectionId === SIMULATOR_CONNECTION
      ? sql`o.lookup_plan <> 'account'`
      : sql`o.connection_id <> 1`
  return db.many<OrderRow>`
    select ${ORDER} from provider_orders o
    where o.business_id = ${businessId} and o.live = ${live} and o.connection_id = ${connectionId}
      and o.state = 'Successful' and o.ended_at >= ${from} and o.ended_at < ${until}
      and ${isIndexed} and ${entryKindOf(sql`o.kind`)} = any(${kinds}::text[])
      and not exists (
        select from provider_entries e
        where e.business_id = ${businessId} and e.live = ${live} and e.order_kind = o.kind
          and e.subject_id = o.subject_id and e.attempt = o.attempt)
    limit ${UNREPORTED_MAX}`
}
