import type { Db, Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { type Minor, parseAmount } from '../../../lib/money.ts'
import { allOrPage } from '../../../lib/paging.ts'
import { conflict, invalid, notFound, Problem } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { deliveryFeesOf, type FeeRecord, feeRecord } from '../record/parts.ts'
import {
  type CopiedIds,
  copiedRowsOf,
  lockProduct,
  type ProductDeps,
  type ProductRow,
  productChanged,
  requireProduct,
} from '../record/service.ts'
import {
  deleteFee,
  type FeeName,
  insertFeeCopies,
  selectFee,
  selectFeesFor,
  updateFee,
  upsertFee,
} from './queries.ts'
import type { FeeNamed, FeeQuery, NewFee, UpdateFee } from './schemas.ts'

/** The location with the fee for all other locations. */
const EVERYWHERE = 'Everywhere'

export interface DeliveryFee {
  location: string
  fee_minor: Minor
  currency: string
}

/**
 * Returns the delivery fees of products for a location, by product id: the fee for that location,
 * ignoring case, or else for `Everywhere`. Omits products with neither.
 */
export async function deliveryFeeFor(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
  location: string,
): Promise<Map<number, DeliveryFee>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectFeesFor(db, tenant, productIds, [location.trim(), EVERYWHERE])
  return new Map(
    rows.map(({ product_id, location, fee_minor, currency }) => [
      product_id,
      { location, fee_minor, currency },
    ]),
  )
}

export async function copyFees(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  caller: Caller,
  products: CopiedIds,
): Promise<void> {
  const had = (await deliveryFeesOf(tx, caller, [products.from])).get(products.from) ?? []
  if (had.length === 0) return
  const pairs = await copiedRowsOf(tx, ids, had, 'DLV')
  await insertFeeCopies(tx, caller, products, pairs, caller.now)
}

const FEES_MAX = 100

/** Returns all fees, unless a page is requested. Throws 404. */
export async function listFees(db: Db, tenant: Tenant, { productId, ...page }: FeeQuery) {
  const { id } = await requireProduct(db, tenant, productId)
  const fees = (await deliveryFeesOf(db, tenant, [id])).get(id) ?? []
  const { rows, meta } = allOrPage(fees, page)
  return { records: rows, meta }
}

/**
 * Sets the delivery fee for a location. Setting the current fee again is not a change and doesn’t
 * send an event. Throws 400 for an unknown product, as the contract requires, and 409 if there are
 * too many locations.
 */
export async function setFee(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, location: given, fees }: NewFee,
): Promise<{ message: string }> {
  const product = await productToSet(tx, caller, productId)
  const location = given.trim()
  const row = {
    id: await deps.ids.next(tx),
    product_id: product.id,
    location,
    fee_minor: feesOf(fees, product),
    currency: product.currency,
  }
  const set = await upsertFee(tx, caller, row, { most: FEES_MAX, now: caller.now })
  if (set) {
    await productChanged(tx, deps, caller, product.id)
    return { message: set.id === row.id ? 'Delivery fee added.' : 'Delivery fee changed.' }
  }
  if (await selectFee(tx, caller, product.id, { id: undefined, location })) {
    return { message: 'Delivery fee added.' }
  }
  const text = `A product can have delivery fees for at most ${FEES_MAX} locations.`
  throw conflict('delivery_fees_full', text, {
    location: [`would exceed the limit of ${FEES_MAX} locations`],
  })
}

async function productToSet(tx: Tx, tenant: Tenant, productId: number | string) {
  try {
    return await lockProduct(tx, tenant, productId)
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'not_found') throw error
    throw invalid({ productId: ['must be the id of a product of this business'] })
  }
}

const feesOf = (fees: string, { currency }: ProductRow) =>
  parseAmount(fees, currency, { field: 'fees', zero: true })

/** Changes an existing delivery fee. Throws 404. */
export async function changeFee(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, fees, ...named }: UpdateFee,
): Promise<FeeRecord> {
  const product = await lockProduct(tx, caller, productId)
  const row = await selectFee(tx, caller, product.id, nameOf(named))
  if (!row) throw notFound('delivery_fee')
  const fee_minor = feesOf(fees, product)
  if (fee_minor === row.fee_minor) return feeRecord(row)
  const updated = await updateFee(tx, caller, { ...row, fee_minor }, caller.now)
  await productChanged(tx, deps, caller, product.id)
  return feeRecord(updated)
}

export async function lockFeeRecord(
  tx: Tx,
  caller: Caller,
  { productId, ...named }: FeeNamed,
): Promise<FeeRecord> {
  const product = await lockProduct(tx, caller, productId)
  const row = await selectFee(tx, caller, product.id, nameOf(named))
  if (!row) throw notFound('delivery_fee')
  return feeRecord(row)
}

/** Returns the deleted fee. Throws 404. */
export async function removeFee(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, ...named }: FeeNamed,
): Promise<FeeRecord> {
  const product = await lockProduct(tx, caller, productId)
  const row = await deleteFee(tx, caller, product.id, nameOf(named))
  if (!row) throw notFound('delivery_fee')
  await productChanged(tx, deps, caller, product.id)
  return feeRecord(row, 'Deleted')
}

function nameOf({
  location,
  deliveryFeeId,
}: Pick<FeeNamed, 'location' | 'deliveryFeeId'>): FeeName {
  return {
    id: deliveryFeeId === undefined ? undefined : toId(deliveryFeeId),
    location: location?.trim(),
  }
}
