import type { Tx } from '../../../db/database.ts'
import { isUniqueViolation } from '../../../db/failures.ts'
import { indexText, removeText } from '../../../db/text-search.ts'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { canonical } from '../../../lib/json.ts'
import { parseAmount } from '../../../lib/money.ts'
import { conflict, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { deleteFilesOfProduct } from '../downloads/service.ts'
import { removeMediaOfProduct } from '../media/service.ts'
import { labelOf } from '../record/schemas.ts'
import {
  type Content,
  lockProduct,
  lockWithStock,
  newStockLevel,
  PRODUCTS,
  type ProductDeps,
  type ProductRow,
  publishChange,
  recordOf,
  requireProduct,
  SLUG_INDEX,
  type StockRow,
  selectStock,
  updateContent,
  updateDeleted,
  updateStatus,
} from '../record/service.ts'
import { stockEvents } from '../stock/record.ts'
import { setStock } from '../stock/service.ts'
import { slugTaken } from './create.ts'
import type { UpdateProduct } from './schemas.ts'

/**
 * Changes the given fields; null clears a field. Giving a field its current value is not a change
 * and doesn’t send an event. Throws 409 for a slug that another product has, for a quantity that is
 * less than buyers have reserved, and for a quantity of a product with variants, because each
 * variant has its own quantity.
 */
export async function updateProduct(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  request: UpdateProduct,
) {
  const { productId, quantity, tracked, lowStockThreshold } = request
  const isOfStock = [quantity, tracked, lowStockThreshold].some((value) => value !== undefined)
  const row = await (isOfStock ? lockWithStock : lockProduct)(tx, caller, productId)
  refuseCurrency(row, request)
  const content = contentOf(row, request)
  const changes = isOfStock ? await stockChanges(tx, caller, row, request) : []
  if (changes.length === 0 && isSame(row, content)) return recordOf(tx, deps, caller, row)

  const updated = await write(tx, caller, row, content)
  if (changes.length > 0) {
    const items = changes.map(({ after }) => after)
    await setStock(tx, caller, items)
  }
  const { fields, marks = [] } = PRODUCTS
  if ([...fields, ...marks].some((column) => updated[column] !== row[column])) {
    await indexText(tx, caller, PRODUCTS, updated)
  }
  const isArchived = updated.status === 'Archived' && row.status !== 'Archived'
  const record = await publishChange(tx, deps, caller, isArchived ? 'archived' : 'updated', updated)
  await stockEvents(
    tx,
    deps.ids,
    caller,
    changes.map((change) => ({ ...change, productId: row.id, itemId: change.after.id })),
    caller.now,
  )
  return record
}

function refuseCurrency({ currency }: ProductRow, request: UpdateProduct): void {
  if (request.currency === undefined || request.currency === currency) return
  throw conflict(
    'currency_fixed',
    `A product’s currency cannot change; this product is priced in ${currency}.`,
    {
      currency: [`cannot change from ${currency}`],
    },
  )
}

function contentOf(row: ProductRow, request: UpdateProduct): Content {
  const given = <T>(value: T | undefined, had: T): T => (value === undefined ? had : value)
  const { price, metadata } = request
  return {
    name: given(labelOf(request.name), row.name),
    slug: given(request.slug, row.slug),
    description: given(request.description, row.description),
    price_minor:
      price === undefined
        ? row.price_minor
        : parseAmount(price, row.currency, { field: 'price', zero: true }),
    type: given(request.type, row.type),
    sku: given(labelOf(request.sku), row.sku),
    status: given(request.status, row.status),
    metadata: metadata ? JSON.stringify(metadata) : metadata === null ? null : row.metadata,
  }
}

const isSame = (row: ProductRow, content: Content): boolean =>
  (Object.keys(content) as (keyof Content)[]).every((column) =>
    column === 'metadata'
      ? spelt(row.metadata) === spelt(content.metadata)
      : row[column] === content[column],
  )

const spelt = (json: string | null): string => (json === null ? '' : canonical(JSON.parse(json)))

/** Returns the stock items that change: the product’s own, or those of its variants. */
async function stockChanges(tx: Tx, caller: Caller, { id }: ProductRow, request: UpdateProduct) {
  const items = await selectStock(tx, caller, id)
  const hasVariants = items.some((item) => item.id !== id && item.is_shown)
  if (hasVariants && request.quantity !== undefined) {
    throw conflict(
      'product_has_variants',
      'This product has variants: set the quantity of each variant.',
      {
        quantity: ['must be set on each variant'],
      },
    )
  }
  return items
    .filter((item) => item.is_shown || item.id === id)
    .map((before) => ({ before, after: wanted(before, request, hasVariants && before.id === id) }))
    .filter(({ before, after }) => !isSameLevel(before, after))
}

/**
 * A product with variants has no stock of its own, and stores only the threshold for all of them.
 */
function wanted(before: StockRow, request: UpdateProduct, isOfVariants: boolean): StockRow {
  const { quantity, tracked, lowStockThreshold: threshold } = request
  const low_stock_threshold = threshold === undefined ? before.low_stock_threshold : threshold
  if (isOfVariants) return { ...before, low_stock_threshold }
  return { ...newStockLevel(before, { quantity, tracked }), low_stock_threshold }
}

const isSameLevel = (before: StockRow, after: StockRow): boolean =>
  before.tracked === after.tracked &&
  before.on_hand === after.on_hand &&
  before.low_stock_threshold === after.low_stock_threshold

async function write(tx: Tx, caller: Caller, { id }: ProductRow, content: Content) {
  try {
    return await updateContent(tx, caller, id, content, caller.now)
  } catch (error) {
    throw isUniqueViolation(error, SLUG_INDEX) ? slugTaken(content.slug) : error
  }
}

/**
 * Archives a product, or makes an archived or draft product Active. Doing so again has no effect
 * and doesn’t send an event. Throws 404.
 */
export async function archiveProduct(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, archived }: { productId: number | string; archived: boolean },
) {
  const move = archived
    ? ({ from: ['Draft', 'Active'], to: 'Archived' } as const)
    : ({ from: ['Draft', 'Archived'], to: 'Active' } as const)
  const row = await updateStatus(tx, caller, toId(productId), move, caller.now)
  if (!row) return recordOf(tx, deps, caller, await requireProduct(tx, caller, productId))
  await indexText(tx, caller, PRODUCTS, row)
  return publishChange(tx, deps, caller, archived ? 'archived' : 'updated', row)
}

/**
 * Deletes a product with its images and files. Past sales still name the product, past buyers keep
 * its files, and open checkouts that have reserved it can still be paid. Returns the product as it
 * was, but with status Deleted. Throws 404.
 */
export async function deleteProduct(
  tx: Tx,
  deps: ProductDeps & Pick<Deps, 'files'>,
  caller: Caller,
  productId: number | string,
) {
  const row = await updateDeleted(tx, caller, toId(productId), caller.now)
  if (!row) throw notFound('product')
  await removeText(tx, caller, PRODUCTS, row.id)
  // Must come before the parts that the record shows are deleted.
  const record = await publishChange(tx, deps, caller, 'deleted', row)
  await removeMediaOfProduct(tx, deps, caller, row.id)
  await deleteFilesOfProduct(tx, deps, caller, row.id)
  return record
}
