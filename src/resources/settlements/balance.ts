import type { Db } from '../../db/database.ts'
import { toAmount } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { getSubaccount } from '../subaccounts/service.ts'
import { selectSubaccountBalance } from './queries-balance.ts'

/**
 * What a subaccount has, by its code or id: what the ledger owes it, what is on its way to its
 * bank, and what arrived there. Throws 404.
 */
export async function subaccountBalance(db: Db, tenant: Tenant, named: string) {
  const { id, reference, status, currency, payoutsBlocked } = await getSubaccount(db, tenant, named)
  const row = await selectSubaccountBalance(db, tenant, { id, currency })
  const { owed_minor, pending_minor, paid_minor, settle_at } = row
  return {
    reference,
    status,
    subaccount_code: reference,
    currency,
    owed: toAmount(owed_minor, currency),
    owedMinor: Number(owed_minor),
    pending: toAmount(pending_minor, currency),
    pendingMinor: Number(pending_minor),
    paidOut: toAmount(paid_minor, currency),
    paidOutMinor: Number(paid_minor),
    nextSettlementAt: payoutsBlocked !== null || owed_minor === 0n ? null : settle_at,
  }
}
