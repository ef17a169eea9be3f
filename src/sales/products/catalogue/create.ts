import type pg from 'pg'
import { openBatch } from '../../../db/batch.ts'
import type { Db, Statement, Tx } from '../../../db/database.ts'
import { openWriter } from '../../../db/dedicated-connection.ts'
import { isLockTimeout } from '../../../db/failures.ts'
import { plainArray, textArray, timeArray } from '../../../db/pg-arrays.ts'
import { textOf } from '../../../db/text-search.ts'
import type { Deps } from '../../../deps.ts'
import { insertingEvents, newEventReference } from '../../../events/append.ts'
import { dataDigest, eventDigest, newSalt } from '../../../events/digest.ts'
import type { Caller } from '../../../lib/caller.ts'
import { parseAmount } from '../../../lib/money.ts'
import { conflict } from '../../../lib/problem.ts'
import { serializer } from '../../../lib/serializer.ts'
import { newReference, randomText } from '../../../lib/tokens.ts'
import { requireSupportedCurrency } from '../../../providers/routing.ts'
import { copyFees } from '../delivery/service.ts'
import { copyFiles } from '../downloads/service.ts'
import { copyMedia } from '../media/service.ts'
import { insertVariantSet, newOptionRows } from '../options/service.ts'
import { checkSize, combinations, validateOptions } from '../options/validate.ts'
import { NO_VARIANTS, type VariantSet, variantSetsOf } from '../record/parts.ts'
import { PRODUCT_KIND, productRecord } from '../record/record.ts'
import { labelOf, ProductRecord } from '../record/schemas.ts'
import {
  PRODUCTS,
  type ProductDeps,
  type ProductRow,
  requireProduct,
  type ProductRecord as Shown,
  recordOf as storedRecordOf,
} from '../record/service.ts'
import type { DuplicateProduct, NewProduct } from './schemas.ts'

const toJson = serializer(ProductRecord)

interface Draft {
  product: ProductRow
  variantSet: VariantSet
  tracked: boolean
  on_hand: number
  low_stock_threshold: number | null
}

/** Returns false if another product already has the slug. */
type Write = (row: NewProductRow) => Promise<boolean>

/**
 * Creates products, each durable before its request gets a response. Requests that arrive while a
 * statement is running are written together by the next one. A request with an Idempotency-Key or
 * with options gets its own transaction.
 */
export function productCreator({ db, ids }: Pick<Deps, 'db' | 'ids'>) {
  const writer = openWriter(db)
  const batch = openBatch<NewProductRow, boolean>({
    db,
    businessOf: ({ product }) => product.business_id,
    write: (rows) => insertProducts((statement) => writer.query(statement), rows),
    bytesOf: ({ event }) => event.data.length,
  })
  const write: Write = async (row) => {
    try {
      return await batch.add(row)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    }
    // Another transaction is using the slug and has not ended yet. The wait for it must not hold up
    // the batch.
    return db.transaction((tx) => writeIn(tx)(row))
  }

  return {
    /** Whether the request can be batched with others. */
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
 * Creates a product. With options, it gets a variant for each combination, and the first variant
 * gets the given quantity. The slug is derived from the name unless one is given. Throws 400 naming
 * invalid fields, and 409 for a slug that another product has.
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

/** Writes a new product. If a slug derived from its name is taken, uses another one. */
async function writeProduct(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  draft: Draft,
  isSlugGiven: boolean,
): Promise<Shown> {
  const record = await written(tx, ids, draft, isSlugGiven, writeIn(tx))
  await writeVariantSet(tx, caller, draft)
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
    product = { ...product, slug: slugWithSuffix(slug) }
  }
}

/** Writes what the product’s statement does not cover. */
async function writeVariantSet(
  tx: Tx,
  caller: Caller,
  { product, variantSet }: Draft,
): Promise<void> {
  const { options, variants } = variantSet
  if (options.length === 0) return
  const rows = options.map(({ values, ...option }, i) => ({
    ...option,
    position: i + 1,
    values: values.map((one, j) => ({ ...one, position: j + 1 })),
  }))
  await insertVariantSet(tx, caller, product.id, rows, variants, caller.now)
}

export const slugTaken = (slug: string) =>
  conflict('slug_taken', `Another product already has the slug ${slug}.`, {
    slug: ['is already used by another product'],
  })

async function draftOf(
  db: Db,
  ids: Deps['ids'],
  caller: Caller,
  request: NewProduct,
): Promise<Draft> {
  const { currency, quantity, slug, metadata } = request
  const name = labelOf(request.name)
  requireSupportedCurrency(currency)
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
  return { product, ...stock, variantSet: await variantSetOf(db, ids, product, request, stock) }
}

async function variantSetOf(
  db: Db,
  ids: Deps['ids'],
  product: ProductRow,
  { options: wanted }: NewProduct,
  stock: Pick<Draft, 'tracked' | 'on_hand' | 'low_stock_threshold'>,
): Promise<VariantSet> {
  if (wanted === undefined) return NO_VARIANTS
  const checked = validateOptions(wanted, [])
  checkSize(
    checked.map(({ values }) => values.length),
    'options',
  )
  const options = await newOptionRows(db, ids, checked)
  const variants: VariantSet['variants'] = []
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

function recordOf({ product, variantSet, tracked, on_hand, low_stock_threshold }: Draft): Shown {
  return productRecord(product, {
    ...variantSet,
    stock: { tracked, on_hand, low_stock_threshold, reserved: 0, sold: 0 },
    media: [],
    digitalFiles: [],
    deliveryFees: [],
  })
}

async function rowOf(
  db: Db,
  ids: Deps['ids'],
  { product, variantSet, tracked, on_hand, low_stock_threshold }: Draft,
  record: Shown,
): Promise<NewProductRow> {
  const isWhole = variantSet.variants.length === 0
  const { id, business_id, live, created_at: at } = product
  const tenant = { businessId: business_id, live }
  const told = {
    id: ids.take() ?? (await ids.next(db)),
    reference: newEventReference(at),
    data: toJson(record),
    salt: newSalt(),
  }
  const about = {
    type: `${PRODUCT_KIND}.created`,
    objectType: PRODUCT_KIND,
    objectId: id,
    sequence: 1,
    at,
  }
  return {
    product,
    // A product with variants has no stock of its own.
    tracked: isWhole && tracked,
    on_hand: isWhole ? on_hand : 0,
    low_stock_threshold,
    event: {
      ...told,
      digest: eventDigest({ ...tenant, ...told, ...about }, dataDigest(told.salt, told.data)),
    },
    text: textOf(tenant, PRODUCTS, product),
  }
}

interface NewProductRow {
  product: ProductRow
  tracked: boolean
  on_hand: number
  low_stock_threshold: number | null
  event: { id: number; reference: string; data: string; salt: string; digest: string }
  /** The normalised search text and its index entries. */
  text: { text: string; ngrams: readonly number[] }
}

type Run = (statement: Statement) => Promise<pg.QueryResult>

/**
 * Writes products with their stock, event and search text in one statement, so that no surrounding
 * transaction is needed. Returns, in order, whether each one was written. A product with a slug
 * that is taken is not written.
 */
async function insertProducts(run: Run, rows: readonly NewProductRow[]): Promise<boolean[]> {
  const result = await run({ name: 'insert_products', text: STATEMENT, values: valuesOf(rows) })
  const written = new Set((result.rows as { id: number }[]).map(({ id }) => id))
  return rows.map(({ product }) => written.has(product.id))
}

/** The columns of `incoming`, with their types, in the order of the values. */
const COLUMNS = [
  'business_id bigint',
  'live boolean',
  'id bigint',
  'reference text',
  'slug text',
  'name text',
  'description text',
  'price_minor bigint',
  'currency text',
  'type text',
  'sku text',
  'status text',
  'link_expiry integer',
  'link_expiry_unit text',
  'max_downloads integer',
  'metadata text',
  'created_at timestamptz',
  'tracked boolean',
  'on_hand bigint',
  'low_stock_threshold bigint',
  'event_id bigint',
  'event_reference text',
  'data text',
  'salt text',
  'digest text',
  'text text',
  'pieces text',
].map((column) => column.split(' ') as [name: string, type: string])

function valuesOf(rows: readonly NewProductRow[]): (string | Buffer)[] {
  const plain = (pick: (row: NewProductRow) => number | bigint | boolean | null) =>
    plainArray(rows.map(pick))
  const text = (pick: (row: NewProductRow) => string | null) => textArray(rows.map(pick))
  return [
    plain(({ product }) => product.business_id),
    plain(({ product }) => product.live),
    plain(({ product }) => product.id),
    text(({ product }) => product.reference),
    text(({ product }) => product.slug),
    text(({ product }) => product.name),
    text(({ product }) => product.description),
    plain(({ product }) => product.price_minor),
    text(({ product }) => product.currency),
    text(({ product }) => product.type),
    text(({ product }) => product.sku),
    text(({ product }) => product.status),
    plain(({ product }) => product.link_expiry),
    text(({ product }) => product.link_expiry_unit),
    plain(({ product }) => product.max_downloads),
    text(({ product }) => product.metadata),
    timeArray(rows.map(({ product }) => product.created_at)),
    plain(({ tracked }) => tracked),
    plain(({ on_hand }) => on_hand),
    plain(({ low_stock_threshold }) => low_stock_threshold),
    plain(({ event }) => event.id),
    text(({ event }) => event.reference),
    text(({ event }) => event.data),
    text(({ event }) => event.salt),
    text(({ event }) => event.digest),
    text((row) => row.text.text),
    text((row) => plainArray(row.text.ngrams)),
  ]
}

// Only rows with a unique slug continue from `made`. If two rows have the same slug, only the first
// continues.
const STATEMENT = `
with incoming as materialized (
  select * from unnest(${COLUMNS.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
    as t (${COLUMNS.map(([name]) => name).join(', ')})
), made as (
  insert into products
    (business_id, live, id, reference, slug, name, description, price_minor, currency, type,
     sku, status, link_expiry, link_expiry_unit, max_downloads, metadata, event_sequence,
     created_at, updated_at)
  select business_id, live, id, reference, slug, name, description, price_minor, currency, type,
    sku, status, link_expiry, link_expiry_unit, max_downloads, metadata, 1, created_at, created_at
  from incoming
  on conflict (business_id, live, slug) where deleted_at is null do nothing
  returning id
), fresh as (
  select i.* from incoming i join made using (id)
), stocked as (
  insert into stock_items
    (business_id, live, id, product_id, tracked, on_hand, low_stock_threshold)
  select business_id, live, id, id, tracked, on_hand, low_stock_threshold from fresh
), ${insertingEvents(
  `select business_id, live, event_id, event_reference, '${PRODUCT_KIND}.created', '${PRODUCT_KIND}', id, 1, data,
    created_at, salt
  from fresh`,
  "select business_id, live, event_id as id, decode(digest, 'hex') as digest from fresh",
)}, searched as (
  insert into search_texts (business_id, live, id, kind, text, pieces)
  select business_id, live, id, '${PRODUCT_KIND}', text, pieces::integer[] from fresh
)
select id from made`

const LENGTH_MAX = 64
const RANDOM_LENGTH = 6

/** Derives a slug from a name: `Ankara shirt, blue` becomes `ankara-shirt-blue`. */
export function slugOf(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const slug = trimmed(letters.slice(0, LENGTH_MAX + 1))
  if (slug.length >= 3) return trimmed(slug.slice(0, LENGTH_MAX))
  return slug === '' ? 'product' : `product-${slug}`
}

const trimmed = (slug: string): string => slug.replace(/^-+|-+$/g, '')

/**
 * Returns the slug with a random ending. With a counter, a hundred products of the same name that
 * are created at once would all try the same number again and again.
 */
export const slugWithSuffix = (slug: string): string =>
  withSuffix(slug, randomText(RANDOM_LENGTH).toLowerCase())

/** Appends an ending to the slug, and shortens the slug to make it fit. */
export const withSuffix = (slug: string, end: string): string =>
  `${trimmed(slug.slice(0, LENGTH_MAX - end.length - 1))}-${end}`

const NAME_MAX = 200

/**
 * Creates a copy as a Draft without stock, but with options, variants, images, files and delivery
 * fees. The copy shares stored content with the original, and its slug is derived from its name.
 * Throws 404.
 */
export async function duplicateProduct(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, name: wanted }: DuplicateProduct,
) {
  const source = await requireProduct(tx, caller, productId)
  const { tracked, low_stock_threshold, has_options } = source
  const name = labelOf(wanted) ?? `${cut(source.name, NAME_MAX - 7)} (copy)`
  const product: ProductRow = {
    ...source,
    id: await deps.ids.next(tx),
    reference: newReference('PRD'),
    slug: slugOf(name),
    name,
    status: 'Draft',
    event_sequence: 1,
    created_at: caller.now,
    updated_at: caller.now,
  }
  const had = has_options ? await variantSetsOf(tx, caller, [source.id]) : undefined
  const { variantSet, copies } = await copied(tx, deps, product, had?.get(source.id) ?? NO_VARIANTS)
  const draft = { product, variantSet, tracked, on_hand: 0, low_stock_threshold }
  await writeProduct(tx, deps.ids, caller, draft, false)
  const products = { from: source.id, to: product.id }
  await copyMedia(tx, deps, caller, products, copies)
  await copyFiles(tx, deps, caller, products)
  await copyFees(tx, deps, caller, products)
  return storedRecordOf(tx, deps, caller, await requireProduct(tx, caller, product.id))
}

/** Shortens a string without splitting a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const short = text.slice(0, length)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** New ids, by old id. */
type Copies = ReadonlyMap<number, number>

async function copied(
  tx: Tx,
  { ids }: ProductDeps,
  { id }: ProductRow,
  { options: had, variants: were }: VariantSet,
): Promise<{ variantSet: VariantSet; copies: Copies }> {
  const plain = had.map(({ name, values }) => ({ name, values: values.map(({ value }) => value) }))
  const options = await newOptionRows(tx, ids, plain)
  const newValueOf = new Map(
    had.flatMap(({ values }, i) => values.map((one, j) => [one.id, options[i]!.values[j]!.id])),
  )
  const copies = new Map<number, number>()
  const variants: VariantSet['variants'] = []
  for (const variant of were) {
    copies.set(variant.id, await ids.next(tx))
    variants.push({
      ...variant,
      id: copies.get(variant.id)!,
      product_id: id,
      value_ids: variant.value_ids.map((value) => newValueOf.get(value)!),
      on_hand: 0,
      reserved: 0,
      sold: 0,
    })
  }
  return { variantSet: { options, variants }, copies }
}
