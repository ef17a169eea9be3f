import type { Tx } from '../../../db/database.ts'
import { toId } from '../../../lib/schemas.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { type ProductDeps, productChanged } from '../catalogue/service.ts'
import { itemOf, stockReserved } from '../catalogue/stock.ts'

import { lockFamily, optionNamed } from './change.ts'
import {
  checkedOptions,
  checkSize,
  combinations,
  kept,
  type NewOptions,
  orTaken,
  refuseTaken,
} from './plan.ts'
import {
  appendValue,
  insertOptions,
  insertValue,
  insertVariants,
  type NewOptionRow,
  type NewVariantRow,
  nextPosition,
  updateLevels,
} from './queries.ts'
import { numbered } from './service.ts'

type Id = number | string

/**
 * Adds options to a product. Variants that are there get the first value of each and keep what they
 * have; the others are new, of which there is nothing. A product that had none gives what there is
 * of it to the first of its variants. Throws 404, 400 naming a limit, 409 for a name that is there
 * already and for a product without variants that buyers have put aside.
 */
export async function addOptions(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: { productId: Id; options: NewOptions },
) {
  const { product, family } = await lockFamily(tx, caller, request.productId)
  const checked = checkedOptions(request.options, family.options)
  const counts = [...family.options, ...checked].map(({ values }) => values.length)
  checkSize(counts, 'options')

  const first = await nextPosition(tx, caller, product.id)
  const options = await numbered(tx, deps.ids, checked, first)
  await orTaken('options', insertOptions(tx, caller, product.id, options))
  if (family.variants.length === 0) {
    await divide(tx, deps, caller, product.id, options)
  } else {
    await multiply(tx, deps, caller, product.id, options, family.variants)
  }
  return productChanged(tx, deps, caller, product.id)
}

/** Makes variants of a product that had none. */
async function divide(
  tx: Tx,
  { ids }: ProductDeps,
  caller: Caller,
  productId: number,
  options: readonly NewOptionRow[],
): Promise<void> {
  const { tracked, on_hand, reserved, low_stock_threshold } = await itemOf(tx, caller, productId)
  if (reserved > 0) throw stockReserved(reserved, { productId: ['has some put aside by buyers'] })
  const variants: NewVariantRow[] = []
  for (const value_ids of combinations(options)) {
    const isFirst = variants.length === 0
    variants.push({
      ...blank(await ids.next(tx), value_ids),
      tracked,
      on_hand: isFirst ? on_hand : 0,
      low_stock_threshold,
    })
  }
  await updateLevels(tx, caller, [{ id: productId, tracked: false, on_hand: 0 }])
  await insertVariants(tx, caller, productId, variants, caller.now)
}

/** Makes of each variant as many as the new options have combinations. */
async function multiply(
  tx: Tx,
  { ids }: ProductDeps,
  caller: Caller,
  productId: number,
  options: readonly NewOptionRow[],
  had: readonly NewVariantRow[],
): Promise<void> {
  const [kept = [], ...others] = combinations(options)
  for (const valueId of kept) await appendValue(tx, caller, productId, valueId, caller.now)
  const variants: NewVariantRow[] = []
  for (const variant of had) {
    for (const added of others) {
      const value_ids = [...variant.value_ids, ...added]
      variants.push({ ...variant, id: await ids.next(tx), value_ids, sku: null, on_hand: 0 })
    }
  }
  await insertVariants(tx, caller, productId, variants, caller.now)
}

/**
 * Adds a value to an option, with a variant for each combination, of which there is nothing. Throws
 * 404, 400 naming a limit, 409 for a value that is there already.
 */
export async function addValue(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: { productId: Id; optionId: Id; value: string },
) {
  const { product, family } = await lockFamily(tx, caller, request.productId)
  const option = optionNamed(family, request.optionId)
  refuseTaken(
    request.value,
    option.values.map(({ value }) => value),
    'value',
  )
  const added = { id: await deps.ids.next(tx), value: kept(request.value) }
  const options = family.options.map((one) =>
    one.id === option.id ? { ...one, values: [...one.values, added] } : one,
  )
  const counts = options.map(({ values }) => values.length)
  checkSize(counts, 'value')

  await orTaken('value', insertValue(tx, caller, toId(option.id), added))
  const { tracked, low_stock_threshold } = family.variants[0]!
  const variants: NewVariantRow[] = []
  for (const value_ids of combinations(options).filter((ids) => ids.includes(added.id))) {
    const id = await deps.ids.next(tx)
    variants.push({ ...blank(id, value_ids), tracked, low_stock_threshold })
  }
  await insertVariants(tx, caller, product.id, variants, caller.now)
  return productChanged(tx, deps, caller, product.id)
}

const blank = (id: number, value_ids: number[]) => ({
  id,
  value_ids,
  sku: null,
  price_minor: null,
  active: true,
  on_hand: 0,
})
