import type { Db } from '../../db/database.ts'
import { pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { UTILITY_CATEGORIES } from '../../providers/utilities.ts'
import { findPayments, type PaymentFilter } from './queries-list.ts'
import { utilityRecord } from './record.ts'
import type { PaymentFilters, PaymentQuery } from './schemas.ts'
import { UTILITY_STATES } from './states.ts'

/** One page of utility payments with its meta; throws 400 naming what cannot be asked. */
export async function listPayments(db: Db, caller: Caller, query: PaymentQuery) {
  const found = await findPayments(db, caller, filterOf(caller, query), query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: rows.map(utilityRecord), meta }
}

/** What the filters mean to this caller; throws 400 naming one that means nothing. */
export function filterOf(caller: Caller, filters: PaymentFilters): PaymentFilter {
  const { status, category, search } = filters
  return {
    status: status === undefined ? undefined : oneOf(UTILITY_STATES, 'status', status),
    category: category === undefined ? undefined : oneOf(UTILITY_CATEGORIES, 'category', category),
    range: rangeOf(filters, caller.timeZone),
    text: search?.trim() || undefined,
  }
}

function oneOf<T extends string>(values: readonly T[], field: string, wanted: string): T {
  const found = values.find((value) => value.toLowerCase() === wanted.toLowerCase())
  if (!found) throw invalid({ [field]: [`must be one of ${values.join(', ')}`] })
  return found
}
