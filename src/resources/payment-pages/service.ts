import type { Db, Tx } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import { conflict } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { updatePaid, updatePlaceGiven, updatePlaceTaken } from './queries-counts.ts'
import { type PayingPage, selectPaying, selectPayingByLink } from './queries-paying.ts'

export type { CustomField } from './queries.ts'
export type { PayingPage } from './queries-paying.ts'
export { countView } from './views.ts'

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
