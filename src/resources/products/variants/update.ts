import type { Tx } from '../../../db/database.ts'
import { parseAmount } from '../../../lib/money.ts'
import { notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { shownOf } from '../catalogue/parts.ts'
import { type ProductDeps, productChanged } from '../catalogue/service.ts'
import { changedLevel } from '../catalogue/stock.ts'
import { stockEvents } from '../inventory/events.ts'
import { lockFamily } from '../options/change.ts'
import { setLevels, type VariantRow } from '../options/service.ts'
import { updateVariantRow } from './queries.ts'
import { variantRecord } from './record.ts'
import type { UpdateVariant } from './schemas.ts'

/**
 * Changes the fields that are given; null has the price follow the product, and clears the SKU. To
 * give what it has is no change and no event. Counting one variant counts them all. Throws 404, or
 * 409 for a quantity below what buyers have put aside.
 */
export async function updateVariant(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: UpdateVariant,
) {
  const { product, family } = await lockFamily(tx, caller, request.productId)
  const before = family.variants.find(({ id }) => id === toId(request.variantId))
  if (!before) throw notFound('product_variant')
  const after = changed(before, request, product.currency)
  if (!isSame(before, after)) {
    await updateVariantRow(tx, caller, after.id, after, caller.now)
    await setLevels(tx, caller, [after, ...countedWith(after, family.variants)])
    await productChanged(tx, deps, caller, product.id)
    const change = { productId: product.id, itemId: after.id, before, after }
    await stockEvents(tx, deps.ids, caller, [change], caller.now)
  }
  const shown = (await shownOf(tx, deps, caller, [product.id])).get(product.id)!
  return variantRecord(product, after, shown.options, shown.media)
}

function changed(before: VariantRow, request: UpdateVariant, currency: string): VariantRow {
  const { price, sku, active, quantity } = request
  const price_minor =
    price === undefined
      ? before.price_minor
      : price === null
        ? null
        : parseAmount(price, currency, { field: 'price', zero: true })
  return {
    ...changedLevel(before, { quantity }),
    price_minor,
    sku: sku === undefined ? before.sku : sku,
    active: active ?? before.active,
  }
}

/**
 * The other variants that stock is counted of from now on, each with the quantity it has. What
 * buyers have reserved of one stays theirs, so that its quantity is at least that.
 */
const countedWith = ({ id, tracked }: VariantRow, variants: readonly VariantRow[]): VariantRow[] =>
  variants
    .filter((other) => tracked && !other.tracked && other.id !== id)
    .map((other) => ({
      ...other,
      tracked: true,
      on_hand: Math.max(other.on_hand, other.reserved),
    }))

const isSame = (before: VariantRow, after: VariantRow): boolean =>
  (['price_minor', 'sku', 'active', 'tracked', 'on_hand'] as const).every(
    (column) => before[column] === after[column],
  )
