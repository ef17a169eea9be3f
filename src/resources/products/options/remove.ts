import type { Tx } from '../../../db/database.ts'
import type { Caller } from '../../../lib/tenant.ts'
import type { Deps } from '../../deps.ts'
import { type ProductDeps, productChanged } from '../catalogue/service.ts'
import { stockReserved } from '../catalogue/stock.ts'
import { dropMediaOf } from '../media/service.ts'
import { lastValue, lockFamily, optionNamed, valueNamed } from './change.ts'
import {
  cutValue,
  deleteOption,
  deleteValue,
  retireVariants,
  updateLevels,
  type VariantRow,
} from './queries.ts'

type Id = number | string

/**
 * Takes an option off a product. Of variants that differ in nothing else any more the first stays
 * and has what there was of all; without options left the product itself has it. Throws 404, or 409
 * when buyers have put some of the others aside.
 */
export async function removeOption(
  tx: Tx,
  deps: ProductDeps & Pick<Deps, 'files'>,
  caller: Caller,
  { productId, optionId }: { productId: Id; optionId: Id },
) {
  const { product, family } = await lockFamily(tx, caller, productId)
  const option = optionNamed(family, optionId)
  const place = family.options.indexOf(option)
  const isLast = family.options.length === 1
  const alike = Map.groupBy(family.variants, ({ value_ids }) =>
    value_ids.toSpliced(place, 1).join(),
  )
  const levels = [...alike.values()].map((group) => merged(group, isLast ? product.id : undefined))

  const staying = new Set(levels.map(({ id }) => id))
  const going = family.variants.filter(({ id }) => !staying.has(id))
  refuseReserved(going, 'optionId')
  const ids = going.map(({ id }) => id)
  await retireVariants(tx, caller, ids, caller.now)
  await dropMediaOf(tx, deps, caller, ids)
  await updateLevels(tx, caller, levels)
  await cutValue(tx, caller, product.id, place + 1, caller.now)
  await deleteOption(tx, caller, option.id)
  return productChanged(tx, deps, caller, product.id)
}

/** What there is of all of them, as one item. */
const merged = (group: readonly VariantRow[], id = group[0]!.id) => ({
  id,
  tracked: group.some(({ tracked }) => tracked),
  on_hand: group.reduce((sum, { on_hand }) => sum + on_hand, 0),
})

/**
 * Takes a value off an option, with the variants that have it and what there was of them. Throws
 * 404, or 409 for the last one and when buyers have put some of it aside.
 */
export async function removeValue(
  tx: Tx,
  deps: ProductDeps & Pick<Deps, 'files'>,
  caller: Caller,
  request: { productId: Id; optionId: Id; optionVariantId: Id },
) {
  const { product, family } = await lockFamily(tx, caller, request.productId)
  const option = optionNamed(family, request.optionId)
  const value = valueNamed(option, request.optionVariantId)
  if (option.values.length === 1) throw lastValue()

  const going = family.variants.filter(({ value_ids }) => value_ids.includes(value.id))
  refuseReserved(going, 'optionVariantId')
  const ids = going.map(({ id }) => id)
  await retireVariants(tx, caller, ids, caller.now)
  await dropMediaOf(tx, deps, caller, ids)
  await deleteValue(tx, caller, value.id)
  return productChanged(tx, deps, caller, product.id)
}

function refuseReserved(going: readonly VariantRow[], field: string): void {
  const reserved = going.reduce((sum, one) => sum + one.reserved, 0)
  if (reserved > 0) throw stockReserved(reserved, { [field]: ['has some put aside by buyers'] })
}
