import type { Db, Tx } from '../../db/database.ts'
import { wholeOrPage } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { recordsOf as productRecordsOf, productsWith } from '../products/catalogue/service.ts'
import { refuseNothingToPay } from './content.ts'
import {
  holdPage,
  type PageDeps,
  type RecordDeps,
  recordOf,
  refuseBusiness,
  requirePage,
  told,
} from './pages.ts'
import { namedProducts, noProduct, readProductIds, tooMany } from './product-ids.ts'
import { lockPage, updateTouched } from './queries.ts'
import { deleteParts, insertParts, selectParts } from './queries-products.ts'
import {
  type AddProducts,
  type PageProductsQuery,
  PRODUCTS_MAX,
  type RemoveProducts,
} from './schemas.ts'

/**
 * Adds products behind those that the page has, all or none; those that it has already stay where
 * they are. Throws 400 naming what is wrong, an unknown page or product too, as the contract says.
 */
export async function addProducts(tx: Tx, deps: PageDeps, caller: Caller, request: AddProducts) {
  refuseBusiness(caller, request)
  const ids = readProductIds(request.productIds)
  if (ids.length === 0) throw invalid({ productIds: ['must have at least 1 entry'] })
  const page = await lockPage(tx, caller, toId(request.pageId))
  if (!page) throw invalid({ pageId: ['must be the id of a payment page of this business'] })
  const { id, currency } = page
  await namedProducts(tx, caller, { ids, currency, missing: 'invalid' })
  const had = await productIdsOf(tx, caller, id)
  const added = ids.filter((one) => !had.includes(one))
  if (added.length === 0) return
  if (had.length + added.length > PRODUCTS_MAX) throw tooMany()
  await insertParts(tx, caller, id, added)
  const row = await updateTouched(tx, caller, id, caller.now)
  await told(tx, deps, caller, ['updated'], row)
}

/**
 * Takes products off a page, all or none, and answers the page. Throws 404 for one that it does not
 * have, 400 when a Published page would have nothing left to pay for.
 */
export async function removeProducts(
  tx: Tx,
  deps: PageDeps,
  caller: Caller,
  request: RemoveProducts,
) {
  const { productId, productIds } = request
  if ((productId === undefined) === (productIds === undefined)) {
    throw invalid({ productId: ['cannot be sent with productIds; send one of them'] })
  }
  const ids = readProductIds(productIds ?? [productId!])
  const page = await holdPage(tx, caller, request.pageId)
  if (ids.length === 0) return recordOf(tx, deps, caller, page)
  const had = await productIdsOf(tx, caller, page.id)
  const missing = ids.filter((one) => !had.includes(one))
  if (missing.length > 0) throw noProduct(missing, 'not_found')
  refuseNothingToPay(page, had.length - ids.length, 'productIds')
  await deleteParts(tx, caller, page.id, ids)
  return told(tx, deps, caller, ['updated'], await updateTouched(tx, caller, page.id, caller.now))
}

/** The products of a page, in its order, as the catalogue shows them. Throws 404. */
export async function listProducts(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  query: PageProductsQuery,
) {
  const { id } = await requirePage(db, tenant, query.pageId)
  const found = await productsWith(db, tenant, await productIdsOf(db, tenant, id))
  const { rows, meta } = wholeOrPage(found, query)
  return { records: await productRecordsOf(db, deps, tenant, rows), meta }
}

/** What a page sells, in the order of the page. */
export async function productIdsOf(db: Db, tenant: Tenant, pageId: number): Promise<number[]> {
  const parts = await selectParts(db, tenant, [pageId])
  return parts.map(({ product_id }) => product_id)
}
