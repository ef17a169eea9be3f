import type { Db, Tx } from '../../db/database.ts'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { DEFAULT_PREFIX } from './number.ts'
import { addToSeries, type SeriesRow, selectSeries, upsertSeries } from './queries-series.ts'

/** How a business numbers its invoices, in each mode for itself. */
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
 * Changes the prefix or the next number of the invoices to come. Throws 400 when the next number
 * would go down, since it may be an invoice's already.
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
    nextInvoiceNumber: [`must be at least ${least}: the next number can only go up`],
  })
}

/** Takes numbers for invoices that the same transaction writes. Answers the first of them. */
export async function takeNumbers(tx: Tx, tenant: Tenant, count: number) {
  const { prefix, next_number } = await addToSeries(tx, tenant, FIRST, count)
  return { prefix, first: next_number - count }
}
