import type { Static, TSchema } from 'typebox'
import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { success } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Caller } from '../../../lib/caller.ts'
import { OneProduct } from '../record/schemas.ts'
import type { ProductDeps } from '../record/service.ts'
import {
  addOptions,
  addValue,
  changeOption,
  changeValue,
  removeOption,
  removeValue,
} from './change.ts'
import {
  AddOptions,
  AddValue,
  DeleteOption,
  DeleteValue,
  OneVariant,
  UpdateOption,
  UpdateValue,
  UpdateVariant,
  VariantFilter,
  VariantList,
} from './schemas.ts'
import { filterVariants, updateVariant } from './variants.ts'

export const optionRoutes = (deps: ProductDeps): Route[] => [
  change(deps, {
    operation: 'add_product_options',
    summary: 'Add options to a product',
    path: '/products/add-product-options',
    body: AddOptions,
    done: 'Options added.',
    act: addOptions,
  }),
  change(deps, {
    operation: 'update_product_option',
    summary: 'Rename an option of a product',
    method: 'PUT',
    path: '/products/update-product-option-details',
    body: UpdateOption,
    done: 'Option updated.',
    act: changeOption,
  }),
  change(deps, {
    operation: 'delete_product_options',
    summary: 'Delete an option of a product',
    path: '/products/delete-product-options',
    body: DeleteOption,
    done: 'Option deleted.',
    act: removeOption,
  }),
  change(deps, {
    operation: 'add_product_option_variant',
    summary: 'Add a value to an option',
    path: '/products/add-product-option-variant',
    body: AddValue,
    done: 'Value added.',
    act: addValue,
  }),
  change(deps, {
    operation: 'update_product_option_variant',
    summary: 'Rename a value of an option',
    method: 'PUT',
    path: '/products/update-product-option-variant',
    body: UpdateValue,
    done: 'Value updated.',
    act: changeValue,
  }),
  change(deps, {
    operation: 'delete_product_option_variant',
    summary: 'Delete a value of an option',
    path: '/products/delete-product-option-variant',
    body: DeleteValue,
    done: 'Value deleted.',
    act: removeValue,
  }),
]

interface Change<Body extends TSchema> {
  operation: string
  summary: string
  method?: 'PUT'
  path: `/${string}`
  body: Body
  done: string
  act(
    tx: Tx,
    deps: ProductDeps,
    caller: Caller,
    request: Static<Body>,
  ): Promise<Static<typeof OneProduct>['data']>
}

/** A route that changes the options of one product and returns the product. */
const change = <Body extends TSchema>(
  deps: ProductDeps,
  { done, act, ...spec }: Change<Body>,
): Route =>
  route({
    service: 'payment-service',
    family: 'plain',
    errors: 'fields',
    method: 'POST',
    scope: 'products:write',
    response: OneProduct,
    ...spec,
    handle: ({ once, caller, body }) =>
      once(async (tx) => success(done, await act(tx, deps, caller, body as Static<Body>))),
  })

const slice = { service: 'payment-service', family: 'plain', errors: 'fields' } as const

export const variantRoutes = (deps: Deps): Route[] => [
  route({
    ...slice,
    operation: 'filter_product_variants',
    summary: 'List the variants of a product, filtered by option values',
    method: 'GET',
    path: '/products/filter-for-products-variant',
    scope: 'products:read',
    query: VariantFilter,
    response: VariantList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await filterVariants(deps.db, deps, caller, query)
      return success('Variants retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'update_product_variant',
    summary: 'Update a variant of a product',
    method: 'PUT',
    path: '/products/update-product-variant-details',
    scope: 'products:write',
    body: UpdateVariant,
    response: OneVariant,
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('Variant updated.', await updateVariant(tx, deps, caller, body))),
  }),
]
