import type { Db } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { selectNewest } from './queries.ts'

/** The newest attempt under a paymentReference, or the one of our reference. */
export async function findPayment(db: Db, tenant: Tenant, reference: string) {
  const row = await selectNewest(db, tenant, reference)
  if (!row) throw notFound('utility_payment')
  return row
}
