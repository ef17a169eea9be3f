import type { Deps } from '../../../deps.ts'
import { success } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { OneProduct } from '../record/schemas.ts'
import { createProduct, duplicateProduct, productCreator } from './create.ts'
import {
  checkSlug,
  editablePartOf,
  getInventory,
  getProduct,
  listProducts,
  lockRecord,
} from './read.ts'
import {
  ArchiveProduct,
  DuplicateProduct,
  Inventory,
  NewProduct,
  ProductIdQuery,
  ProductList,
  ProductNamed,
  ProductQuery,
  SlugQuery,
  SlugState,
  UpdateProduct,
} from './schemas.ts'
import { archiveProduct, deleteProduct, updateProduct } from './update.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'fields' } as const
const read = { ...slice, scope: 'products:read', method: 'GET' } as const
const write = { ...slice, scope: 'products:write', method: 'POST', response: OneProduct } as const

export const catalogueRoutes = (
  deps: Deps,
  { isPlain, createWithOthers } = productCreator(deps),
): Route[] => [
  route({
    ...write,
    operation: 'create_product',
    summary: 'Create a product',
    path: '/products/create-product',
    body: NewProduct,
    handle: async ({ caller, body, claim, once }) => {
      const made = 'Product created.'
      if (!claim && isPlain(body)) return success(made, await createWithOthers(caller, body))
      return once(async (tx) => success(made, await createProduct(tx, deps.ids, caller, body)))
    },
  }),
  route({
    ...read,
    operation: 'list_products',
    summary: 'List products',
    path: '/products/get-products',
    query: ProductQuery,
    response: ProductList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listProducts(deps.db, deps, caller, query)
      return success('Products retrieved.', records, meta)
    },
  }),
  route({
    ...read,
    operation: 'get_product',
    summary: 'Get a product',
    path: '/products/get-product-details',
    query: ProductIdQuery,
    response: OneProduct,
    editable: editablePartOf,
    handle: async ({ caller, query }) =>
      success('Product retrieved.', await getProduct(deps.db, deps, caller, query)),
  }),
  route({
    ...write,
    operation: 'update_product',
    summary: 'Update a product',
    method: 'PUT',
    path: '/products/update-product-details',
    body: UpdateProduct,
    editable: editablePartOf,
    locked: (tx, { caller, body }) => lockRecord(tx, deps, caller, body.productId),
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('Product updated.', await updateProduct(tx, deps, caller, body))),
  }),
  route({
    ...write,
    operation: 'archive_product',
    summary: 'Archive a product, or make it active again',
    path: '/products/archive-product',
    body: ArchiveProduct,
    editable: editablePartOf,
    locked: (tx, { caller, body }) => lockRecord(tx, deps, caller, body.productId),
    handle: ({ caller, body, once }) =>
      once(async (tx) => {
        const record = await archiveProduct(tx, deps, caller, body)
        return success(body.archived ? 'Product archived.' : 'Product is active again.', record)
      }),
  }),
  route({
    ...write,
    operation: 'delete_product',
    summary: 'Delete a product',
    path: '/products/delete-product',
    body: ProductNamed,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Product deleted.', await deleteProduct(tx, deps, caller, body.productId)),
      ),
  }),
  route({
    ...write,
    operation: 'duplicate_product',
    summary: 'Duplicate a product',
    family: 'plain',
    path: '/products/duplicate-product',
    body: DuplicateProduct,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Product duplicated.', await duplicateProduct(tx, deps, caller, body)),
      ),
  }),
  route({
    ...write,
    reads: true,
    operation: 'check_product_slug',
    summary: 'Check whether a slug is taken',
    scope: 'products:read',
    path: '/products/slugExist',
    body: SlugQuery,
    response: SlugState,
    handle: async ({ caller, body }) =>
      success('Slug checked.', await checkSlug(deps.db, caller, body.slug)),
  }),
  route({
    ...read,
    operation: 'get_product_inventory',
    summary: 'Get the inventory of a product',
    path: '/products/get-product-inventory-details',
    query: ProductNamed,
    response: Inventory,
    handle: async ({ caller, query }) =>
      success('Inventory retrieved.', await getInventory(deps.db, caller, query.productId)),
  }),
]
