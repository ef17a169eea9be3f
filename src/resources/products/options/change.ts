import type { Tx } from '../../../db/database.ts'
import { conflict, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import type { Caller, Tenant } from '../../../lib/tenant.ts'
import {
  lockWithStock,
  type ProductDeps,
  type ProductRow,
  productChanged,
} from '../catalogue/service.ts'
import { checkName, kept, type Option, orTaken, refuseTaken } from './plan.ts'
import { renameOption, renameValue } from './queries.ts'
import { type Family, familiesOf, NO_FAMILY } from './service.ts'

type Id = number | string

/** What a product comes in, held with its stock until the transaction ends. Throws 404. */
export async function lockFamily(
  tx: Tx,
  tenant: Tenant,
  productId: Id,
): Promise<{ product: ProductRow; family: Family }> {
  const product = await lockWithStock(tx, tenant, productId)
  const families = await familiesOf(tx, tenant, [product.id])
  return { product, family: families.get(product.id) ?? NO_FAMILY }
}

/** Throws 404, for an option of another product too. */
export function optionNamed({ options }: Family, optionId: Id): Option {
  const option = options.find(({ id }) => id === toId(optionId))
  if (!option) throw notFound('product_option')
  return option
}

export function valueNamed({ values }: Option, optionVariantId: Id) {
  const value = values.find(({ id }) => id === toId(optionVariantId))
  if (!value) throw notFound('option_variant')
  return value
}

/** Gives an option another name. Throws 404, or 409 when another one has it. */
export async function changeOption(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, optionId, name }: { productId: Id; optionId: Id; name: string },
) {
  const { product, family } = await lockFamily(tx, caller, productId)
  const option = optionNamed(family, optionId)
  const others = family.options.filter(({ id }) => id !== option.id)
  checkName(
    name,
    others.map((other) => other.name),
    'name',
  )
  await orTaken('name', renameOption(tx, caller, option.id, kept(name)))
  return productChanged(tx, deps, caller, product.id)
}

/** Gives a value another text. Throws 404, or 409 when another one of its option has it. */
export async function changeValue(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: { productId: Id; optionId: Id; optionVariantId: Id; value: string },
) {
  const { product, family } = await lockFamily(tx, caller, request.productId)
  const option = optionNamed(family, request.optionId)
  const { id } = valueNamed(option, request.optionVariantId)
  const others = option.values.filter((other) => other.id !== id).map(({ value }) => value)
  refuseTaken(request.value, others, 'value')
  await orTaken('value', renameValue(tx, caller, id, kept(request.value)))
  return productChanged(tx, deps, caller, product.id)
}

export const lastValue = () =>
  conflict('last_option_value', 'This is the last value of its option.', {
    optionVariantId: ['is the last value of its option: delete the option instead'],
  })
