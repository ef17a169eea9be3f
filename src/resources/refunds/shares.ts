import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { changeShares, type ShareChange } from './queries-payment.ts'

/** Takes from, or gives back to, every one of these shares; throws when one has not so much. */
export async function changeEach(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  change: Omit<ShareChange, 'shares'>,
  giving: readonly { subaccountId: number; amount_minor: Minor }[],
): Promise<void> {
  const shares: ShareChange['shares'][number][] = []
  for (const share of giving) shares.push({ ...share, id: await ids.next(tx) })
  const changed = await changeShares(tx, tenant, { ...change, shares })
  if (changed !== giving.length) {
    throw new Error(`${changed} of ${giving.length} shares changed for refund ${change.refundId}`)
  }
}
