import type { Database, Db, Tx } from '../../db/database.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import {
  type PageViews,
  type PayingPage,
  selectPaying,
  selectPayingByLink,
  updatePaid,
  updatePlaceGiven,
  updatePlaceTaken,
  updateViews,
} from './queries.ts'

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
