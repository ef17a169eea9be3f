import type { Tx } from '../../../db/database.ts'
import { appendEvents, type NewEvent } from '../../../events/append.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import type { Deps } from '../../deps.ts'
import { countEvents } from './queries-events.ts'

/** What there is of one item, as far as events tell of it. */
export interface Level {
  tracked: boolean
  on_hand: number
  reserved: number
  low_stock_threshold: number | null
}

/** One item before and after a change. */
export interface LevelChange {
  productId: number
  /** Of the product or of the variant. */
  itemId: number
  before: Level
  after: Level
}

/** What a change is told as; nothing when it crosses no line. Only going down crosses one. */
export function stockEvent(
  before: Level,
  after: Level,
): 'product.low_stock' | 'product.out_of_stock' | undefined {
  if (!after.tracked) return undefined
  const had = before.tracked ? availableOf(before) : Number.POSITIVE_INFINITY
  const has = availableOf(after)
  if (has === 0) return had > 0 ? 'product.out_of_stock' : undefined
  const line = after.low_stock_threshold
  return line !== null && has <= line && had > line ? 'product.low_stock' : undefined
}

const availableOf = ({ on_hand, reserved }: Level): number => Math.max(0, on_hand - reserved)

/**
 * Tells of each change that left little or nothing, in the transaction that made it. Holds the rows
 * of those products from then on: take the stock first, then call this, and no stock afterwards.
 */
export async function stockEvents(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  changes: readonly LevelChange[],
  now: Date,
): Promise<void> {
  const crossed = changes.flatMap((change) => {
    const type = stockEvent(change.before, change.after)
    return type ? [{ ...change, type }] : []
  })
  if (crossed.length === 0) return
  const byProduct = Map.groupBy(crossed, ({ productId }) => productId)
  const counts = [...byProduct].map(([productId, told]) => ({ productId, events: told.length }))
  const products = await countEvents(tx, tenant, counts)
  const events = products.flatMap((product) => {
    const told = byProduct.get(product.id) ?? []
    return told.map(
      ({ type, itemId, after }, i): NewEvent => ({
        ...tenantOf(tenant),
        type,
        objectType: 'product',
        objectId: product.id,
        sequence: product.event_sequence - told.length + 1 + i,
        data: {
          productId: String(product.id),
          variantId: itemId === product.id ? null : itemId,
          reference: product.reference,
          status: product.status,
          name: product.name,
          sku: product.sku,
          quantity: after.on_hand,
          reserved: after.reserved,
          available: availableOf(after),
          lowStockThreshold: after.low_stock_threshold,
        },
        at: now,
      }),
    )
  })
  await appendEvents(tx, ids, events)
}

/** A caller is more than its tenant. */
const tenantOf = ({ businessId, live }: Tenant): Tenant => ({ businessId, live })
