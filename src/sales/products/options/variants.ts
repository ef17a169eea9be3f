import type { Db, Tx } from '../../../db/database.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { parseAmount } from '../../../lib/money.ts'
import { allOrPage } from '../../../lib/paging.ts'
import { type Fields, invalid, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { type Option, relationsOf, type VariantRow } from '../record/parts.ts'
import { variantPart } from '../record/record.ts'
import {
  newStockLevel,
  type ProductDeps,
  type ProductRow,
  productChanged,
  type RecordDeps,
  requireProduct,
  selectOverviews,
} from '../record/service.ts'
import { stockEvents } from '../stock/record.ts'
import { setLevels } from '../stock/service.ts'
import { lockVariantSet } from './change.ts'
import { updateVariantRow } from './queries.ts'
import { type UpdateVariant, VariantFilter } from './schemas.ts'
import { labelKey, TENANT_FIELDS } from './validate.ts'

/**
 * Changes the given fields. A null price means the product’s price, and a null SKU clears it.
 * Giving a field its current value is not a change and doesn’t send an event. Turning on tracking
 * for one variant turns it on for all. Throws 404, or 409 for a quantity below what buyers have
 * reserved.
 */
export async function updateVariant(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: UpdateVariant,
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, request.productId)
  const before = variantSet.variants.find(({ id }) => id === toId(request.variantId))
  if (!before) throw notFound('product_variant')
  const after = changed(before, request, product.currency)
  if (!isSame(before, after)) {
    await updateVariantRow(tx, caller, after.id, after, caller.now)
    await setLevels(tx, caller, [after, ...countedWith(after, variantSet.variants)])
    await productChanged(tx, deps, caller, product.id)
    const change = { productId: product.id, itemId: after.id, before, after }
    await stockEvents(tx, deps.ids, caller, [change], caller.now)
  }
  const shown = (
    await relationsOf(tx, deps, caller, await selectOverviews(tx, caller, [product.id]))
  ).get(product.id)!
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
    ...newStockLevel(before, { quantity }),
    price_minor,
    sku: sku === undefined ? before.sku : sku,
    active: active ?? before.active,
  }
}

/**
 * Returns the other variants for which tracking is turned on too. Each gets its current quantity
 * or, if that is more, its reserved quantity.
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

/**
 * Returns the product’s variants that have these option values, ignoring case. An unknown value
 * matches none. Throws 404, or 400 naming anything that is not an option of the product.
 */
export async function filterVariants(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  query: VariantFilter,
) {
  const product = await requireProduct(db, tenant, query.productId)
  const shown = (await relationsOf(db, deps, tenant, new Map([[product.id, product]]))).get(
    product.id,
  )!
  const { options, variants, media } = shown
  const wanted = wantedOf(query, options)
  const matching = variants.filter(
    (variant) =>
      wanted.every(({ place, ids }) => ids.includes(variant.value_ids[place]!)) &&
      (query.inStock === undefined || query.inStock === isInStock(variant)),
  )
  const { rows, meta } = allOrPage(matching, query)
  return { records: rows.map((variant) => variantRecord(product, variant, options, media)), meta }
}

const isInStock = ({ active, tracked, on_hand, reserved }: VariantRow): boolean =>
  active && (!tracked || on_hand > reserved)

/** Returns the requested values, by the position of their option. */
function wantedOf(query: VariantFilter, options: readonly Option[]) {
  const unknown: Fields = {}
  const wanted: { place: number; ids: number[] }[] = []
  for (const [name, text] of Object.entries(query as Record<string, unknown>)) {
    if (Object.hasOwn(VariantFilter.properties, name) || TENANT_FIELDS.includes(name)) continue
    const place = options.findIndex((option) => labelKey(option.name) === labelKey(name))
    if (place < 0) {
      unknown[name] = [
        options.length === 0
          ? 'is not an option: the product has no options'
          : `is not an option of the product, which has ${options.map((one) => one.name).join(', ')}`,
      ]
      continue
    }
    const values = options[place]!.values.filter(
      ({ value }) => labelKey(value) === labelKey(String(text)),
    )
    wanted.push({ place, ids: values.map(({ id }) => id) })
  }
  if (Object.keys(unknown).length > 0) throw invalid(unknown)
  return wanted
}

/** Returns a variant as its product shows it, with the id of the product. */
const variantRecord = (
  product: ProductRow,
  variant: VariantRow,
  options: readonly Option[],
  media: Parameters<typeof variantPart>[3],
) => ({
  productId: String(product.id),
  reference: product.reference,
  status: variant.active ? 'Active' : 'Inactive',
  ...variantPart(product, variant, options, media),
  currency: product.currency,
})
