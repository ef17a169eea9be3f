import type { Db } from '../../db/database.ts'
import { isDescending, pageOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { findSubaccounts } from './queries-list.ts'
import { subaccountRecord } from './record.ts'
import type { SubaccountQuery } from './schemas.ts'
import { KIND } from './service.ts'

/** One page of subaccounts with its meta. */
export async function listSubaccounts(db: Db, tenant: Tenant, query: SubaccountQuery) {
  const filter = {
    kind: KIND,
    text: query.searchString?.trim() || undefined,
    sortKey: query.sortKey,
    descending: isDescending(query.sort),
  }
  const found = await findSubaccounts(db, tenant, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: rows.map(subaccountRecord), meta }
}
