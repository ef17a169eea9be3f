import type { Db } from '../../db/database.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { splitPageFor } from '../split-pages/service.ts'

/** Throws 404 for a split page that is not there, 400 for one of another currency. */
export async function refuseSplitPage(
  db: Db,
  tenant: Tenant,
  id: number | null,
  currency: string,
): Promise<void> {
  if (id === null) return
  const page = await splitPageFor(db, tenant, id)
  if (!page) throw notFound('split_page')
  if (page.currency !== currency) {
    throw invalid({ splitPageId: [`is in ${page.currency}, and the page in ${currency}`] })
  }
}
