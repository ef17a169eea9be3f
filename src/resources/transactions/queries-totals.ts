import type { Db } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'

export interface Period {
  from: Date
  /** Exclusive. */
  until: Date
  currency: string
}

/** What the transactions of one status and channel come to. */
export interface Sums extends Pick<TransactionRow, 'status' | 'channel'> {
  count: number
  amount: Minor
  fee: Minor
  /** What was received, fees on top and overpayments and all; 0 where nothing was. */
  paid: Minor
  excess: Minor
  refunded: Minor
  /** Of the refunds, what was not an overpayment. */
  given_back: Minor
}

/**
 * Reads every transaction of the period: some 1 µs of each, so 30 ms for a month and 0.4 s for a
 * year of 400,000. An index with all these columns halves that, but then no change of an amount
 * could spare the other indexes. The sums are numeric, so that not even those of the largest
 * amounts overflow, and come as text.
 */
export async function sumTransactions(
  db: Db,
  { businessId, live }: Tenant,
  { from, until, currency }: Period,
): Promise<Sums[]> {
  const rows = await db.many<Record<keyof Sums, string> & Pick<Sums, 'status' | 'channel'>>`
    select status, channel, count(*)::text as count, sum(amount_minor)::text as amount,
      sum(fee_minor)::text as fee, sum(coalesce(paid_minor, 0))::text as paid,
      sum(excess_minor)::text as excess, sum(refunded_minor)::text as refunded,
      sum(greatest(refunded_minor - excess_minor, 0))::text as given_back
    from transactions
    where business_id = ${businessId} and live = ${live} and created_at >= ${from}
      and created_at < ${until} and currency = ${currency}
    group by status, channel`
  return rows.map(
    ({ status, channel, count, amount, fee, paid, excess, refunded, given_back }) => ({
      status,
      channel,
      count: Number(count),
      amount: BigInt(amount),
      fee: BigInt(fee),
      paid: BigInt(paid),
      excess: BigInt(excess),
      refunded: BigInt(refunded),
      given_back: BigInt(given_back),
    }),
  )
}
