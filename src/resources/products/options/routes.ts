import type { Static, TSchema } from 'typebox'
import type { Tx } from '../../../db/database.ts'
import { success } from '../../../http/envelopes.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { OneProduct } from '../catalogue/schemas.ts'
import type { ProductDeps } from '../catalogue/service.ts'
import { addOptions, addValue } from './add.ts'
import { changeOption, changeValue } from './change.ts'
import { removeOption, removeValue } from './remove.ts'
import {
  AddOptions,
  AddValue,
  DeleteOption,
  DeleteValue,
  UpdateOption,
  UpdateValue,
} from './schemas.ts'

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
  /** The message of a success. */
  done: string
  act(tx: Tx, deps: ProductDeps, caller: Caller, request: Static<Body>): Promise<object>
}

/** What is done to the options of one product. It answers the product as it is then. */
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
    answer: OneProduct,
    ...spec,
    handle: ({ once, caller, body }) =>
      once(async (tx) => success(done, await act(tx, deps, caller, body as Static<Body>))),
  })
