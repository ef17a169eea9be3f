import { success } from '../../../http/envelopes.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { filterVariants } from './filter.ts'
import { OneVariant, UpdateVariant, VariantFilter, VariantList } from './schemas.ts'
import { updateVariant } from './update.ts'

const slice = { service: 'payment-service', family: 'plain', errors: 'fields' } as const

export const variantRoutes = (deps: Deps): Route[] => [
  route({
    ...slice,
    operation: 'filter_product_variants',
    summary: 'Filter the variants of a product',
    method: 'GET',
    path: '/products/filter-for-products-variant',
    scope: 'products:read',
    query: VariantFilter,
    answer: VariantList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await filterVariants(deps.db, deps, caller, query)
      return success('Variants.', records, meta)
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
    answer: OneVariant,
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('Variant updated.', await updateVariant(tx, deps, caller, body))),
  }),
]
