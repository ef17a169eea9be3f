import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { selectAccepted, selectReceived } from './queries.ts'

/** Returns the provider's own number for the payment of a transaction, if it has one. */
export async function paymentIdOf(
  db: Db,
  tenant: Tenant,
  transactionId: number,
): Promise<string | null> {
  return (await selectAccepted(db, tenant, transactionId))?.provider_reference ?? null
}

/** Finds a deposit by the provider's own number. */
export async function findReceived(
  db: Db,
  tenant: Tenant,
  connectionId: number,
  providerReference: string,
) {
  const [found] = await selectReceived(db, tenant, connectionId, [providerReference])
  return found
}
