import type { Database, Db, Tx } from '../../db/database.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import {
  type PayingPage,
  selectPaying,
  selectPayingByLink,
  updatePaid,
  updatePlaceGiven,
  updatePlaceTaken,
  updateViews,
  type Viewed,
} from './queries.ts'

export type { CustomField, PayingPage } from './queries.ts'

/**
 * The page with this id as payers meet it; undefined for one of another tenant. Whether it is
 * Published, deleted or expired is for the caller to look at.
 */
export const pageForPaying = (db: Db, tenant: Tenant, id: number) => selectPaying(db, tenant, id)

/** Whose page it is that has the link, deleted ones too; undefined when none ever had it. */
export async function pageByLink(
  db: Db,
  link: string,
): Promise<{ tenant: Tenant; page: PayingPage } | undefined> {
  const page = await selectPayingByLink(db, link)
  return page && { tenant: { businessId: page.business_id, live: page.live }, page }
}

/**
 * Counts a checkout that begins, and puts one of the page's payments aside for it where they are
 * limited. Throws 409 `page_full` when there is none left. Every place that is taken is given back
 * or counted as paid, once.
 */
export async function takePagePlace(tx: Tx, tenant: Tenant, pageId: number): Promise<void> {
  if (await updatePlaceTaken(tx, tenant, pageId, false)) return
  const message = 'The page has had, or has under way, as many payments as it takes.'
  throw conflict('page_full', message)
}

/** The same for a checkout that gave its place back and is paid after all; false when full. */
export const retakePagePlace = (tx: Tx, tenant: Tenant, pageId: number): Promise<boolean> =>
  updatePlaceTaken(tx, tenant, pageId, true)

/** A checkout ended without a payment: expired or cancelled. */
export async function givePagePlaceBack(tx: Tx, tenant: Tenant, pageId: number): Promise<void> {
  if (!(await updatePlaceGiven(tx, tenant, pageId))) throw noPlace(pageId)
}

/** A checkout that has a place was paid in full. */
export async function countPagePayment(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  amount_minor: Minor,
): Promise<void> {
  if (!(await updatePaid(tx, tenant, pageId, amount_minor))) throw noPlace(pageId)
}

const noPlace = (pageId: number) => new Error(`Nobody has a place of the payment page ${pageId}`)

/**
 * A page that can be paid on now; undefined when there is none with this id. Throws 409 for one
 * that is Unpublished or over.
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

/** What is paid on a page without products: its own amount, or what the payer chose. */
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
    if (amount_minor === null) throw conflict('page_closed', 'There is nothing to pay for here.')
    if (given_minor !== undefined && given_minor !== amount_minor) {
      throw invalid({ amount: [`must be ${formatAmount(amount_minor, currency)} on this page`] })
    }
    return amount_minor
  }
  if (given_minor === undefined) throw invalid({ amount: ['is required: the payer chooses it'] })
  if (amount_type === 'minimum' && given_minor < (amount_minor ?? 0n)) {
    const least = formatAmount(amount_minor ?? 0n, currency)
    throw invalid({ amount: [`must be at least ${least} on this page`] })
  }
  return given_minor
}

// Of each database, since tests have several.
const counted = new WeakMap<object, Map<number, Viewed>>()

/** Pages viewed within a few seconds; what is viewed beyond is not counted. */
const PAGES_MAX = 100_000

/**
 * Counts that somebody looked at a page. It costs no write: a sweeper writes what has gathered, and
 * a crash loses a few seconds of it.
 */
export function countView(db: Db, { businessId, live }: Tenant, pageId: number, views = 1): void {
  const ours = counted.get(db) ?? new Map<number, Viewed>()
  counted.set(db, ours)
  const known = ours.get(pageId)
  if (known) known.views += views
  else if (ours.size < PAGES_MAX) ours.set(pageId, { businessId, live, pageId, views })
}

/** Writes the views of some pages, and answers of how many. */
async function writeViews(db: Database): Promise<number> {
  const ours = counted.get(db)
  if (!ours) return 0
  const viewed = [...ours.values()].slice(0, SWEEP_ROWS_MAX)
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

/** Writes what has gathered before the server ends. */
export async function closeViews(db: Database): Promise<void> {
  while ((await writeViews(db)) > 0);
}

export const pageViewSweeper: Sweeper = {
  name: 'page_views',
  everyMs: 3_000,
  // What has gathered is of all businesses, whatever their clocks.
  sweep: async (db, _now, only) => (only === undefined ? writeViews(db) : 0),
}
