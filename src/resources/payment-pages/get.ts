import type { Db, Tx } from '../../db/database.ts'
import { isDescending, pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { holdPage, KIND, type RecordDeps, recordOf, recordsOf, requirePage } from './pages.ts'
import { selectPageByLink } from './queries.ts'
import { findPages } from './queries-list.ts'
import type { PageRecord } from './record.ts'
import type { PageQuery, PageSought } from './schemas.ts'

/** One page by its id or its link. Throws 400 for both or neither, 404. */
export async function getPage(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  { pageId, customLink }: PageSought,
) {
  if ((pageId === undefined) === (customLink === undefined)) {
    const says =
      pageId === undefined ? 'is required, or customLink' : 'cannot be sent with customLink'
    throw invalid({ pageId: [says] })
  }
  if (pageId !== undefined) {
    return recordOf(db, deps, tenant, await requirePage(db, tenant, pageId))
  }
  const row = await selectPageByLink(db, tenant, customLink!)
  if (!row) throw notFound('payment_page')
  return recordOf(db, deps, tenant, row)
}

/** The record of a page that is held, with its list of products, until the transaction ends. */
export const holdRecord = async (
  tx: Tx,
  deps: RecordDeps,
  tenant: Tenant,
  pageId: number | string,
) => recordOf(tx, deps, tenant, await holdPage(tx, tenant, pageId))

/** What an edit may change of it; views, payments and the prices of its products move meanwhile. */
export function editedOf(page: PageRecord) {
  const { url: _url, stats: _stats, createdAt: _made, updatedAt: _changed, ...content } = page
  return { ...content, products: page.products.map(({ productId }) => productId) }
}

/** One page of payment pages with its meta; throws 400 naming what cannot be asked. */
export async function listPages(db: Db, deps: RecordDeps, caller: Caller, query: PageQuery) {
  const filter = {
    kind: KIND,
    status: query.status,
    text: query.searchPageText?.trim() || undefined,
    range: rangeOf(query, caller.timeZone),
    descending: isDescending(query.sort),
  }
  const found = await findPages(db, caller, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: await recordsOf(db, deps, caller, rows), meta }
}
