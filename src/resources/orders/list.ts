import type { Db } from '../../db/database.ts'
import { isDescending, pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { findOrders } from './queries-list.ts'
import type { OrderQuery } from './schemas.ts'
import { KIND, recordsOf } from './service.ts'
import { ORDER_STATES, type OrderState } from './states.ts'

/** One page of orders with its meta. */
export async function listOrders(
  db: Db,
  deps: Pick<Deps, 'publicUrl'>,
  caller: Caller,
  query: OrderQuery,
) {
  const text = query.search?.trim() || undefined
  const isId = text !== undefined && /^\d{1,15}$/.test(text)
  const filter = {
    kind: KIND,
    text: isId ? undefined : text,
    id: isId ? Number(text) : undefined,
    status: query.status === undefined ? undefined : statusOf(query.status),
    range: rangeOf(query, caller.timeZone),
    descending: isDescending(query.sort),
  }
  const found = await findOrders(db, caller, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: await recordsOf(db, deps, caller, rows), meta }
}

function statusOf(wanted: string): OrderState {
  const status = ORDER_STATES.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!status) throw invalid({ status: [`must be one of ${ORDER_STATES.join(', ')}`] })
  return status
}
