import { plainArray, textArray, timeArray } from '../../db/arrays.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'
import type { Share } from './sharing.ts'

/** What one subaccount gets of a payment: frozen when it was begun. */
export interface ShareRow {
  transaction_id: number
  subaccount_id: number
  subaccount_code: string
  /** As agreed then: percent or naira. */
  share: number
  amount_minor: Minor
  /** The part of the payment's fee that it bears. */
  fee_minor: Minor
  /** What refunds took of it that have not failed. */
  refunded_minor: Minor
}

/** The shares of several transactions, by transaction, each list by subaccount. */
export const sharesOf = (
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, ShareRow[]>> =>
  sharesOfAll(
    db,
    ids.map((id) => ({ business_id: businessId, live, id })),
  )

/** As `sharesOf`, of transactions of any tenants: no two have the same id. */
export async function sharesOfAll(
  db: Db,
  of: readonly { business_id: number; live: boolean; id: number }[],
): Promise<Map<number, ShareRow[]>> {
  if (of.length === 0) return new Map()
  const rows = await db.many<ShareRow>`
    select s.transaction_id, s.subaccount_id, a.reference as subaccount_code, s.share,
      s.amount_minor, s.fee_minor, s.refunded_minor
    from unnest(
      ${plainArray(of.map(({ business_id }) => business_id))}::bigint[],
      ${plainArray(of.map(({ live }) => live))}::boolean[],
      ${plainArray(of.map(({ id }) => id))}::bigint[]
    ) as w (business_id, live, transaction_id)
    join transaction_shares s using (business_id, live, transaction_id)
    join subaccounts a on (a.business_id, a.live, a.id) = (s.business_id, s.live, s.subaccount_id)
    order by s.transaction_id, s.subaccount_id`
  return Map.groupBy(rows, ({ transaction_id }) => transaction_id)
}

/** The shares of one; it costs nothing to ask for those of a payment that is not shared. */
export async function sharesOfOne(
  db: Db,
  tenant: Tenant,
  { id, split_page_id, subaccount_id }: TransactionRow,
): Promise<ShareRow[]> {
  if (split_page_id === null && subaccount_id === null) return []
  return (await sharesOf(db, tenant, [id])).get(id) ?? []
}

/** Freezes what subaccounts are to get of a payment. */
export function insertShares(
  tx: Tx,
  { businessId, live }: Tenant,
  transactionId: number,
  shares: readonly Share[],
) {
  return tx.run`
    insert into transaction_shares
      (business_id, live, transaction_id, subaccount_id, share, amount_minor, fee_minor)
    select ${businessId}::bigint, ${live}::boolean, ${transactionId}::bigint, *
    from unnest(
      ${plainArray(shares.map((one) => one.subaccountId))}::bigint[],
      ${plainArray(shares.map((one) => one.share))}::bigint[],
      ${plainArray(shares.map((one) => one.amount_minor))}::bigint[],
      ${plainArray(shares.map((one) => one.fee_minor))}::bigint[])`
}

/** What a payment really brought, where that is less than was frozen. */
export function updateShares(tx: Tx, { businessId, live }: Tenant, shares: readonly ShareRow[]) {
  return tx.run`
    update transaction_shares s
    set amount_minor = cut.amount_minor, fee_minor = cut.fee_minor
    from unnest(
      ${plainArray(shares.map((one) => one.transaction_id))}::bigint[],
      ${plainArray(shares.map((one) => one.subaccount_id))}::bigint[],
      ${plainArray(shares.map((one) => one.amount_minor))}::bigint[],
      ${plainArray(shares.map((one) => one.fee_minor))}::bigint[]
    ) as cut (transaction_id, subaccount_id, amount_minor, fee_minor)
    where s.business_id = ${businessId} and s.live = ${live}
      and s.transaction_id = cut.transaction_id and s.subaccount_id = cut.subaccount_id`
}

/** A share as it goes into the balance of its subaccount. */
export interface ShareEntry extends Tenant {
  id: number
  subaccountId: number
  transactionId: number
  amount_minor: Minor
  currency: string
  /** When the subaccount is settled, unless a day was set for that before. */
  settleAt: Date
  now: Date
}

/**
 * Adds shares to what their subaccounts' balances are made of, and sets the day of the settlement
 * of those that had none. It is never taken back, so that no share is forgotten.
 */
export async function insertEntries(tx: Tx, entries: readonly ShareEntry[]): Promise<void> {
  if (entries.length === 0) return
  const plain = (pick: (entry: ShareEntry) => number | bigint | boolean) =>
    plainArray(entries.map(pick))
  await tx.run`
    with entries as (
      select * from unnest(
        ${plain((entry) => entry.businessId)}::bigint[], ${plain((entry) => entry.live)}::boolean[],
        ${plain((entry) => entry.id)}::bigint[], ${plain((entry) => entry.subaccountId)}::bigint[],
        ${plain((entry) => entry.transactionId)}::bigint[],
        ${plain((entry) => entry.amount_minor)}::bigint[],
        ${textArray(entries.map(({ currency }) => currency))}::text[],
        ${timeArray(entries.map(({ settleAt }) => settleAt))}::timestamptz[],
        ${timeArray(entries.map(({ now }) => now))}::timestamptz[]
      ) as t (business_id, live, id, subaccount_id, transaction_id, amount_minor, currency,
              settle_at, created_at)
    ), due as (
      update subaccounts a set settle_at = first.settle_at
      from (
        select business_id, live, subaccount_id as id, min(settle_at) as settle_at
        from entries group by business_id, live, subaccount_id
      ) as first
      where (a.business_id, a.live, a.id) = (first.business_id, first.live, first.id)
        and a.settle_at is null
    )
    insert into subaccount_entries
      (business_id, live, id, subaccount_id, kind, transaction_id, amount_minor, currency,
       created_at)
    select business_id, live, id, subaccount_id, 'share', transaction_id, amount_minor, currency,
      created_at
    from entries`
}
