import type { Db } from '../../db/database.ts'
import { isDescending, pageOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { selectShares } from './queries.ts'
import { findSplitPages } from './queries-list.ts'
import { splitPageRecord } from './record.ts'
import type { SplitPageQuery } from './schemas.ts'
import { KIND } from './service.ts'

/** One page of split pages with its meta. */
export async function listSplitPages(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  query: SplitPageQuery,
) {
  const filter = {
    kind: KIND,
    text: query.searchString?.trim() || undefined,
    active: query.status,
    splitType: query.splitType,
    category: query.category,
    descending: isDescending(query.sort),
  }
  const found = await findSplitPages(db, tenant, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  const shares = await selectShares(
    db,
    tenant,
    rows.map(({ id }) => id),
  )
  const byPage = Map.groupBy(shares, ({ split_page_id }) => split_page_id)
  const records = rows.map((row) =>
    splitPageRecord(row, { publicUrl, shares: byPage.get(row.id) ?? [] }),
  )
  return { records, meta }
}
