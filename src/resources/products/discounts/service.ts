import type { NewEvent } from '../../../events/append.ts'
import type { DiscountRow } from './queries.ts'
import { discountRecord } from './record.ts'

/** What events know discounts by. */
export const KIND = 'discount'

type EventType = 'created' | 'updated' | 'redeemed' | 'exhausted'

/** The events of a row that has just counted them; `more` is told beside the record. */
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

/** As codes are kept. */
export const asCode = (text: string): string => text.trim().toUpperCase()

/** As the uses of a customer are counted. */
export const asCustomer = (email: string): string => email.trim().toLowerCase()
