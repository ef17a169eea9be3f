import type pg from 'pg'
import { plainArray, textArray, timeArray } from '../../../db/arrays.ts'
import type { Statement } from '../../../db/database.ts'
import { digested } from '../../../events/digest.ts'
import { QUEUED, TOLD } from '../../../events/queue.ts'
import type { ProductRow } from './queries.ts'
import { KIND } from './search.ts'

export interface NewProductRow {
  product: ProductRow
  tracked: boolean
  on_hand: number
  low_stock_threshold: number | null
  event: { id: number; reference: string; data: string; salt: string; digest: string }
  /** As searches compare it, and what it is found by. */
  text: { text: string; pieces: readonly number[] }
}

type Run = (statement: Statement) => Promise<pg.QueryResult>

/**
 * Writes products with what there is of each, its event and what it is found by, in one statement,
 * so that it needs no transaction around it. Answers for each, in their order, whether it was
 * written; nothing of it was when another one has its slug.
 */
export async function insertProducts(run: Run, rows: readonly NewProductRow[]): Promise<boolean[]> {
  const result = await run({ name: 'insert_products', text: STATEMENT, values: valuesOf(rows) })
  const written = new Set((result.rows as { id: string }[]).map(({ id }) => id))
  return rows.map(({ product }) => written.has(String(product.id)))
}

/** The columns of `incoming` with their types, in the order of the values. */
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

function valuesOf(rows: readonly NewProductRow[]): string[] {
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
    text((row) => plainArray(row.text.pieces)),
  ]
}

// Only what has a slug of its own goes on from `made`. Of two rows with one slug the first has it.
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
), told as (
  insert into events
    (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at,
     salt)
  select business_id, live, event_id, event_reference, '${KIND}.created', '${KIND}', id, 1, data,
    created_at, salt
  from fresh
  returning ${TOLD}
), ${QUEUED}, ${digested(`
  select business_id, live, event_id as id, decode(digest, 'hex') as digest
  from fresh`)}, searched as (
  insert into search_texts (business_id, live, id, kind, text, pieces)
  select business_id, live, id, '${KIND}', text, pieces::integer[] from fresh
)
select id from made`
