import { openBatch } from '../../../db/batch.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { isLockTimeout } from '../../../db/failures.ts'
import { textOfRecord } from '../../../db/texts.ts'
import { openWriter } from '../../../db/writer.ts'
import { dataDigest, eventDigest, newSalt } from '../../../events/digest.ts'
import { newEventReference } from '../../../events/reference.ts'
import { parseAmount } from '../../../lib/money.ts'
import { conflict } from '../../../lib/problem.ts'
import { newReference } from '../../../lib/random.ts'
import { serializer } from '../../../lib/serializer.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { requireCarried } from '../../../providers/currencies.ts'
import type { Deps } from '../../deps.ts'
import { checkedOptions, checkSize, combinations } from '../options/plan.ts'
import { type Family, insertFamily, NO_FAMILY, numbered } from '../options/service.ts'
import { insertProducts, type NewProductRow } from './insert.ts'
import type { ProductRow } from './queries.ts'
import { productRecord, type ProductRecord as Shown } from './record.ts'
import { type NewProduct, ProductRecord } from './schemas.ts'
import { KIND, marksOf, textsOf } from './search.ts'
import { slugOf, slugWithEnd } from './slugs.ts'
import { labelOf } from './words.ts'

const toJson = serializer(ProductRecord)

/** A new product beside its row, before anything is written. */
export interface Draft {
  product: ProductRow
  family: Family
  tracked: boolean
  on_hand: number
  low_stock_threshold: number | null
}

/** Answers false when another product has its slug. */
type Write = (row: NewProductRow) => Promise<boolean>

/**
 * Creates products, each durable before it is answered. What arrives while a statement is under way
 * goes out together as the next one; in a transaction of its own goes what has an Idempotency-Key
 * or options.
 */
export function productCreator({ db, ids }: Pick<Deps, 'db' | 'ids'>) {
  const writer = openWriter(db)
  const batch = openBatch<NewProductRow, boolean>(
    (rows) => insertProducts((statement) => writer.query(statement), rows),
    ({ event }) => event.data.length,
  )
  const write: Write = async (row) => {
    try {
      return await batch.add(row)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    }
    // A transaction has the slug and has not ended: that is waited for outside the batch.
    return db.transaction((tx) => writeIn(tx)(row))
  }

  return {
    /** Whether it can go with others. */
    isPlain: ({ options }: NewProduct): boolean => options === undefined,
    createWithOthers: async (caller: Caller, request: NewProduct): Promise<Shown> => {
      const draft = await draftOf(db, ids, caller, request)
      return written(db, ids, draft, request.slug !== undefined, write)
    },
  }
}

const writeIn =
  (tx: Tx): Write =>
  async (row) =>
    (await insertProducts((statement) => tx.query(statement), [row]))[0]!

/**
 * Creates a product, with variants of each combination when it has options: what there is, is there
 * of the first of them. The slug is made of the name unless one is given. Throws 400 naming what is
 * wrong, 409 for a slug that another product has.
 */
export async function createProduct(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  request: NewProduct,
): Promise<Shown> {
  const draft = await draftOf(tx, ids, caller, request)
  return writeProduct(tx, ids, caller, draft, request.slug !== undefined)
}

/** Writes a new product. One whose slug is not settled gets another one when its own is taken. */
export async function writeProduct(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  draft: Draft,
  isSlugGiven: boolean,
): Promise<Shown> {
  const record = await written(tx, ids, draft, isSlugGiven, writeIn(tx))
  await writeFamily(tx, caller, draft)
  return record
}

async function written(
  db: Db,
  ids: Deps['ids'],
  draft: Draft,
  isSlugGiven: boolean,
  write: Write,
): Promise<Shown> {
  const { slug } = draft.product
  let product = draft.product
  for (;;) {
    const record = recordOf({ ...draft, product })
    const row = await rowOf(db, ids, { ...draft, product }, record)
    if (await write(row)) return record
    if (isSlugGiven) throw slugTaken(slug)
    product = { ...product, slug: slugWithEnd(slug) }
  }
}

/** What the statement of a product has no place for. */
async function writeFamily(tx: Tx, caller: Caller, { product, family }: Draft): Promise<void> {
  const { options, variants } = family
  if (options.length === 0) return
  const rows = options.map(({ values, ...option }, i) => ({
    ...option,
    position: i + 1,
    values: values.map((one, j) => ({ ...one, position: j + 1 })),
  }))
  await insertFamily(tx, caller, product.id, rows, variants, caller.now)
}

export const slugTaken = (slug: string) =>
  conflict('slug_taken', `Another product has the slug ${slug}.`, {
    slug: ['is that of another product'],
  })

async function draftOf(
  db: Db,
  ids: Deps['ids'],
  caller: Caller,
  request: NewProduct,
): Promise<Draft> {
  const { currency, quantity, slug, metadata } = request
  const name = labelOf(request.name)
  requireCarried(currency)
  const product: ProductRow = {
    business_id: caller.businessId,
    live: caller.live,
    id: ids.take() ?? (await ids.next(db)),
    reference: newReference('PRD'),
    slug: slug ?? slugOf(name),
    name,
    description: request.description ?? null,
    price_minor: parseAmount(request.price, currency, { field: 'price', zero: true }),
    currency,
    type: request.type,
    sku: labelOf(request.sku) ?? null,
    status: request.status,
    link_expiry: null,
    link_expiry_unit: null,
    max_downloads: null,
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    deleted_at: null,
    event_sequence: 1,
    created_at: caller.now,
    updated_at: caller.now,
  }
  const stock = {
    tracked: request.tracked ?? quantity !== undefined,
    on_hand: quantity ?? 0,
    low_stock_threshold: request.lowStockThreshold ?? null,
  }
  return { product, ...stock, family: await familyOf(db, ids, product, request, stock) }
}

async function familyOf(
  db: Db,
  ids: Deps['ids'],
  product: ProductRow,
  { options: wanted }: NewProduct,
  stock: Pick<Draft, 'tracked' | 'on_hand' | 'low_stock_threshold'>,
): Promise<Family> {
  if (wanted === undefined) return NO_FAMILY
  const checked = checkedOptions(wanted, [])
  checkSize(
    checked.map(({ values }) => values.length),
    'options',
  )
  const options = await numbered(db, ids, checked)
  const variants: Family['variants'] = []
  for (const value_ids of combinations(options)) {
    variants.push({
      id: await ids.next(db),
      product_id: product.id,
      value_ids,
      sku: null,
      price_minor: null,
      active: true,
      ...stock,
      on_hand: variants.length === 0 ? stock.on_hand : 0,
      reserved: 0,
      sold: 0,
    })
  }
  return { options, variants }
}

function recordOf({ product, family, tracked, on_hand, low_stock_threshold }: Draft): Shown {
  return productRecord(product, {
    ...family,
    stock: { tracked, on_hand, low_stock_threshold, reserved: 0, sold: 0 },
    media: [],
    digitalFiles: [],
    deliveryFees: [],
  })
}

async function rowOf(
  db: Db,
  ids: Deps['ids'],
  { product, family, tracked, on_hand, low_stock_threshold }: Draft,
  record: Shown,
): Promise<NewProductRow> {
  const isWhole = family.variants.length === 0
  const { id, business_id, live, created_at: at } = product
  const tenant = { businessId: business_id, live }
  const told = {
    id: ids.take() ?? (await ids.next(db)),
    reference: newEventReference(at),
    data: toJson(record),
    salt: newSalt(),
  }
  const about = { type: `${KIND}.created`, objectType: KIND, objectId: id, sequence: 1, at }
  return {
    product,
    // What is sold in variants is none itself.
    tracked: isWhole && tracked,
    on_hand: isWhole ? on_hand : 0,
    low_stock_threshold,
    event: {
      ...told,
      digest: eventDigest({ ...tenant, ...told, ...about }, dataDigest(told.salt, told.data)),
    },
    text: textOfRecord(tenant, KIND, textsOf(product), marksOf(product)),
  }
}
