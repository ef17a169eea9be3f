import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface SeriesRow {
  prefix: string
  next_number: number
}

/** Undefined before the first invoice and the first setting. */
export function selectSeries(db: Db, { businessId, live }: Tenant) {
  return db.maybe<SeriesRow>`
    select prefix, next_number from invoice_series
    where business_id = ${businessId} and live = ${live}`
}

/** What is null stays. Nothing comes back when the next number would go down. */
export function upsertSeries(
  tx: Tx,
  { businessId, live }: Tenant,
  first: SeriesRow,
  { prefix, nextNumber }: { prefix: string | null; nextNumber: number | null },
) {
  return tx.maybe<SeriesRow>`
    insert into invoice_series as s (business_id, live, prefix, next_number)
    values (${businessId}, ${live}, coalesce(${prefix}, ${first.prefix}),
      coalesce(${nextNumber}::bigint, ${first.next_number}))
    on conflict (business_id, live) do update
      set prefix = coalesce(${prefix}, s.prefix),
        next_number = coalesce(${nextNumber}::bigint, s.next_number)
      where ${nextNumber}::bigint is null or ${nextNumber}::bigint >= s.next_number
    returning prefix, next_number`
}

/** Takes so many numbers; `next_number` is the one after them. */
export function addToSeries(tx: Tx, { businessId, live }: Tenant, first: SeriesRow, count: number) {
  return tx.one<SeriesRow>`
    insert into invoice_series as s (business_id, live, prefix, next_number)
    values (${businessId}, ${live}, ${first.prefix},
      ${first.next_number}::bigint + ${count}::bigint)
    on conflict (business_id, live) do update set next_number = s.next_number + ${count}::bigint
    returning prefix, next_number`
}
