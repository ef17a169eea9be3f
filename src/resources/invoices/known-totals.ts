import type { Db } from '../../db/database.ts'
import { TOTAL_MAX } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { InvoiceFilter } from './queries-list.ts'

/**
 * Above TOTAL_MAX no total is told, so counting so far again for each page is for nothing: it would
 * be most of what a page costs. Invoices are never deleted, so what was more than TOTAL_MAX stays
 * so, unless they can leave the state that was asked for. Of those more are counted at first, and
 * it is believed for as long as it takes until so many can have left.
 */
const SPARE_MAX = 2 * TOTAL_MAX

/** Twice as many as one process was seen to change, in a millisecond. */
const LEAVING_PER_MS = 4

/** States that are never left. */
const LASTING: readonly string[] = ['Paid', 'Void']

/** Of each database, since tests have several, with businesses of the same ids. */
const known = new WeakMap<object, Map<string, number>>()
const KNOWN_MAX = 10_000

/** How far to count, when it is not known. */
export const countUpTo = (filter: InvoiceFilter): number =>
  TOTAL_MAX + 1 + (isLasting(filter) ? 0 : SPARE_MAX)

/** Whether more than TOTAL_MAX match for certain, so that nobody need count. */
export function isKnownMany(db: Db, tenant: Tenant, filter: InvoiceFilter): boolean {
  const until = known.get(db)?.get(keyOf(tenant, filter))
  return until !== undefined && performance.now() < until
}

/** Takes down what was counted, up to `countUpTo`. */
export function learn(db: Db, tenant: Tenant, filter: InvoiceFilter, counted: number): void {
  const spare = counted - TOTAL_MAX - 1
  if (spare < 0) return
  const ours = known.get(db) ?? new Map<string, number>()
  known.set(db, ours)
  if (ours.size >= KNOWN_MAX) ours.clear()
  const lifeMs = isLasting(filter) ? Number.POSITIVE_INFINITY : spare / LEAVING_PER_MS
  ours.set(keyOf(tenant, filter), performance.now() + lifeMs)
}

const isLasting = ({ status, overdue }: InvoiceFilter): boolean =>
  !overdue && (status === undefined || LASTING.includes(status))

const keyOf = ({ businessId, live }: Tenant, { status, overdue, range }: InvoiceFilter): string =>
  [businessId, live, status, overdue?.day, range.from?.getTime(), range.until?.getTime()].join()
