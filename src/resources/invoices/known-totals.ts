import type { Db } from '../../db/database.ts'
import { TOTAL_MAX } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { InvoiceFilter } from './queries-list.ts'

/**
 * Above TOTAL_MAX no total is told, so counting so far again and again for each page is for
 * nothing: it would be most of what a page costs. Invoices are never deleted, so what was more than
 * TOTAL_MAX stays so, unless invoices can leave the state that was asked for. Of those so many more
 * are counted at first that they cannot be gone within the time that this is believed.
 */
const SPARE = 3 * TOTAL_MAX
const BELIEVED_MS = 5_000

/** States that are never left. */
const LASTING: readonly string[] = ['Paid', 'Void']

type Known = Map<string, number>

/** Of each database, since tests have several, with businesses of the same ids. */
const known = new WeakMap<object, Known>()
const KNOWN_MAX = 10_000

/** How far to count, when it is not known. */
export const countUpTo = (filter: InvoiceFilter): number =>
  (isLasting(filter) ? TOTAL_MAX : SPARE) + 1

export function isKnownMany(db: Db, tenant: Tenant, filter: InvoiceFilter): boolean {
  const until = known.get(db)?.get(keyOf(tenant, filter))
  return until !== undefined && performance.now() < until
}

/** Takes down what was counted, up to `countUpTo`. */
export function learn(db: Db, tenant: Tenant, filter: InvoiceFilter, counted: number): void {
  if (counted < countUpTo(filter)) return
  const ours: Known = known.get(db) ?? new Map()
  known.set(db, ours)
  if (ours.size >= KNOWN_MAX) ours.clear()
  const lifeMs = isLasting(filter) ? Number.POSITIVE_INFINITY : BELIEVED_MS
  ours.set(keyOf(tenant, filter), performance.now() + lifeMs)
}

const isLasting = ({ status, overdue }: InvoiceFilter): boolean =>
  !overdue && (status === undefined || LASTING.includes(status))

const keyOf = ({ businessId, live }: Tenant, { status, overdue, range }: InvoiceFilter): string =>
  [businessId, live, status, overdue?.day, range.from?.getTime(), range.until?.getTime()].join()
