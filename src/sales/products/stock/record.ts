import { Type } from 'typebox'
import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { appendEvents, type NewEvent } from '../../../events/append.ts'
import { kindsOf } from '../../../events/catalogue.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { Nullable } from '../../../lib/schemas.ts'
import { countProductEvents } from '../record/service.ts'

/** The columns of an item’s stock that events need. */
interface Level {
  tracked: boolean
  on_hand: number
  reserved: number
  low_stock_threshold: number | null
}

export interface LevelChange {
  productId: number
  /** The id of the product or variant. */
  itemId: number
  before: Level
  after: Level
}

/** Returns the event for a change that crosses a threshold. Only a decrease can do this. */
function stockEvent(
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
 * Appends an event for each change that leaves little or no stock, in the same transaction. Locks
 * the rows of those products, so the caller must have taken all its stock locks already.
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
  const products = await countProductEvents(tx, tenant, counts)
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

const tenantOf = ({ businessId, live }: Tenant): Tenant => ({ businessId, live })

const text = Type.String()
const whole = Type.Integer()

const StockLevel = Type.Object({
  productId: text,
  variantId: Nullable(Type.Integer({ description: 'Null for the product itself.' })),
  reference: Type.String({ description: 'The product’s reference.' }),
  status: Type.String({ description: 'The product’s status.' }),
  name: text,
  sku: Nullable(text),
  quantity: Type.Integer({ description: 'The stock on hand, including reserved stock.' }),
  reserved: whole,
  available: whole,
  lowStockThreshold: Nullable(whole),
})

const example = {
  productId: '40600',
  variantId: null,
  reference: 'PRD_4jD8vL1zGe3rU2kFc5Xa',
  status: 'Active',
  name: 'Ankara shirt',
  sku: 'SHIRT-1',
  quantity: 5,
  reserved: 1,
  available: 4,
  lowStockThreshold: 5,
}

export const stockEventKinds = kindsOf(
  { object: 'product', schema: StockLevel, example },
  {
    'product.low_stock': [
      'The available stock of a product or variant fell to its low-stock threshold.',
    ],
    'product.out_of_stock': [
      'A product or variant is out of stock.',
      { quantity: 1, available: 0 },
    ],
  },
)
