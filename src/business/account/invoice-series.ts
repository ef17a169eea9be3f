import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { DEFAULT_PREFIX } from '../../lib/invoice-number.ts'
import { invalid } from '../../lib/problem.ts'

/** How a business numbers its invoices, separately for each mode. */
export interface Series {
  prefix: string
  nextNumber: number
}

const FIRST: SeriesRow = { prefix: DEFAULT_PREFIX, next_number: 1 }

const seriesOfRow = ({ prefix, next_number }: SeriesRow): Series => ({
  prefix,
  nextNumber: next_number,
})

export const getSeries = async (db: Db, tenant: Tenant): Promise<Series> =>
  seriesOfRow((await selectSeries(db, tenant)) ?? FIRST)

/**
 * Changes the prefix or the next number for future invoices. Throws 400 if the next number would go
 * down, since an invoice may already use it.
 */
export async function changeSeries(
  tx: Tx,
  tenant: Tenant,
  { prefix, nextNumber }: { prefix?: string | undefined; nextNumber?: number | undefined },
): Promise<Series> {
  if (prefix === undefined && nextNumber === undefined) return getSeries(tx, tenant)
  const change = { prefix: prefix ?? null, nextNumber: nextNumber ?? null }
  const row = await upsertSeries(tx, tenant, FIRST, change)
  if (row) return seriesOfRow(row)
  const { nextNumber: least } = await getSeries(tx, tenant)
  throw invalid({
    nextInvoiceNumber: [`must be at least ${least}: the next number can only increase`],
  })
}

/**
 * Reserves numbers for invoices that are written in the same transaction. Returns the first one.
 */
export async function takeNumbers(tx: Tx, tenant: Tenant, count: number) {
  const { prefix, next_number } = await addToSeries(tx, tenant, FIRST, count)
  return { prefix, first: next_number - count }
}

/** Leaves out numbers that may have been given to invoices since a backup that was restored. */
export async function skipNumbers(tx: Tx, tenant: Tenant, count: number): Promise<void> {
  await addToSeries(tx, tenant, FIRST, count)
}

interface SeriesRow {
  prefix: string
  next_number: number
}

/** Returns undefined if the business has no invoices yet and nobody has set the numbering. */
function selectSeries(db: Db, { businessId, live }: Tenant) {
  return db.maybe<SeriesRow>`
    select prefix, next_number from invoice_series
    where business_id = ${businessId} and live = ${live}`
}

/** Null keeps the current value. Returns undefined if the next number would go down. */
function upsertSeries(
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

/** Reserves `count` numbers; `next_number` is the first number after them. */
function addToSeries(tx: Tx, { businessId, live }: Tenant, first: SeriesRow, count: number) {
  return tx.one<SeriesRow>`
    insert into invoice_series as s (business_id, live, prefix, next_number)
    values (${businessId}, ${live}, ${first.prefix},
      ${first.next_number}::bigint + ${count}::bigint)
    on conflict (business_id, live) do update set next_number = s.next_number + ${count}::bigint
    returning prefix, next_number`
}
