import type { Db } from '../db/database.ts'
import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'
import type { TransactionState } from '../resources/transactions/states.ts'

/** A day, or null for all days of the period before. */
export interface Span {
  day: string | null
  from: Date
  /** Exclusive. */
  until: Date
}

export interface DaySums {
  day: string | null
  channel: string
  status: TransactionState
  count: number
  amount: Minor
}

/**
 * Adds up the transactions that were begun in each span, by the index of the list: some 2 µs of
 * each, so 150 ms for 65,000. Grouping all by their day would sort them, which takes twice that.
 */
export async function sumBySpan(
  db: Db,
  { businessId, live }: Tenant,
  { spans, currency }: { spans: readonly Span[]; currency: string },
): Promise<DaySums[]> {
  interface Row {
    place: number
    channel: string
    status: TransactionState
    count: string
    amount: string
  }
  const rows = await db.many<Row>`
    select span.place, sums.* from unnest(
      ${spans.map(({ from }) => from)}::timestamptz[],
      ${spans.map(({ until }) => until)}::timestamptz[]
    ) with ordinality as span (begins, ends, place)
    cross join lateral (
      select channel, status, count(*)::text as count, sum(amount_minor)::text as amount
      from transactions
      where business_id = ${businessId} and live = ${live}
        and created_at >= span.begins and created_at < span.ends and currency = ${currency}
      group by channel, status offset 0
    ) sums`
  return rows.map(({ place, channel, status, count, amount }) => ({
    day: spans[place - 1]!.day,
    channel,
    status,
    count: Number(count),
    amount: BigInt(amount),
  }))
}

/** What can be spent now, and by how much it grew since. */
export async function selectBalance(
  db: Db,
  { businessId, live }: Tenant,
  { currency, from }: { currency: string; from: Date },
): Promise<{ available: Minor; grown: Minor }> {
  const row = await db.maybe<{ available: string; grown: string }>`
    select (a.credits_minor - a.debits_minor)::text as available, (
      select coalesce(sum(amount_minor), 0) from ledger_transfers
      where business_id = ${businessId} and live = ${live} and credit_account_id = a.id
        and created_at >= ${from}
    )::numeric - (
      select coalesce(sum(amount_minor), 0) from ledger_transfers
      where business_id = ${businessId} and live = ${live} and debit_account_id = a.id
        and created_at >= ${from}
    ) as grown
    from ledger_accounts a
    where a.business_id = ${businessId} and a.live = ${live} and a.kind = 'wallet_available'
      and a.subject_id = 0 and a.currency = ${currency}`
  return { available: BigInt(row?.available ?? 0), grown: BigInt(row?.grown ?? 0) }
}

export interface ActivityRow {
  reference: string
  type: string
  object_type: string
  object_id: number
  data: string
  created_at: Date
}

/** The newest events of these types of objects, among the newest `among` of all. */
export const selectActivity = (
  db: Db,
  { businessId, live }: Tenant,
  { objectTypes, among, take }: { objectTypes: readonly string[]; among: number; take: number },
) =>
  db.many<ActivityRow>`
    select reference, type, object_type, object_id, data, created_at from (
      select * from events where business_id = ${businessId} and live = ${live}
      order by created_at desc, id desc limit ${among}
    ) newest
    where object_type = any(${objectTypes})
    order by created_at desc, id desc limit ${take}`

/** How far a business is set up in a mode. */
export const selectSetUp = (db: Db, { businessId, live }: Tenant) =>
  db.one<{ has_details: boolean; has_account: boolean; has_goods: boolean; has_webhook: boolean }>`
    select b.email is not null and b.phone is not null as has_details,
      s.settlement_account_number is not null as has_account,
      exists (select 1 from products where business_id = ${businessId} and live = ${live})
        or exists (select 1 from payment_pages where business_id = ${businessId} and live = ${live})
        or exists (select 1 from invoices where business_id = ${businessId} and live = ${live})
        as has_goods,
      exists (select 1 from webhooks where business_id = ${businessId} and live = ${live}
        and status = 'Active') as has_webhook
    from businesses b join business_settings s on s.business_id = b.id and s.live = ${live}
    where b.id = ${businessId}`
