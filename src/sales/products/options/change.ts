import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { conflict, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { deleteMediaOfVariants } from '../media/service.ts'
import {
  NO_VARIANTS,
  type Option,
  type VariantRow,
  type VariantSet,
  variantSetsOf,
} from '../record/parts.ts'
import {
  itemOf,
  lockWithStock,
  type ProductDeps,
  type ProductRow,
  productChanged,
  stockReserved,
} from '../record/service.ts'
import { retireItems, setLevels } from '../stock/service.ts'
import {
  appendValue,
  deleteOption,
  deleteValue,
  insertOptions,
  insertValue,
  type NewOptionRow,
  type NewVariantRow,
  nextPosition,
  removeVariantValue,
  renameOption,
  renameValue,
} from './queries.ts'
import { insertVariants, newOptionRows, retireVariants } from './service.ts'
import {
  catchTaken,
  checkName,
  checkSize,
  combinations,
  type NewOptions,
  normalisedLabel,
  refuseTaken,
  validateOptions,
} from './validate.ts'

type Id = number | string

/**
 * Returns a product’s options and variants, and locks the product and its stock until the
 * transaction ends. Throws 404.
 */
export async function lockVariantSet(
  tx: Tx,
  tenant: Tenant,
  productId: Id,
): Promise<{ product: ProductRow; variantSet: VariantSet }> {
  const product = await lockWithStock(tx, tenant, productId)
  const variantSets = await variantSetsOf(tx, tenant, [product.id])
  return { product, variantSet: variantSets.get(product.id) ?? NO_VARIANTS }
}

/** Throws 404, including for an option of another product. */
function optionNamed({ options }: VariantSet, optionId: Id): Option {
  const option = options.find(({ id }) => id === toId(optionId))
  if (!option) throw notFound('product_option')
  return option
}

function valueNamed({ values }: Option, optionVariantId: Id) {
  const value = values.find(({ id }) => id === toId(optionVariantId))
  if (!value) throw notFound('option_variant')
  return value
}

/** Renames an option. Throws 404, or 409 if the name is taken. */
export async function changeOption(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, optionId, name }: { productId: Id; optionId: Id; name: string },
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, productId)
  const option = optionNamed(variantSet, optionId)
  const others = variantSet.options.filter(({ id }) => id !== option.id)
  checkName(
    name,
    others.map((other) => other.name),
    'name',
  )
  await catchTaken('name', renameOption(tx, caller, option.id, normalisedLabel(name)))
  return productChanged(tx, deps, caller, product.id)
}

/** Renames a value. Throws 404, or 409 if the option already has this value. */
export async function changeValue(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: { productId: Id; optionId: Id; optionVariantId: Id; value: string },
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, request.productId)
  const option = optionNamed(variantSet, request.optionId)
  const { id } = valueNamed(option, request.optionVariantId)
  const others = option.values.filter((other) => other.id !== id).map(({ value }) => value)
  refuseTaken(request.value, others, 'value')
  await catchTaken('value', renameValue(tx, caller, id, normalisedLabel(request.value)))
  return productChanged(tx, deps, caller, product.id)
}

const lastValue = () =>
  conflict('last_option_value', 'This is the last value of its option.', {
    optionVariantId: ['is the last value of its option: delete the option instead'],
  })

/**
 * Adds options to a product. Existing variants get the first value of each new option and keep
 * their stock; new variants have none. If the product had no options, its stock moves to its first
 * variant. Throws 404, 400 naming a limit, and 409 for a name that already exists, or if buyers
 * have reserved a product that had no variants.
 */
export async function addOptions(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: { productId: Id; options: NewOptions },
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, request.productId)
  const checked = validateOptions(request.options, variantSet.options)
  const counts = [...variantSet.options, ...checked].map(({ values }) => values.length)
  checkSize(counts, 'options')

  const first = await nextPosition(tx, caller, product.id)
  const options = await newOptionRows(tx, deps.ids, checked, first)
  await catchTaken('options', insertOptions(tx, caller, product.id, options))
  if (variantSet.variants.length === 0) {
    await insertFirstVariants(tx, deps, caller, product.id, options)
  } else {
    await expandVariants(tx, deps, caller, product.id, options, variantSet.variants)
  }
  return productChanged(tx, deps, caller, product.id)
}

/** Creates the first variants of a product. */
async function insertFirstVariants(
  tx: Tx,
  { ids }: ProductDeps,
  caller: Caller,
  productId: number,
  options: readonly NewOptionRow[],
): Promise<void> {
  const { tracked, on_hand, reserved, low_stock_threshold } = await itemOf(tx, caller, productId)
  if (reserved > 0)
    throw stockReserved(reserved, { productId: ['has stock reserved by open checkouts'] })
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
  await retireItems(tx, caller, [productId])
  await insertVariants(tx, caller, productId, variants, caller.now)
}

/**
 * Creates a variant for each combination of an existing variant with the values of the new options.
 */
async function expandVariants(
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
 * Adds a value to an option, and a variant without stock for each combination that includes the
 * value. Throws 404, 400 naming a limit, and 409 for a value that already exists.
 */
export async function addValue(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: { productId: Id; optionId: Id; value: string },
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, request.productId)
  const option = optionNamed(variantSet, request.optionId)
  refuseTaken(
    request.value,
    option.values.map(({ value }) => value),
    'value',
  )
  const added = { id: await deps.ids.next(tx), value: normalisedLabel(request.value) }
  const options = variantSet.options.map((one) =>
    one.id === option.id ? { ...one, values: [...one.values, added] } : one,
  )
  const counts = options.map(({ values }) => values.length)
  checkSize(counts, 'value')

  await catchTaken('value', insertValue(tx, caller, toId(option.id), added))
  const { tracked, low_stock_threshold } = variantSet.variants[0]!
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

/**
 * Removes an option from a product. Variants that no longer differ are merged into the first of
 * them, which gets their combined stock. If no options are left, the stock goes to the product
 * itself. Throws 404, or 409 if buyers have reserved any of the variants that are removed.
 */
export async function removeOption(
  tx: Tx,
  deps: ProductDeps & Pick<Deps, 'files'>,
  caller: Caller,
  { productId, optionId }: { productId: Id; optionId: Id },
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, productId)
  const option = optionNamed(variantSet, optionId)
  const place = variantSet.options.indexOf(option)
  const isLast = variantSet.options.length === 1
  const alike = Map.groupBy(variantSet.variants, ({ value_ids }) =>
    value_ids.toSpliced(place, 1).join(),
  )
  const levels = [...alike.values()].map((group) => merged(group, isLast ? product.id : undefined))

  const staying = new Set(levels.map(({ id }) => id))
  const going = variantSet.variants.filter(({ id }) => !staying.has(id))
  refuseReserved(going, 'optionId')
  const ids = going.map(({ id }) => id)
  await retireVariants(tx, caller, ids, caller.now)
  await deleteMediaOfVariants(tx, deps, caller, ids)
  await setLevels(tx, caller, levels)
  await removeVariantValue(tx, caller, product.id, place + 1, caller.now)
  await deleteOption(tx, caller, option.id)
  return productChanged(tx, deps, caller, product.id)
}

/** Returns the combined stock of a group as the stock of one item. */
const merged = (group: readonly VariantRow[], id = group[0]!.id) => ({
  id,
  tracked: group.some(({ tracked }) => tracked),
  on_hand: group.reduce((sum, { on_hand }) => sum + on_hand, 0),
})

/**
 * Removes a value from an option, with its variants and their stock. Throws 404, or 409 if it is
 * the last value or if buyers have reserved some of the stock.
 */
export async function removeValue(
  tx: Tx,
  deps: ProductDeps & Pick<Deps, 'files'>,
  caller: Caller,
  request: { productId: Id; optionId: Id; optionVariantId: Id },
) {
  const { product, variantSet } = await lockVariantSet(tx, caller, request.productId)
  const option = optionNamed(variantSet, request.optionId)
  const value = valueNamed(option, request.optionVariantId)
  if (option.values.length === 1) throw lastValue()

  const going = variantSet.variants.filter(({ value_ids }) => value_ids.includes(value.id))
  refuseReserved(going, 'optionVariantId')
  const ids = going.map(({ id }) => id)
  await retireVariants(tx, caller, ids, caller.now)
  await deleteMediaOfVariants(tx, deps, caller, ids)
  await deleteValue(tx, caller, value.id)
  return productChanged(tx, deps, caller, product.id)
}

function refuseReserved(going: readonly VariantRow[], field: string): void {
  const reserved = going.reduce((sum, one) => sum + one.reserved, 0)
  if (reserved > 0)
    throw stockReserved(reserved, { [field]: ['has stock reserved by open checkouts'] })
}
