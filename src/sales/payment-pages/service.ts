import type { Database, Db, Tx } from '../../db/database.ts'
import { type Searchable, searchFor } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { isDescending, rangeOf } from '../../lib/paging.ts'
import { conflict, type Fields, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import {
  findPages,
  lockPage,
  type PageRow,
  type PageViews,
  type PayingPage,
  selectCounts,
  selectPage,
  selectPageByLink,
  selectParts,
  selectPaying,
  selectPayingByLink,
  updatePaid,
  updatePlaceGiven,
  updatePlaceTaken,
  updateViews,
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

export type { CustomField, PayingPage } from './queries.ts'

/**
 * Returns the page with this id as payers see it; undefined if it belongs to another tenant. The
 * caller must check whether it is Published, deleted or expired.
 */
export const pageForPaying = (db: Db, tenant: Tenant, id: number) => selectPaying(db, tenant, id)

/**
 * Returns the page that has, or once had, the link, with its tenant. The page may have been
 * deleted. Returns undefined if no page ever had the link.
 */
export async function pageByLink(
  db: Db,
  link: string,
): Promise<{ tenant: Tenant; page: PayingPage } | undefined> {
  const page = await selectPayingByLink(db, link)
  return page && { tenant: { businessId: page.business_id, live: page.live }, page }
}

/**
 * Counts a new checkout and, if the page limits payments, reserves a place for it. Throws 409
 * `page_full` if no place is left. Each place is later either released or counted as paid, only
 * once.
 */
export async function reservePagePlace(tx: Tx, tenant: Tenant, pageId: number): Promise<void> {
  if (await updatePlaceTaken(tx, tenant, pageId, false)) return
  const message = 'This payment page has reached its payment limit.'
  throw conflict('page_full', message)
}

/**
 * Reserves a place for a checkout that was paid after its place had been released. Returns false if
 * the page is full.
 */
export const reservePagePlaceAgain = (tx: Tx, tenant: Tenant, pageId: number): Promise<boolean> =>
  updatePlaceTaken(tx, tenant, pageId, true)

/** Releases the place of a checkout that expired or was cancelled. */
export async function releasePagePlace(tx: Tx, tenant: Tenant, pageId: number): Promise<void> {
  if (!(await updatePlaceGiven(tx, tenant, pageId))) throw noPlace(pageId)
}

/** Counts the payment for a checkout that has reserved a place and has been paid in full. */
export async function countPagePayment(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  amount_minor: Minor,
): Promise<void> {
  if (!(await updatePaid(tx, tenant, pageId, amount_minor))) throw noPlace(pageId)
}

const noPlace = (pageId: number) => new Error(`No checkout is counted on payment page ${pageId}`)

/**
 * Returns a page on which payers can pay now; undefined if there is no page with this id. Throws
 * 409 if the page is Unpublished or has expired.
 */
export async function openPage(
  db: Db,
  tenant: Tenant & { now: Date },
  id: number,
): Promise<PayingPage | undefined> {
  const page = await selectPaying(db, tenant, id)
  if (!page || page.deleted_at !== null) return undefined
  if (page.status !== 'Published') {
    throw conflict('page_closed', 'This payment page is Unpublished.')
  }
  if (page.expires_at !== null && page.expires_at <= tenant.now) {
    throw conflict('page_closed', 'This payment page has expired.')
  }
  return page
}

/**
 * Returns the amount to pay on a page without products: the page’s amount or the payer’s choice.
 */
export function amountOn(
  {
    amount_type,
    amount_minor,
    currency,
  }: Pick<PayingPage, 'amount_type' | 'amount_minor' | 'currency'>,
  given: number | string | undefined,
): Minor {
  const given_minor = given === undefined ? undefined : parseAmount(given, currency)
  if (amount_type === 'fixed') {
    if (amount_minor === null)
      throw conflict('page_closed', 'There is nothing to pay for on this payment page.')
    if (given_minor !== undefined && given_minor !== amount_minor) {
      throw invalid({ amount: [`must be ${formatAmount(amount_minor, currency)} on this page`] })
    }
    return amount_minor
  }
  if (given_minor === undefined)
    throw invalid({ amount: ['is required because the payer chooses it on this page'] })
  if (amount_type === 'minimum' && given_minor < (amount_minor ?? 0n)) {
    const least = formatAmount(amount_minor ?? 0n, currency)
    throw invalid({ amount: [`must be at least ${least} on this page`] })
  }
  return given_minor
}

// Each database has a separate map, because tests use several databases.
const counted = new WeakMap<object, Map<number, PageViews>>()

/**
 * The maximum number of pages whose views are counted in one interval. Views of further pages are
 * not counted.
 */
const PAGES_MAX = 100_000

/**
 * Counts a page view in memory. A job writes the counts to the database, so a crash loses only a
 * few seconds of them.
 */
export function countView(db: Db, { businessId, live }: Tenant, pageId: number, views = 1): void {
  const ours = counted.get(db) ?? new Map<number, PageViews>()
  counted.set(db, ours)
  const known = ours.get(pageId)
  if (known) known.views += views
  else if (ours.size < PAGES_MAX) ours.set(pageId, { businessId, live, pageId, views })
}

/** Writes the view counts of some pages, and returns how many pages. */
async function writeViews(db: Database): Promise<number> {
  const ours = counted.get(db)
  if (!ours) return 0
  const viewed = [...ours.values()].slice(0, JOB_ROWS_MAX)
  if (viewed.length === 0) return 0
  for (const { pageId } of viewed) ours.delete(pageId)
  try {
    await updateViews(db, viewed)
  } catch (error) {
    for (const one of viewed) countView(db, one, one.pageId, one.views)
    throw error
  }
  return viewed.length
}

/** Writes the counts that are left before the server stops. */
export async function closeViews(db: Database): Promise<void> {
  while ((await writeViews(db)) > 0);
}

export const pageViewJob: Job = {
  name: 'page_views',
  everyMs: 3_000,
  isOfProcess: true,
  // The counts cover all businesses, whatever their test clocks.
  run: async (db, _now, only) => (only === undefined ? writeViews(db) : 0),
}
