import type { Db } from '../../db/database.ts'
import { isDescending, pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { KIND, type RecordDeps, recordOf, recordsOf, requirePage } from './pages.ts'
import { selectPageByLink } from './queries.ts'
import { findPages } from './queries-list.ts'
import type { PageQuery, PageSought } from './schemas.ts'

/** One page by its id or its link. Throws 400 for both or neither, 404. */
export async function getPage(
  db: Db,
  deps: RecordDeps,
  tenant: Tenant,
  { pageId, customLink }: PageSought,
) {
  if ((pageId === undefined) === (customLink === undefined)) {
    throw invalid({ pageId: ['or customLink must be given, and not both'] })
  }
  if (pageId !== undefined) {
    return recordOf(db, deps, tenant, await requirePage(db, tenant, pageId))
  }
  const row = await selectPageByLink(db, tenant, customLink!)
  if (!row) throw notFound('payment_page')
  return recordOf(db, deps, tenant, row)
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
