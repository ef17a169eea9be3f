import { Type } from 'typebox'
import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { appendEvents, type NewEvent } from '../../../events/append.ts'
import { kindsOf } from '../../../events/kind.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { Nullable } from '../../../lib/schemas.ts'
import { countProductEvents } from '../core/service.ts'

/** What there is of one item, as far as events tell of it. */
interface Level {
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

/** A caller is more than its tenant. */
const tenantOf = ({ businessId, live }: Tenant): Tenant => ({ businessId, live })

const text = Type.String()
const whole = Type.Integer()

const StockLevel = Type.Object({
  productId: text,
  variantId: Nullable(Type.Integer({ description: 'Null for the product itself.' })),
  reference: Type.String({ description: 'Of the product.' }),
  status: Type.String({ description: 'Of the product.' }),
  name: text,
  sku: Nullable(text),
  quantity: Type.Integer({ description: 'On hand, what is put aside included.' }),
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
    'product.low_stock': ['What is left of a product or variant fell to its threshold.'],
    'product.out_of_stock': [
      'Nothing is left of a product or variant.',
      { quantity: 1, available: 0 },
    ],
  },
)
