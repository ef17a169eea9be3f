import type { Db, Tx } from '../../../db/database.ts'
import { invalid, notFound } from '../../../lib/problem.ts'
import type { Tenant } from '../../../lib/tenant.ts'
import { familiesOf, NO_FAMILY, optionValuesOf } from '../options/service.ts'
import { selectProductBySlug, selectTaken } from './queries.ts'
import { type Overview, selectOverviews } from './queries-parts.ts'
import { isSlug, type ProductSought } from './schemas.ts'
import {
  lockWithStock,
  type ProductRecord,
  type RecordDeps,
  recordOf,
  requireProduct,
} from './service.ts'
import { slugOf, slugWithEnd, withEnd } from './slugs.ts'

/** One product by its id or its slug. Throws 400 for both or neither, 404. */
export async function getProduct(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  { productId, slug }: ProductSought,
) {
  if ((productId === undefined) === (slug === undefined)) {
    const says = productId === undefined ? 'is required, or slug' : 'cannot be sent with slug'
    throw invalid({ productId: [says] })
  }
  if (productId !== undefined) {
    return recordOf(db, deps, tenant, await requireProduct(db, tenant, productId))
  }
  const row = await selectProductBySlug(db, tenant, slug!)
  if (!row) throw notFound('product')
  return recordOf(db, deps, tenant, row)
}

/** The record of a product that is held, with what there is of it, until the transaction ends. */
export const holdRecord = async (
  tx: Tx,
  deps: RecordDeps,
  tenant: Tenant,
  productId: number | string,
) => recordOf(tx, deps, tenant, await lockWithStock(tx, tenant, productId))

/** What an edit may change of it; buyers putting some aside changes nothing. */
export const editedOf = (product: ProductRecord) => [
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

/** Whether a product has the slug, and up to three like it that are free. */
export async function checkSlug(db: Db, tenant: Tenant, slug: string) {
  const base = isSlug(slug) ? slug : slugOf(slug)
  const like = ['2', '3', '4', '5'].map((end) => withEnd(base, end))
  const wanted = [...(base === slug ? [] : [base]), ...like, slugWithEnd(base)]
  const taken = await selectTaken(db, tenant, [slug, ...wanted])
  const exists = taken.has(slug)
  const available = !exists && base === slug
  const free = wanted.filter((one) => !taken.has(one))
  return { exists, available, suggestions: available ? [] : free.slice(0, SUGGESTIONS) }
}

/** What there is of a product and of each of its variants. Throws 404. */
export async function getInventory(db: Db, tenant: Tenant, productId: number | string) {
  const row = await requireProduct(db, tenant, productId)
  const [overview] = await selectOverviews(db, tenant, [row.id])
  const stock = overview!
  const families = stock.has_options ? await familiesOf(db, tenant, [row.id]) : undefined
  const { options, variants } = families?.get(row.id) ?? NO_FAMILY
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
    ...inventoryOf(stock),
    // Of variants it is enough that one can be bought, or that one is nearly gone.
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
