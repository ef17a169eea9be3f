import type { Db } from '../../db/database.ts'
import type { NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { isDescending } from '../../lib/paging.ts'
import { toId } from '../../lib/schemas.ts'
import { type DiscountRow, findDiscounts } from './queries.ts'
import { discountRecord } from './record.ts'
import type { DiscountQuery } from './schemas.ts'

const KIND = 'discount'

type EventType = 'created' | 'updated' | 'redeemed' | 'exhausted'

/**
 * Returns the events that the row’s event sequence already includes. `more` is added to the record.
 */
export const eventsOf = (
  row: DiscountRow,
  types: readonly EventType[],
  at: Date,
  more: object = {},
): NewEvent[] =>
  types.map((type, i) => ({
    businessId: row.business_id,
    live: row.live,
    type: `discount.${type}`,
    objectType: KIND,
    objectId: row.id,
    sequence: row.event_sequence - types.length + 1 + i,
    data: { ...discountRecord(row), ...more },
    at,
  }))

export const normaliseCode = (text: string): string => text.trim().toUpperCase()

export const normaliseCustomer = (email: string): string => email.trim().toLowerCase()

export async function listDiscounts(db: Db, tenant: Tenant, query: DiscountQuery) {
  const { code, productId } = query
  const filter = {
    code: code === undefined ? undefined : normaliseCode(code),
    productId: productId === undefined ? undefined : toId(productId),
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findDiscounts(db, tenant, filter, query)
  return { records: rows.map(discountRecord), meta }
}
