import type { Db } from '../../db/database.ts'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { isCarried } from '../../providers/currencies.ts'
import { shownTermsOf } from '../branding/shown.ts'

/**
 * Throws 400 on `currency` unless a channel can take it, or the business told payers by
 * `manualPayment` how to pay it directly.
 */
export async function requireTakeable(db: Db, tenant: Tenant, currency: string): Promise<void> {
  if (isCarried(currency)) return
  const { manualPayment } = await shownTermsOf(db, tenant)
  if (manualPayment) return
  throw invalid({
    currency: [
      `must be NGN: no channel can take ${currency}, and the business has not set manualPayment`,
    ],
  })
}
