import type { Db, Tx } from '../../db/database.ts'
import { type Searchable, searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDescending, rangeOf } from '../../lib/paging.ts'
import { type Fields, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import {
  findPages,
  lockPage,
  type PageRow,
  selectCounts,
  selectPage,
  selectPageByLink,
  selectParts,
} from './queries.ts'
import { type PageRecord, pageRecord } from './record.ts'
import type { PageIdQuery, PageQuery } from './schemas.ts'

const KIND = 'payment_page'

export type RecordDeps = Pick<Deps, 'publicUrl'>
export type PageDeps = RecordDeps & Pick<Deps, 'ids' | 'clock'>

/** Throws 404 for an unknown or deleted page. */
export async function requirePage(
  db: Db,
  tenant: Tenant,
  pageId: number | string,
): Promise<PageRow> {
  const row = await selectPage(db, tenant, toId(pageId))
  if (!row) throw notFound('payment_page')
  return row
}

/**
 * Like `requirePage`, but also locks the page and its list of products until the transaction ends.
 */
export async function lockPageWithProducts(
  tx: Tx,
  tenant: Tenant,
  pageId: number | string,
): Promise<PageRow> {
  const row = await lockPage(tx, tenant, toId(pageId))
  if (!row) throw notFound('payment_page')
  return row
}

async function recordsOf(
  db: Db,
  { publicUrl }: RecordDeps,
  tenant: Tenant,
  rows: readonly PageRow[],
): Promise<PageRecord[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const counts = await selectCounts(db, tenant, ids)
  const parts = await selectParts(db, tenant, ids)
  const countsById = new Map(counts.map((one) => [one.page_id, one]))
  const partsById = Map.groupBy(parts, ({ page_id }) => page_id)
  return rows.map((row) =>
    pageRecord(row, {
      publicUrl,
      counts: countsById.get(row.id)!,
      parts: partsById.get(row.id) ?? [],
    }),
  )
}

export async function recordOf(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  row: PageRow,
): Promise<PageRecord> {
  const [record] = await recordsOf(db, deps, tenant, [row])
  return record!
}

export type EventType = 'created' | 'updated' | 'published' | 'unpublished' | 'deleted'

/**
 * Appends the events that the row’s event sequence already includes, and returns the record after
 * the change.
 */
export async function publishChanges(
  tx: Tx,
  deps: PageDeps,
  caller: Caller,
  types: readonly EventType[],
  row: PageRow,
): Promise<PageRecord> {
  const record = await recordOf(tx, deps, caller, row)
  const events = types.map((type, i) => ({
    businessId: row.business_id,
    live: row.live,
    type: `${KIND}.${type}` as const,
    objectType: KIND,
    objectId: row.id,
    sequence: row.event_sequence - types.length + 1 + i,
    data: record,
    at: caller.now,
  }))
  await appendEvents(tx, deps.ids, events)
  return record
}

export const PAYMENT_PAGES: Searchable<PageRow> = {
  kind: KIND,
  table: 'payment_pages',
  fields: ['title', 'description'],
}

/** Throws 400 if the request names a business other than the key's. */
export function refuseBusiness(
  { businessId }: Tenant,
  request: { businessId?: number | string },
): void {
  if (request.businessId === undefined || toId(request.businessId) === businessId) return
  throw invalid({ businessId: ['must be the id of the business that the key belongs to'] })
}

export function addFieldError(faults: Fields, field: string, fault: string): void {
  faults[field] = [...(faults[field] ?? []), fault]
}

/**
 * Returns one page by its id or link. Throws 400 if both or neither are given, and 404 if there is
 * no such page.
 */
export async function getPage(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  { pageId, customLink }: PageIdQuery,
) {
  if ((pageId === undefined) === (customLink === undefined)) {
    const says =
      pageId === undefined
        ? 'is required unless customLink is given'
        : 'cannot be combined with customLink'
    throw invalid({ pageId: [says] })
  }
  if (pageId !== undefined) {
    return recordOf(db, deps, tenant, await requirePage(db, tenant, pageId))
  }
  const row = await selectPageByLink(db, tenant, customLink!)
  if (!row) throw notFound('payment_page')
  return recordOf(db, deps, tenant, row)
}

export const lockRecord = async (
  tx: Tx,
  deps: RecordDeps,
  tenant: Tenant,
  pageId: number | string,
) => recordOf(tx, deps, tenant, await lockPageWithProducts(tx, tenant, pageId))

/**
 * Returns the parts that an edit can change. Views, payments and product prices can change in the
 * meantime.
 */
export function editablePartOf(page: PageRecord) {
  const { url: _url, stats: _stats, createdAt: _made, updatedAt: _changed, ...content } = page
  return { ...content, products: page.products.map(({ productId }) => productId) }
}

/** Returns one page of payment pages with its meta; throws 400 naming invalid filters. */
export async function listPages(db: Db, deps: RecordDeps, caller: Caller, query: PageQuery) {
  const filter = {
    status: query.status,
    search: searchFor(PAYMENT_PAGES, query.searchPageText),
    range: rangeOf(query, caller.timeZone),
    isDescending: isDescending(query.sort),
  }
  const { rows, meta } = await findPages(db, caller, filter, query)
  return { records: await recordsOf(db, deps, caller, rows), meta }
}
