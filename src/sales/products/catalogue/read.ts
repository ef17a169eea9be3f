import type { Database, Db, Tx } from '../../../db/database.ts'
import { searchFor } from '../../../db/text-search.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { isDescending, oneOf } from '../../../lib/paging.ts'
import { invalid, notFound } from '../../../lib/problem.ts'
import { NO_VARIANTS, optionValuesOf, variantSetsOf } from '../record/parts.ts'
import {
  lockWithStock,
  type Overview,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  PRODUCTS,
  type ProductRecord,
  type RecordDeps,
  readProduct,
  recordOf,
  recordsOf,
  requireProduct,
  selectProduct,
} from '../record/service.ts'
import { slugOf, slugWithSuffix, withSuffix } from './create.ts'
import { findProducts, selectTakenSlugs } from './queries.ts'
import { isSlug, type ProductIdQuery, type ProductQuery } from './schemas.ts'

/**
 * Returns one product by its id or slug. Throws 400 if both or neither are given, and 404 if there
 * is no such product.
 */
export async function getProduct(
  db: Database,
  deps: RecordDeps,
  tenant: Tenant,
  { productId, slug }: ProductIdQuery,
) {
  if ((productId === undefined) === (slug === undefined)) {
    const says =
      productId === undefined ? 'is required unless slug is given' : 'cannot be combined with slug'
    throw invalid({ productId: [says] })
  }
  if (productId !== undefined) {
    return recordOf(db, deps, tenant, await readProduct(db, tenant, productId))
  }
  const row = await selectProduct(db, tenant, { slug: slug! })
  if (!row) throw notFound('product')
  return recordOf(db, deps, tenant, row)
}

export const lockRecord = async (
  tx: Tx,
  deps: RecordDeps,
  tenant: Tenant,
  productId: number | string,
) => recordOf(tx, deps, tenant, await lockWithStock(tx, tenant, productId))

/** Returns the parts that an edit can change. Reservations are not one of them. */
export const editablePartOf = (product: ProductRecord) => [
  product.name,
  product.slug,
  product.description,
  product.priceMinor,
  product.type,
  product.sku,
  product.status,
  product.quantity,
  product.tracked,
  product.lowStockThreshold,
  product.metadata,
]

const SUGGESTIONS = 3

/** Returns whether the slug is taken, and up to three similar slugs that are available. */
export async function checkSlug(db: Db, tenant: Tenant, slug: string) {
  const base = isSlug(slug) ? slug : slugOf(slug)
  const like = ['2', '3', '4', '5'].map((end) => withSuffix(base, end))
  const wanted = [...(base === slug ? [] : [base]), ...like, slugWithSuffix(base)]
  const taken = await selectTakenSlugs(db, tenant, [slug, ...wanted])
  const exists = taken.has(slug)
  const available = !exists && base === slug
  const free = wanted.filter((one) => !taken.has(one))
  return { exists, available, suggestions: available ? [] : free.slice(0, SUGGESTIONS) }
}

/** Returns the stock of a product and of each of its variants. Throws 404. */
export async function getInventory(db: Db, tenant: Tenant, productId: number | string) {
  const row = await requireProduct(db, tenant, productId)
  const variantSets = row.has_options ? await variantSetsOf(db, tenant, [row.id]) : undefined
  const { options, variants } = variantSets?.get(row.id) ?? NO_VARIANTS
  const parts = variants.map((variant) => ({
    variantId: variant.id,
    optionValues: optionValuesOf(variant, options),
    sku: variant.sku,
    ...inventoryOf(variant),
  }))
  return {
    productId: String(row.id),
    reference: row.reference,
    status: row.status,
    sku: row.sku,
    ...inventoryOf(row),
    // A product with variants is in stock, or low in stock, if any of its variants is.
    ...(parts.length > 0 && {
      lowStock: parts.some(({ lowStock }) => lowStock),
      inStock: parts.some(({ inStock }) => inStock),
    }),
    variants: parts,
  }
}

type Stock = Pick<Overview, 'tracked' | 'on_hand' | 'reserved' | 'sold' | 'low_stock_threshold'>

function inventoryOf({ tracked, on_hand, reserved, sold, low_stock_threshold: line }: Stock) {
  const available = Math.max(0, on_hand - reserved)
  return {
    tracked,
    onHand: on_hand,
    reserved,
    available,
    sold,
    lowStockThreshold: line,
    lowStock: tracked && line !== null && available <= line,
    inStock: !tracked || available > 0,
  }
}

/** Returns one page of products with its meta; throws 400 naming invalid filters. */
export async function listProducts(
  db: Db,
  deps: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  query: ProductQuery,
) {
  const text = query.search?.trim() || undefined
  const isReference = text !== undefined && /^PRD_[0-9A-Za-z]{20}$/.test(text)
  const status = oneOf('status', PRODUCT_STATUSES, query.status)
  const type = oneOf('type', PRODUCT_TYPES, query.type)
  const filter = {
    status,
    type,
    reference: isReference ? text : undefined,
    search: isReference ? undefined : searchFor(PRODUCTS, text, [status, type]),
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findProducts(db, tenant, filter, query)
  return { records: await recordsOf(db, deps, tenant, rows), meta }
}
